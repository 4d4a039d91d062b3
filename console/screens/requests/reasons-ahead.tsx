import { useReasons } from "./reason-field.tsx";

/** Reads what the field for a reason will offer, while one still looks at a request. */
export default function ReasonsAhead() {
  useReasons();
  return null;
}

import { may } from "../api/session.ts";
import { lazily } from "./lazily.tsx";

const ToldPanel = lazily(() => import("./told-panel.tsx"));

/** Who was told of a thing, when, and what did not arrive; nothing for who may not see deliveries. */
export function Told({ of }: { of: string }) {
  return may("admin") ? <ToldPanel of={of} /> : null;
}

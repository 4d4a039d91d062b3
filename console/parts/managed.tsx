import { may } from "../api/session.ts";
import { lazily } from "./lazily.tsx";
import type { ManagedThing } from "./managed-notice.tsx";

const Notice = lazily(() => import("./managed-notice.tsx"));

/** Says which file manages a thing, where it can be changed; nothing of what no file manages. */
export function Managed(thing: ManagedThing) {
  return may("config") ? <Notice {...thing} /> : null;
}

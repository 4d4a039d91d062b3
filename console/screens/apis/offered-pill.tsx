import { type Api, isOffered } from "../../api/apis.ts";
import { Pill } from "../../parts/pill.tsx";

/** Whether a developer can ask for it. */
export function OfferedPill({ api: one }: { api: Api }) {
  return isOffered(one)
    ? <Pill tone="good">Offered</Pill>
    : <Pill tone={one.show ? "waiting" : "quiet"}>{one.show ? "Not offered" : "Hidden"}</Pill>;
}

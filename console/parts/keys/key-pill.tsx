import { Pill } from "../pill.tsx";
import { type Key, stateView } from "./key.ts";

/** How a key stands, in a pill. */
export function KeyPill({ of: key }: { of: Key }) {
  const { tone, text } = stateView(key);
  if (key.state !== "active" || key.denied !== null) return <Pill tone={tone}>{text}</Pill>;
  if (key.replaced_by) return <Pill tone={tone}>Rotated</Pill>;
  // A valid key that was found in public is never green.
  return key.leaked ? <Pill tone="bad">Leaked</Pill> : <Pill tone={tone}>{text}</Pill>;
}

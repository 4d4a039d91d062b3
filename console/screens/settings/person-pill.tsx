import { Pill, type Tone } from "../../parts/pill.tsx";
import type { Person } from "./person.ts";

const states: Readonly<Record<Person["state"], readonly [tone: Tone, text: string]>> = {
  active: ["good", "Active"],
  suspended: ["bad", "Suspended"],
  deactivated: ["quiet", "Deactivated"],
};

/** Whether a person's access tokens open anything. */
export function PersonPill({ state }: { state: Person["state"] }) {
  const [tone, text] = states[state];
  return <Pill tone={tone}>{text}</Pill>;
}

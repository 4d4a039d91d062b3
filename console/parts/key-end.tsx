import type { VNode } from "preact";
import { say } from "../said.ts";
import { TextField } from "./fields.tsx";
import { typed, useField } from "./use-field.ts";
import { IN_ZONE } from "./zone.ts";

/** When keys end that are about to be issued. */
interface KeyEnd {
  /** As it stands in the field: another one makes another decision. */
  readonly text: string;
  readonly field: VNode;
  /** The value for calls; undefined if the time has passed: the field then says so. */
  sent(): { expires_at?: string } | undefined;
}

/** A field for it. Left empty the keys end as `otherwise` says. */
export function useKeyEnd(otherwise = "as the plan says"): KeyEnd {
  const at = useField("");
  const text = at.value;
  return {
    text,
    field: (
      <TextField
        label="Expires (optional)"
        hint={say`${IN_ZONE} Without it: ${otherwise}.`}
        type="datetime-local"
        {...typed(at)}
      />
    ),
    sent: () => {
      if (text === "") return {};
      const end = new Date(text);
      if (end.getTime() > Date.now()) return { expires_at: end.toISOString() };
      at.refuse("Choose a time to come.");
      return undefined;
    },
  };
}

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { TextField } from "./fields.tsx";

/** When keys end that are about to be issued. */
interface KeyEnd {
  /** As it stands in the field: another one makes another decision. */
  readonly text: string;
  readonly field: VNode;
  /** What calls take; undefined where it is over, which the field then says. */
  sent(): { expires_at?: string } | undefined;
}

/** A field for it. Left empty the keys end as their plans say. */
export function useKeyEnd(): KeyEnd {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  return {
    text,
    field: (
      <TextField
        label="Ends (optional)"
        hint="In your own time zone. Without it: as the plan says."
        type="datetime-local"
        error={problem}
        value={text}
        onInput={(typed) => {
          setText(typed);
          setProblem("");
        }}
      />
    ),
    sent: () => {
      if (text === "") return {};
      const end = new Date(text);
      if (end.getTime() > Date.now()) return { expires_at: end.toISOString() };
      setProblem("Choose a time to come.");
      return undefined;
    },
  };
}

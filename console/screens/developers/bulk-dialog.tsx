import { useState } from "preact/hooks";
import { BulkConfirm } from "../../parts/bulk-confirm.tsx";
import type { BulkSelection } from "../../parts/bulk-selection.ts";
import { TextField } from "../../parts/fields.tsx";
import { idOf } from "../../parts/list-place.ts";
import type { DeveloperRow } from "./developer.ts";
import { KeysChoice } from "./keys-choice.tsx";

/** What is done to many developers at once. */
export type BulkAct = "deactivate" | "reactivate";

type Keys = "keep" | "suspend" | "resume";

const words: Readonly<
  Record<BulkAct, { title: string; note: string; choices: Partial<Record<Keys, string>> }>
> = {
  deactivate: {
    title: "Deactivate",
    note:
      "The portal no longer lets them sign in, and their open claim links are withdrawn for good. The job can be taken back.",
    choices: {
      keep: "Keep: they open what they open",
      suspend: "Suspend: they open nothing until they are resumed",
    },
  },
  reactivate: {
    title: "Reactivate",
    note: "The portal lets them sign in again. The job can be taken back.",
    choices: {
      keep: "Keep: those that are suspended stay so",
      resume: "Resume those that were suspended with their developer",
    },
  },
};

/** Deactivates or reactivates any number of developers in one job. */
export default function BulkDevelopersDialog({ act, selection, onStarted, onClose }: {
  act: BulkAct;
  selection: BulkSelection<DeveloperRow>;
  onStarted: (id: string) => void;
  onClose: () => void;
}) {
  const { title, note, choices } = words[act];
  const [keys, setKeys] = useState<Keys>();
  const [reason, setReason] = useState("");
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const rows = selection.rows.filter(({ inactive }) => inactive === (act === "reactivate"));

  /** What is told of the kind; undefined: a field says what it lacks. */
  const told = () => {
    if (keys === undefined) {
      setErrors({ keys: "Say what becomes of their keys." });
      return undefined;
    }
    return { keys, ...reason.trim() === "" ? {} : { reason: reason.trim() } };
  };
  return (
    <BulkConfirm
      of="developers"
      one="developer"
      came="Registered"
      kind={`${act}_developers`}
      title={title}
      note={note}
      selection={selection}
      ids={rows.map(idOf)}
      whyLeft="they are so already"
      told={told}
      written={[keys, reason]}
      onStarted={onStarted}
      onClose={onClose}
    >
      <KeysChoice
        legend="Their keys"
        choices={choices}
        keys={keys}
        onChoose={(choice) => {
          setKeys(choice);
          setErrors({});
        }}
      />
      {errors["keys"] && <p class="notice is-bad" role="alert">{errors["keys"]}</p>}
      <TextField
        label="Reason"
        hint="Kept with the job and in the activity: no secrets."
        maxLength={500}
        value={reason}
        onInput={setReason}
      />
    </BulkConfirm>
  );
}

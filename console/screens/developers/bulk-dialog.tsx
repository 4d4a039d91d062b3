import { useState } from "preact/hooks";
import { may } from "../../api/session.ts";
import { BulkConfirm } from "../../parts/bulk-confirm.tsx";
import type { BulkSelection } from "../../parts/bulk-selection.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { idOf } from "../../parts/list-place.ts";
import type { DeveloperRow } from "./developer.ts";
import { TagsField, tagsOf } from "./tags-field.tsx";
import { KeysChoice } from "./keys-choice.tsx";

/** An action on many developers at once. */
export type BulkAct = "deactivate" | "reactivate" | "tags";

type Ends = Exclude<BulkAct, "tags">;

type Keys = "keep" | "suspend" | "resume";

const words: Readonly<
  Record<Ends, { title: string; note: string; choices: Partial<Record<Keys, string>> }>
> = {
  deactivate: {
    title: "Deactivate",
    note:
      "They can no longer sign in to the portal, and their open one-time links are withdrawn for good. The job can be taken back.",
    choices: {
      keep: "Keep: they stay valid",
      suspend: "Suspend: they are valid for nothing until they are resumed",
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

interface Props {
  selection: BulkSelection<DeveloperRow>;
  onStarted: (id: string) => void;
  onClose: () => void;
}

/** Deactivates, reactivates or tags any number of developers in one job. */
export default function BulkDevelopersDialog({ act, ...props }: { act: BulkAct } & Props) {
  return act === "tags" ? <BulkTags {...props} /> : <BulkEnds act={act} {...props} />;
}

const ways = [
  { value: "tag_developers", text: "Add these" },
  { value: "untag_developers", text: "Remove these" },
] as const;

function BulkTags({ selection, onStarted, onClose }: Props) {
  const [kind, setKind] = useState<typeof ways[number]["value"]>("tag_developers");
  const [text, setText] = useState("");
  const [error, setError] = useState<string>();
  return (
    <BulkConfirm
      one="developer"
      came="Registered"
      kind={kind}
      title="Tag"
      note="What they may do stays as it is. The job can be taken back."
      selection={selection}
      ids={selection.rows.map(idOf)}
      whyLeft="it can't be done"
      input={() => {
        const tags = tagsOf(text);
        setError(tags.length === 0 ? "Write a tag." : undefined);
        return tags.length === 0 ? undefined : { tags };
      }}
      written={[kind, text]}
      onStarted={onStarted}
      onClose={onClose}
    >
      <SelectField
        label="Tags"
        value={kind}
        options={ways}
        onChange={(way) =>
          setKind(way === "untag_developers" ? "untag_developers" : "tag_developers")}
      />
      <TagsField label="Which tags" error={error} value={text} onInput={setText} />
    </BulkConfirm>
  );
}

function BulkEnds({ act, selection, onStarted, onClose }: { act: Ends } & Props) {
  const { title, note, choices } = words[act];
  const [keys, setKeys] = useState<Keys>();
  const [reason, setReason] = useState("");
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  // Keys that follow their developers take it, many at once.
  const offered = may("approve") ? choices : { keep: choices.keep };
  const rows = selection.rows.filter(({ inactive }) => inactive === (act === "reactivate"));

  /** The input of the action; undefined: a field says what it lacks. */
  const input = () => {
    if (keys === undefined) {
      setErrors({ keys: "Say what becomes of their keys." });
      return undefined;
    }
    return { keys, ...reason.trim() === "" ? {} : { reason: reason.trim() } };
  };
  return (
    <BulkConfirm
      one="developer"
      came="Registered"
      kind={`${act}_developers`}
      title={title}
      note={note}
      selection={selection}
      ids={rows.map(idOf)}
      whyLeft="they are so already"
      input={input}
      written={[keys, reason]}
      onStarted={onStarted}
      onClose={onClose}
    >
      <KeysChoice
        legend="Their keys"
        choices={offered}
        keys={keys}
        onChoose={(choice) => {
          setKeys(choice);
          setErrors({});
        }}
      />
      {errors["keys"] && <p class="notice is-bad" role="alert">{errors["keys"]}</p>}
      <TextField
        label="Reason"
        hint="Kept with the job and in the audit log: no secrets."
        maxLength={500}
        value={reason}
        onInput={setReason}
      />
    </BulkConfirm>
  );
}

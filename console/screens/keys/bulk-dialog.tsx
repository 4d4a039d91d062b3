import { useState } from "preact/hooks";
import { BulkConfirm, type BulkKind, useCounted } from "../../parts/bulk-confirm.tsx";
import type { BulkSelection } from "../../parts/bulk-selection.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { can, type Key, keyOf } from "../../parts/keys/key.ts";
import { PlanChoice } from "../../parts/keys/plan-choice.tsx";
import { IN_ZONE } from "../../parts/zone.ts";

/** An action on many keys at once. */
export type BulkAct = "suspend" | "resume" | "revoke" | "rotate" | "plans" | "end" | "tags";

const words: Readonly<
  Record<BulkAct, { title: string; note: string; fits: (key: Key) => boolean }>
> = {
  suspend: {
    title: "Suspend",
    note:
      "Within a second they are valid for nothing, until they are resumed. The job can be taken back.",
    fits: can.suspend,
  },
  resume: {
    title: "Resume",
    note: "They are valid for their plans again. The job can be taken back.",
    fits: can.resume,
  },
  revoke: {
    title: "Revoke",
    note: "This can't be undone: they are no longer valid, and can’t be restored.",
    fits: can.revoke,
  },
  rotate: {
    title: "Rotate",
    note:
      "This can't be undone: each developer gets a fresh key by a one-time link, which opens once; the old one expires when its time is over. You see no key.",
    fits: can.rotate,
  },
  plans: {
    title: "Change plans of",
    note: "What they are valid for follows within a second. The job can be taken back.",
    fits: can.change,
  },
  end: {
    title: "Change the expiry of",
    note: "An expired key is valid again with a later expiry. The job can be taken back.",
    fits: can.change,
  },
  tags: {
    title: "Tag",
    note: "What they are valid for stays as it is. The job can be taken back.",
    fits: () => true,
  },
};

const ways = {
  plans: [
    { value: "add_key_plans", text: "Besides those that each has" },
    { value: "set_key_plans", text: "In place of those that each has" },
  ],
  end: [
    { value: "set_key_end", text: "At a time" },
    { value: "clear_key_end", text: "Never" },
    { value: "follow_plan_life", text: "As their plans say, counted from their grant" },
  ],
  tags: [
    { value: "tag_keys", text: "Add these" },
    { value: "untag_keys", text: "Remove these" },
  ],
} as const;

/** Changes any number of keys in one job. */
export default function BulkKeysDialog({ act, selection, onStarted, onClose }: {
  act: BulkAct;
  selection: BulkSelection<Key>;
  onStarted: (id: string) => void;
  onClose: () => void;
}) {
  const { title, note, fits } = words[act];
  const choices = act === "plans" || act === "end" || act === "tags" ? ways[act] : undefined;
  const [way, setWay] = useState<string>(choices?.[0].value ?? `${act}_keys`);
  // as: each of them is the name of a kind.
  const kind = way as BulkKind;
  const [reason, setReason] = useState("");
  const [plans, setPlans] = useState<string[]>([]);
  const [end, setEnd] = useState("");
  const [tags, setTags] = useState("");
  const [overlap, setOverlap] = useState("86400");
  const [deliver, setDeliver] = useState<"links" | "mail">("links");
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const mailsLinks = useCounted(kind, selection)?.mails_links;

  /** The input of the action; undefined: a field says what it lacks. */
  const input = () => {
    setErrors({});
    const lacks = (field: string, text: string) => {
      setErrors({ [field]: text });
      return undefined;
    };
    switch (act) {
      case "suspend":
      case "resume":
      case "revoke":
        return reason.trim() === ""
          ? lacks("reason", "Say why: it is shown with each key and in the audit log.")
          : { reason: reason.trim() };
      case "rotate":
        return { overlap_seconds: Number(overlap), deliver };
      case "plans":
        return plans.length === 0 ? lacks("plans", "Choose a plan.") : { plans };
      case "end": {
        if (way === "clear_key_end" || way === "follow_plan_life") return {};
        const at = new Date(end);
        return at.getTime() > Date.now()
          ? { expires_at: at.toISOString() }
          : lacks("end", "Choose a time to come. To stop them now, revoke them.");
      }
      case "tags": {
        const all = tags.split(",").map((tag) => tag.trim()).filter((tag) => tag !== "");
        return all.length === 0 ? lacks("tags", "Write a tag.") : { tags: all };
      }
    }
  };
  return (
    <BulkConfirm
      one="key"
      came="Issued"
      kind={kind}
      title={title}
      action={act === "plans" || act === "end" ? "Change" : title}
      note={note}
      selection={selection}
      ids={selection.rows.filter(fits).map(keyOf)}
      whyLeft="it can't be done"
      input={input}
      written={[reason, plans, end, tags, overlap, deliver]}
      onStarted={onStarted}
      onClose={onClose}
    >
      {choices && (
        <SelectField
          label={act === "end" ? "They expire" : act === "plans" ? "These plans" : "Tags"}
          value={way}
          options={choices}
          onChange={setWay}
        />
      )}
      {(act === "suspend" || act === "resume" || act === "revoke") && (
        <TextField
          label="Reason"
          hint="Everybody who sees the keys sees it: no secrets."
          error={errors["reason"]}
          maxLength={500}
          value={reason}
          autoFocus
          onInput={setReason}
        />
      )}
      {act === "rotate" && (
        <>
          <SelectField
            label="The old keys live on for"
            value={overlap}
            options={[
              { value: "86400", text: "1 day" },
              { value: "604800", text: "7 days" },
              { value: "2592000", text: "30 days" },
              { value: "3600", text: "1 hour" },
              { value: "0", text: "Not at all: they expire now" },
            ]}
            onChange={setOverlap}
          />
          <SelectField
            label="One-time links"
            hint={deliver === "mail"
              ? "Each developer is mailed theirs. A key that came without a request stays as it is."
              : "You take them as a file, once, when the job is finished."}
            value={deliver}
            options={[
              { value: "links", text: "As a file for me" },
              ...mailsLinks === false ? [] : [{ value: "mail", text: "By mail to each developer" }],
            ]}
            onChange={(how) => setDeliver(how === "mail" ? "mail" : "links")}
          />
        </>
      )}
      {act === "plans" && (
        <PlanChoice
          chosen={plans}
          authTypes={["authToken", "", "basic", "oauth"]}
          error={errors["plans"] ?? ""}
          onChange={setPlans}
        />
      )}
      {way === "set_key_end" && (
        <TextField
          label="Expires"
          hint={IN_ZONE}
          type="datetime-local"
          error={errors["end"]}
          value={end}
          onInput={setEnd}
        />
      )}
      {act === "tags" && (
        <TextField
          label="Which tags"
          hint="With commas between."
          error={errors["tags"]}
          value={tags}
          onInput={setTags}
        />
      )}
    </BulkConfirm>
  );
}

import { useMemo, useState } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { dismissLeak, restoreKey, resumeKey, revokeKey, suspendKey } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Confirm } from "../confirm.tsx";
import { SelectField, TextField } from "../fields.tsx";
import { toast, toastFailure } from "../toasts.tsx";
import { say } from "../../said.ts";
import { typed, useField } from "../use-field.ts";
import { type Key, ownerOf } from "./key.ts";

const changes = {
  suspend: {
    endpoint: suspendKey,
    title: "Suspend this key?",
    note: "Within a second it is valid for nothing, until it is resumed.",
    action: "Suspend",
    done: "Suspended. It is valid for nothing.",
    hint: "Such as: unusual traffic. The developer may get it by mail.",
  },
  resume: {
    endpoint: resumeKey,
    title: "Resume this key?",
    note: "It is valid for its plans again.",
    action: "Resume",
    done: "Resumed. It is valid for its plans again.",
    hint: "Such as: the developer answered.",
  },
  revoke: {
    endpoint: revokeKey,
    title: "Revoke this key for good?",
    note: "It is no longer valid, and can’t be restored.",
    action: "Revoke for good",
    done: "Revoked for good.",
    hint: "Such as: found in a public repository.",
  },
  restore: {
    endpoint: restoreKey,
    title: "Bring this key back?",
    note: "It is again what it was, and is valid for its plans unless it was suspended.",
    action: "Restore",
    done: "Restored.",
    hint: "Such as: revoked by mistake.",
  },
  dismiss: {
    endpoint: dismissLeak,
    title: "Has this key not leaked?",
    note: "Its mark goes, in this list and on Home. The key stays what it is.",
    action: "It has not leaked",
    done: "The mark is gone. A report that comes again marks it anew.",
    hint: "Such as: the example key of our documentation.",
  },
} as const;

const spans = [
  { value: "", text: "Until it is resumed" },
  { value: "15", text: "15 minutes" },
  { value: "60", text: "An hour" },
  { value: "240", text: "4 hours" },
  { value: "1440", text: "A day" },
];

/** The words of a revocation for a person who may not approve. */
const shut = {
  ...changes.revoke,
  title: "Revoke this key?",
  note: "It is no longer valid. Within 7 days a person who may approve can restore it.",
  action: "Revoke",
  done: "Revoked.",
};

/**
 * Suspends, resumes, revokes or brings back a key, or says that it has not leaked; with the reason.
 */
export function StateDialog({ of: key, change, onChanged, onClose }: {
  of: Key;
  change: keyof typeof changes;
  onChanged: (key: Key) => void;
  onClose: () => void;
}) {
  const words = change === "revoke" && !may("approve") ? shut : changes[change];
  const { endpoint, title, note, action, done, hint } = words;
  const reason = useField("");
  const [minutes, setMinutes] = useState("");
  const headers = useMemo(decisionKey, [reason.value, minutes]);
  return (
    <Confirm
      title={title}
      note={
        <>
          <code>{key.mask}</code> of {ownerOf(key)}. {note}
        </>
      }
      action={action}
      danger={change === "revoke"}
      onClose={onClose}
      onConfirm={async () => {
        if (reason.value.trim() === "") {
          return reason.refuse("Say why: it is shown with the key and in the audit log.");
        }
        const body = {
          reason: reason.value.trim(),
          ...change === "suspend" && minutes !== "" ? { minutes: Number(minutes) } : {},
        };
        onChanged(await api.call(endpoint, { params: { key_id: key.key_id }, body, headers }));
        // Home counts leaked keys, and so does the side bar.
        void queries.invalidateQueries({ queryKey: ["certificates", "expiries"] });
        void queries.invalidateQueries({ queryKey: ["key-schedules", key.key_id] });
        toast({
          text: done,
          actions: change === "suspend" ? [{ label: "Undo", run: () => undo(key, onChanged) }] : [],
        });
      }}
    >
      <TextField
        label="Reason"
        hint={say`${hint} Everybody who sees the key sees it: no secrets.`}
        maxLength={500}
        autoFocus
        {...typed(reason)}
      />
      {change === "suspend" && (
        <SelectField
          label="For how long"
          hint="After a while it is resumed by itself. Until then you see the calls made with it."
          value={minutes}
          options={spans}
          onChange={setMinutes}
        />
      )}
    </Confirm>
  );
}

async function undo(key: Key, onChanged: (key: Key) => void): Promise<void> {
  const body = { reason: "Suspended by mistake" };
  const call = { params: { key_id: key.key_id }, body, headers: decisionKey() };
  await api.call(resumeKey, call).then((now) => {
    onChanged(now);
    toast({ text: changes.resume.done });
  }).catch(toastFailure);
}

import { useState } from "preact/hooks";
import { BulkConfirm, type BulkKind } from "../../parts/bulk-confirm.tsx";
import type { BulkSelection } from "../../parts/bulk-selection.tsx";
import { TextField } from "../../parts/fields.tsx";
import { type CertificateRow, keyOf } from "./certificate.ts";
import { IN_ZONE } from "../../parts/zone.ts";

/** An action on many certificates at once. */
export type BulkAct = "owner" | "no_owner" | "mute" | "unmute";

const kinds: Readonly<Record<BulkAct, BulkKind>> = {
  owner: "set_certificate_owner",
  no_owner: "clear_certificate_owner",
  mute: "mute_certificates",
  unmute: "unmute_certificates",
};

const words: Readonly<Record<BulkAct, { title: string; action: string; note: string }>> = {
  owner: {
    title: "Set the owner of",
    action: "Set",
    note: "Their tags stay. The job can be taken back.",
  },
  no_owner: {
    title: "Remove the owner of",
    action: "Remove",
    note: "Their tags stay. The job can be taken back.",
  },
  mute: {
    title: "Mute",
    action: "Mute",
    note: "No alert about them is sent until then. The job can be taken back.",
  },
  unmute: {
    title: "Unmute",
    action: "Unmute",
    note: "Alerts about them are sent again. The job can be taken back.",
  },
};

/** Changes any number of certificates in one job. */
export default function BulkCertificatesDialog({ act, selection, onStarted, onClose }: {
  act: BulkAct;
  selection: BulkSelection<CertificateRow>;
  onStarted: (id: string) => void;
  onClose: () => void;
}) {
  const { title, action, note } = words[act];
  const [owner, setOwner] = useState("");
  const [until, setUntil] = useState("");
  const [reason, setReason] = useState("");
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});

  /** The input of the action; undefined: a field says what it lacks. */
  const input = () => {
    setErrors({});
    if (act === "owner") {
      if (owner.trim() === "") setErrors({ owner: "Name an owner." });
      return owner.trim() === "" ? undefined : { owner: owner.trim() };
    }
    if (act !== "mute") return {};
    const end = new Date(until);
    if (!(end.getTime() > Date.now())) {
      setErrors({ until: "Choose a time to come." });
      return undefined;
    }
    if (reason.trim() === "") {
      setErrors({ reason: "Say why: it is shown with each certificate." });
      return undefined;
    }
    return { until: end.toISOString(), reason: reason.trim() };
  };
  return (
    <BulkConfirm
      one="certificate"
      came="Added"
      kind={kinds[act]}
      title={title}
      action={action}
      note={note}
      selection={selection}
      ids={selection.rows.map(keyOf)}
      whyLeft=""
      input={input}
      written={[owner, until, reason]}
      onStarted={onStarted}
      onClose={onClose}
    >
      {act === "owner" && (
        <TextField
          label="Owner"
          hint="The owner's e-mail address."
          type="email"
          error={errors["owner"]}
          value={owner}
          autoFocus
          onInput={setOwner}
        />
      )}
      {act === "mute" && (
        <>
          <TextField
            label="Until"
            hint={IN_ZONE}
            type="datetime-local"
            error={errors["until"]}
            value={until}
            onInput={setUntil}
          />
          <TextField
            label="Reason"
            hint="Everybody who sees the certificates sees it: no secrets."
            error={errors["reason"]}
            maxLength={500}
            value={reason}
            onInput={setReason}
          />
        </>
      )}
    </BulkConfirm>
  );
}

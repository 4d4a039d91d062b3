import { useMemo, useState } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { countSelection, startJob } from "../../api/job-endpoints.ts";
import { forgetJobs, type JobKind } from "../../api/jobs.ts";
import { grouped } from "../../api/numbers.ts";
import { useQuery } from "../../api/queries.ts";
import type { BulkSelection } from "../../parts/bulk-selection.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { TextField } from "../../parts/fields.tsx";
import { SelectedWords } from "../../parts/job-selected.tsx";
import { exactTime } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { type CertificateRow, keyOf } from "./certificate.ts";

/** What is done to many certificates at once. */
export type BulkAct = "owner" | "no_owner" | "mute" | "unmute";

const kinds: Readonly<Record<BulkAct, Exclude<JobKind, "undo">>> = {
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
    title: "Take away the owner of",
    action: "Take away",
    note: "Their tags stay. The job can be taken back.",
  },
  mute: {
    title: "Mute",
    action: "Mute",
    note: "Nobody is told of their ends until then. The job can be taken back.",
  },
  unmute: {
    title: "Unmute",
    action: "Unmute",
    note: "People are told of their ends again. The job can be taken back.",
  },
};

/** So many are changed without that their number is typed. */
const FEW = 50;

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
  const [typed, setTyped] = useState("");
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const kind = kinds[act];
  const { matching, rows } = selection;
  // Of all that match, those to which it can be done, at the same moment.
  const counted = useQuery({
    queryKey: ["jobs", "selection", kind, JSON.stringify(matching?.filter)],
    enabled: matching !== undefined,
    queryFn: () => api.call(countSelection, { query: { ...matching?.filter, kind } }),
  }).data;
  const count = matching ? counted?.total ?? 0 : rows.length;
  const isWhole = !matching || counted?.complete !== false;
  const isTyped = count > FEW || !isWhole;
  const headers = useMemo(decisionKey, [kind, owner, until, reason]);

  /** What is told of the kind; undefined: a field says what it lacks. */
  const told = () => {
    if (act === "owner") {
      if (owner.trim() === "") setErrors({ owner: "Say who cares for them." });
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
  const start = async () => {
    const said = told();
    if (!said) return false;
    if (isTyped && typed.replaceAll(/\D/g, "") !== String(count)) {
      setErrors({ typed: `Type ${count} to go on.` });
      return false;
    }
    if (count === 0) return false;
    const what = matching
      ? { filter: matching.filter, ...isWhole ? { at_most: count } : {} }
      : { ids: rows.map(keyOf) };
    const { id } = await api.call(startJob, { headers, body: { kind, ...what, ...said } });
    forgetJobs();
    onStarted(id);
  };
  const heading = say`${title} ${grouped(count)}${isWhole ? "" : " or more"} ${
    count === 1 ? "certificate" : "certificates"
  }?`;
  return (
    <Confirm
      title={matching && !counted ? "Counting…" : heading}
      note={note}
      action={say`${action} ${grouped(count)}`}
      danger={false}
      onConfirm={start}
      onClose={onClose}
    >
      {matching && (
        <div class="boxed">
          <Facts>
            <Fact name="Selected">
              <SelectedWords of="certificates" filter={matching.filter} />
            </Fact>
            <Fact name="Added">
              until {exactTime(matching.filter.asked_before ?? "")}. Newer ones stay out.
            </Fact>
          </Facts>
        </div>
      )}
      {act === "owner" && (
        <TextField
          label="Owner"
          hint="The e-mail address of who cares for them."
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
            hint="In your own time zone."
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
      {isTyped && (
        <TextField
          label={`Type ${count} to go on`}
          value={typed}
          error={errors["typed"]}
          autocomplete="off"
          onInput={(text) => {
            setTyped(text);
            setErrors({});
          }}
        />
      )}
    </Confirm>
  );
}

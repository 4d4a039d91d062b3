import { useMemo, useState } from "preact/hooks";
import { api, decisionKey } from "../../api/client.ts";
import { startJob } from "../../api/job-endpoints.ts";
import { forgetJobs, type JobKind } from "../../api/jobs.ts";
import { grouped } from "../../api/numbers.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { exactTime } from "../../parts/time.tsx";
import { PlanLines } from "../../parts/plan-lines.tsx";
import { UnknownPlans } from "../../parts/unknown-plans.tsx";
import { say } from "../../said.ts";
import { useBulkTerms } from "./bulk-terms.tsx";
import { SelectedWords } from "../../parts/job-selected.tsx";
import { ReasonField } from "./reason-field.tsx";
import type { RequestRow } from "./request.ts";
import type { Matching } from "../../parts/bulk-selection.tsx";

/** So many are decided without that their number is typed. */
const FEW = 50;

/** Decides any number of requests in one job; of many the number is typed first. */
export function BulkJobDialog({ kind, requests, matching, onStarted, onClose }: {
  kind: Extract<JobKind, "approve" | "decline">;
  /** Those that are selected, where not all that match are. */
  requests: readonly RequestRow[];
  matching: Matching | undefined;
  onStarted: (id: string) => void;
  onClose: () => void;
}) {
  const [deliver, setDeliver] = useState(matching?.mails_links ? "mail" : "links");
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const terms = useBulkTerms();
  const headers = useMemo(decisionKey, [terms.text]);
  const count = matching?.total ?? requests.length;
  const isTyped = count > FEW || matching?.complete === false;
  const word = kind === "approve" ? "Approve" : "Decline";
  const start = async () => {
    if (isTyped && typed.replaceAll(/\D/g, "") !== String(count)) {
      setError(`Type ${count} to go on.`);
      return false;
    }
    const said = kind === "approve" ? terms.sent() : { reason: reason || undefined };
    if (!said) return false;
    try {
      const { id } = await api.call(startJob, {
        headers,
        body: {
          kind,
          ...matching
            ? {
              filter: matching.filter,
              ...matching.complete && count > 0 ? { at_most: count } : {},
            }
            : { seen: requests.map(({ id, revision }) => ({ id, revision })) },
          ...kind === "approve" ? { deliver: deliver === "mail" ? "mail" : "links" } : {},
          ...said,
        },
      });
      forgetJobs();
      onStarted(id);
    } catch (error) {
      terms.refused(error);
      return false;
    }
  };
  return (
    <Confirm
      title={say`${word} ${grouped(count)}${
        matching?.complete === false ? " or more" : ""
      } requests?`}
      note={kind === "approve"
        ? "Each developer gets a live key of their own, by a one-time link; where others must approve too, it is your step. It runs as one job; you can stop it."
        : "It runs as one job; you can stop it, and reopen them afterwards."}
      action={say`${word} ${grouped(count)}`}
      danger={kind === "decline"}
      onConfirm={start}
      onClose={onClose}
    >
      {matching && (
        <div class="boxed">
          <Facts>
            <Fact name="Selected">
              Pending <SelectedWords of="key_requests" filter={matching.filter} />
            </Fact>
            <Fact name="Asked">
              until {exactTime(matching.filter.created_before ?? "")}. Newer ones stay out.
            </Fact>
          </Facts>
        </div>
      )}
      {kind === "approve" && <PlansOfAll requests={requests} all={count} />}
      {!matching && kind === "approve" && (
        <UnknownPlans
          asked
          of={requests.flatMap(({ planIds }) => planIds)}
        />
      )}
      {kind === "approve" && (
        <SelectField
          label="One-time links"
          hint={deliver === "mail"
            ? "Each developer is mailed theirs."
            : "You take them as a file, once, when the job is finished."}
          value={deliver}
          options={[
            { value: "links", text: "As a file for me" },
            ...matching?.mails_links === false
              ? []
              : [{ value: "mail", text: "By mail to each developer" }],
          ]}
          onChange={setDeliver}
        />
      )}
      {kind === "approve"
        ? terms.fields
        : <ReasonField label="Reason for all (optional)" value={reason} onInput={setReason} />}
      {isTyped && (
        <TextField
          label={`Type ${count} to go on`}
          value={typed}
          error={error}
          autocomplete="off"
          autoFocus
          onInput={(text) => {
            setTyped(text);
            setError(undefined);
          }}
        />
      )}
    </Confirm>
  );
}

/** The plans that these ask for, and how many of them each; `all`: how many there are in all. */
function PlansOfAll({ requests, all }: { requests: readonly RequestRow[]; all: number }) {
  const counts = new Map<string, number>();
  for (const id of requests.flatMap(({ planIds }) => planIds)) {
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const notes = new Map(
    [...counts].map(([id, n]) => [id, n === 1 ? "1 request" : `${n} requests`]),
  );
  return (
    <div class="boxed">
      <PlanLines of={[...counts.keys()]} notes={notes} />
      {requests.length < all && (
        <p class="field-hint">
          {say`Of the ${requests.length} that are loaded; the others may ask for other plans.`}
        </p>
      )}
    </div>
  );
}

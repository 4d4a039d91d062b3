import { useMemo, useState } from "preact/hooks";
import { decisionKey } from "../../api/client.ts";
import { type Decided, decideSeen, whyNot } from "../../api/small-jobs.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CopyField } from "../../parts/copy.tsx";
import { useMailedLinks } from "../../parts/mailed-links.ts";
import { PlanLines } from "../../parts/plan-lines.tsx";
import { RevealedSecret } from "../../parts/revealed-secret.tsx";
import { absolute } from "../../parts/one-time-link.ts";
import { saveText } from "../../parts/save-text.ts";
import { UnknownPlans } from "../../parts/unknown-plans.tsx";
import { say } from "../../said.ts";
import { useBulkTerms } from "./bulk-terms.tsx";
import type { RequestRow } from "./request.ts";
import { useTitles } from "./use-titles.ts";

/**
 * Approves several after one question. It hands out one-time links: copying twenty keys by hand is
 * no work for people.
 */
export function BulkApproveDialog({ requests, onDecided, onStale, onDone, onClose }: {
  /** As they were looked at: one that has changed since is not approved. */
  requests: readonly RequestRow[];
  /** Called with those that were approved. */
  onDecided: (ids: readonly string[]) => void;
  /** Called with those that were not: they may have changed since they were shown. */
  onStale: (ids: readonly string[]) => void;
  onDone: () => void;
  onClose: () => void;
}) {
  const [results, setResults] = useState<readonly Decided[]>();
  const terms = useBulkTerms();
  const headers = useMemo(decisionKey, [terms.text]);
  const mailed = useMailedLinks(requests.map(({ id }) => id));
  if (results) {
    return <Results requests={requests} results={results} mailed={mailed} onDone={onDone} />;
  }
  const unmailed = requests.length - mailed.size;
  return (
    <Confirm
      title={`Approve ${requests.length} requests?`}
      note={say`Each gets a live key by a one-time link, which the developer opens once. ${
        unmailed === 0
          ? "Each is mailed theirs."
          : mailed.size === 0
          ? "You receive them all."
          : say`${String(mailed.size)} are mailed theirs; you receive the others.`
      }`}
      action={`Approve ${requests.length}`}
      onClose={onClose}
      onConfirm={async () => {
        const said = terms.sent();
        if (!said) return false;
        try {
          const all = await decideSeen(requests, { kind: "approve", ...said }, headers);
          onDecided(all.filter((one) => !whyNot(one)).map(({ id }) => id));
          onStale(all.filter(whyNot).map(({ id }) => id));
          setResults(all);
        } catch (error) {
          terms.refused(error);
        }
        return false;
      }}
    >
      <ul class="names" tabIndex={0} aria-label="Requests">
        {requests.map((request) => (
          <li key={request.id}>
            <span>{request.developer}</span>
            <PlanLines of={request.planIds} entry={request.entry} />
          </li>
        ))}
      </ul>
      {terms.fields}
      <UnknownPlans asked of={requests.flatMap(({ planIds }) => planIds)} />
    </Confirm>
  );
}

function Results({ requests, results, mailed, onDone }: {
  requests: readonly RequestRow[];
  results: readonly Decided[];
  /** By request, the address to which its link is mailed. */
  mailed: ReadonlyMap<string, string>;
  onDone: () => void;
}) {
  const of = (id: string) => requests.find((request) => request.id === id);
  const titleOf = useTitles();
  const title = (request: RequestRow | undefined) => request ? titleOf(request) : "";
  const made = results.flatMap(({ id, one_time_link }) =>
    one_time_link ? [{ id, request: of(id), one_time_link }] : []
  );
  const linked = made.filter(({ id }) => !mailed.has(id));
  const all = linked.map(({ request, one_time_link }) =>
    `${request?.email || request?.developer}\t${title(request)}\t${absolute(one_time_link.link)}`
  ).join("\n");
  const failed = results.filter(whyNot);
  const approved = results.length - failed.length;
  const mailedTo = made.length - linked.length;
  return (
    <RevealedSecret
      title={failed.length === 0
        ? `${approved} approved`
        : `${approved} of ${results.length} approved`}
      note={linked.length === 0
        ? mailedTo > 0
          ? "Each is mailed the one-time link. You have nothing to send."
          : "You have nothing to hand over."
        : mailedTo > 0
        ? say`${String(mailedTo)} are mailed theirs. Send these to their developers.`
        : "A one-time link for each, to be sent to its developer."}
      first={linked.length > 1 && (
        <>
          <CopyField label={say`All ${String(linked.length)}, a line each`} text={all} />
          <p class="reveal-file">
            <Button onClick={() => saveText(`${all}\n`, "one-time-links.txt")}>
              Download all as a file
            </Button>
          </p>
        </>
      )}
      parts={linked.map(({ request, one_time_link }) => ({
        label: say`${request?.developer} · ${title(request)}`,
        value: absolute(one_time_link.link),
      }))}
      isSent={linked.length === 0}
      stored={linked.length > 0 &&
        "Shown once. Each link opens its key once; only hashes are stored. Send each to its developer alone."}
      confirm="I have passed these links on"
      onDone={onDone}
    >
      {failed.length > 0 && (
        <ul class="notice is-bad names">
          {failed.map((one) => (
            <li key={one.id}>
              <b>{of(one.id)?.developer ?? one.id}</b> {whyNot(one)}
            </li>
          ))}
        </ul>
      )}
    </RevealedSecret>
  );
}

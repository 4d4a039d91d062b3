import { useMemo, useState } from "preact/hooks";
import type { z } from "zod";
import type { approvals } from "../../../src/features/key-requests/v1.contract.ts";
import { api, decisionKey } from "../../api/client.ts";
import { approveKeyRequests } from "../../api/endpoints.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { useKeyEnd } from "../../parts/key-end.tsx";
import { RevealedSecret } from "../../parts/revealed-secret.tsx";
import { absolute } from "../../parts/claim-link.ts";
import { UnknownPlans } from "../../parts/unknown-plans.tsx";
import { say } from "../../said.ts";
import type { RequestRow } from "./request.ts";
import { useTitles } from "./use-titles.ts";

type Results = z.output<typeof approvals>["data"];

/** Approves several after one question. What it hands out are claim links: nobody copies twenty keys by hand. */
export function BulkApproveDialog({ requests, onDecided, onStale, onDone, onClose }: {
  /** As they were looked at: one that has changed since is not approved. */
  requests: readonly RequestRow[];
  /** Told which of them were approved. */
  onDecided: (ids: readonly string[]) => void;
  /** Told which of them were not: they may no longer be what one looked at. */
  onStale: (ids: readonly string[]) => void;
  onDone: () => void;
  onClose: () => void;
}) {
  const [results, setResults] = useState<Results>();
  const end = useKeyEnd();
  const headers = useMemo(decisionKey, [end.text]);
  const titleOf = useTitles();
  if (results) return <Results requests={requests} results={results} onDone={onDone} />;
  return (
    <Confirm
      title={`Approve ${requests.length} requests?`}
      note="Each gets a live credential. You receive a claim link for each, which the developer opens once."
      action={`Approve ${requests.length}`}
      onClose={onClose}
      onConfirm={async () => {
        const ends = end.sent();
        if (!ends) return false;
        const { data } = await api.call(approveKeyRequests, {
          body: { requests: requests.map(({ id, revision }) => ({ id, revision })), ...ends },
          headers,
        });
        onDecided(data.filter(({ approved }) => approved).map(({ id }) => id));
        onStale(data.filter(({ approved }) => !approved).map(({ id }) => id));
        setResults(data);
        return false;
      }}
    >
      <ul class="names" tabIndex={0} aria-label="Requests">
        {requests.map((request) => (
          <li key={request.id}>
            <span>{request.developer}</span>
            <span class="muted">{titleOf(request)}</span>
          </li>
        ))}
      </ul>
      {end.field}
      <UnknownPlans of={requests.map(({ planId }) => planId)} />
    </Confirm>
  );
}

function Results({ requests, results, onDone }: {
  requests: readonly RequestRow[];
  results: Results;
  onDone: () => void;
}) {
  const of = (id: string) => requests.find((request) => request.id === id);
  const titleOf = useTitles();
  const title = (request: RequestRow | undefined) => request ? titleOf(request) : "";
  const linked = results.flatMap(({ id, claim }) => claim ? [{ request: of(id), claim }] : []);
  const all = linked.map(({ request, claim }) =>
    `${request?.email || request?.developer}\t${title(request)}\t${absolute(claim.link)}`
  ).join("\n");
  const failed = results.filter(({ approved }) => !approved);
  const approved = results.length - failed.length;
  return (
    <RevealedSecret
      title={failed.length === 0
        ? `${approved} approved`
        : `${approved} of ${results.length} approved`}
      note={linked.length > 0
        ? "A claim link for each, to be sent to its developer."
        : "There is nothing to hand over."}
      parts={[
        ...linked.map(({ request, claim }) => ({
          label: say`${request?.developer} · ${title(request)}`,
          value: absolute(claim.link),
        })),
        ...linked.length > 1 ? [{ label: "All of them, a line each", value: all }] : [],
      ]}
      stored="Shown once. Each link opens its key once; only hashes are stored. Send each to its developer alone."
      confirm="I have passed these links on"
      onDone={onDone}
    >
      {failed.length > 0 && (
        <ul class="notice is-bad names">
          {failed.map(({ id, error }) => (
            <li key={id}>
              <b>{of(id)?.developer ?? id}</b> {error?.detail}
            </li>
          ))}
        </ul>
      )}
    </RevealedSecret>
  );
}

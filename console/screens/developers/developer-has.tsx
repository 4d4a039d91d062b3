import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { listKeyRequests, listKeys } from "../../api/endpoints.ts";
import { askedPlans, titleOf, usePlans } from "../../api/plans.ts";
import { useCall } from "../../api/queries.ts";
import { Pill, type Tone } from "../../parts/pill.tsx";
import { Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { KeyPill } from "../../parts/keys/key-pill.tsx";
import { countOf, type DeveloperDetail } from "./developer.ts";

const SHOWN = 10;

const requestStates: Readonly<Record<string, { tone: Tone; text: string }>> = {
  pending: { tone: "waiting", text: "Pending" },
  issued: { tone: "good", text: "Approved" },
  declined: { tone: "bad", text: "Declined" },
};

/** Their newest keys. */
export function TheirKeys({ developer: { id, keys } }: { developer: DeveloperDetail }) {
  const plans = usePlans();
  const read = useCall(["keys", "of", id, SHOWN], listKeys, {
    query: { developer: id, limit: SHOWN },
  }, { gcTime: 30_000 });
  return (
    <Few
      title={`Keys (${countOf(keys)})`}
      none="No key yet: approve one of their requests."
      read={read}
      all={`/keys?developer=${encodeURIComponent(id)}`}
    >
      {read.data?.data.map((key) => (
        <li key={key.key_id}>
          <Link class="text-link" href={`/keys/${encodeURIComponent(key.key_id)}`}>
            {key.name || <code>{key.mask}</code>}
          </Link>
          <span class="mini-name">
            {titleOf("", key.plans, plans)}
          </span>
          <KeyPill of={key} />
        </li>
      ))}
    </Few>
  );
}

/** Their newest requests. */
export function TheirRequests({ developer: { id, requests } }: { developer: DeveloperDetail }) {
  const plans = usePlans();
  const read = useCall(["key-requests", "of", id, SHOWN], listKeyRequests, {
    query: { developer: id, limit: SHOWN },
  }, { gcTime: 30_000 });
  return (
    <Few
      title={`Requests (${countOf(requests)})`}
      none="They have requested nothing yet."
      read={read}
      all={`/requests?state=all&q=${encodeURIComponent(id)}`}
    >
      {read.data?.data.map((request) => (
        <li key={request.id}>
          <Link
            class="text-link"
            href={`/requests/${encodeURIComponent(request.id)}?state=all`}
          >
            {titleOf(request.catalogue_entry.name, askedPlans(request), plans)}
            <span class="unseen">…{request.id.slice(-6)}</span>
          </Link>
          <span class="mini-name">
            <Time at={request.date_created} />
          </span>
          <Pill tone={requestStates[request.state]?.tone ?? "quiet"}>
            {requestStates[request.state]?.text}
          </Pill>
        </li>
      ))}
    </Few>
  );
}

function Few({ title, none, read, all, children }: {
  title: string;
  none: string;
  read: {
    data: { data: readonly unknown[]; next_cursor: string | null } | undefined;
    error: Error | null;
    refetch: () => unknown;
  };
  /** The link to all of them. */
  all: string;
  children: ComponentChildren;
}) {
  const { data, error, refetch } = read;
  return (
    <>
      <h3 class="group-title">{title}</h3>
      {data === undefined && <Unread of={{ error, refetch }} lines={2} />}
      {data?.data.length === 0 && <p class="muted">{none}</p>}
      <ul class="mini-list">{children}</ul>
      {data?.next_cursor != null && <Link class="text-link" href={all}>Show all</Link>}
    </>
  );
}

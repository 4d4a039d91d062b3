import { Link } from "wouter-preact";
import { listDeniedCalls } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { listed } from "../../said.ts";
import { Unread } from "../states.tsx";
import { Time } from "../time.tsx";
import { reasonTitles } from "./reason-titles.ts";
import { calledKey, type DeniedCall, sentenceOf } from "./words.ts";

/** The object of the denied calls: one of these. */
export interface DeniedOf {
  key?: string;
  plan?: string;
  api?: string;
  developer?: string;
}

const SHOWN = 10;
/** A denied call is shown two seconds after it at the latest. */
const EVERY_MS = 1000;

/** The newest denied calls of one thing, with the way to all of them. */
export default function DeniedCallsPanel({ of }: { of: DeniedOf }) {
  const { data, error, refetch } = useCall(["denied-calls", JSON.stringify(of)], listDeniedCalls, {
    query: { ...of, limit: SHOWN },
  }, { gcTime: 30_000, refetchInterval: EVERY_MS });
  if (!data) return <Unread of={{ error, refetch }} lines={2} />;
  if (data.data.length === 0) return <p class="muted">No call was denied in the last 30 days.</p>;
  return (
    <>
      <ol class="history">
        {data.data.map((one) => (
          <li key={one.id}>
            <span>
              {reasonTitles[one.reason]}
              <span class="line-2 history-detail">{detailOf(one, of)}</span>
            </span>
            <Time at={one.at} />
          </li>
        ))}
      </ol>
      <p>
        <Link class="text-link" href={`/logs?${new URLSearchParams({ ...of })}`}>
          All denied calls
        </Link>
      </p>
    </>
  );
}

/** Why, of which key unless that is known, and at which gateway. */
function detailOf(one: DeniedCall, { key }: DeniedOf): string {
  return listed(
    [sentenceOf(one), ...key === undefined ? [calledKey(one)] : [], one.gateway],
    " · ",
  );
}

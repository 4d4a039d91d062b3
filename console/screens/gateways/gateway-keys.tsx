import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { listKeysAtGateway } from "../../api/gateway-endpoints.ts";
import type { KeyThere, SyncedGateway } from "../../api/gateways.ts";
import { usePlans } from "../../api/plans.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { TryNow } from "../../parts/gateways/at-gateways.tsx";
import {
  mayHelp,
  MayOpen,
  reasonText,
  sinceWords,
  StatePill,
  triesText,
} from "../../parts/gateways/gateway-words.tsx";
import { Problem } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Time } from "../../parts/time.tsx";

const tabs = [
  { value: "stuck", text: "Stuck" },
  { value: "diverged", text: "Differ" },
  { value: "waiting", text: "Wait" },
  { value: "delivered", text: "Delivered" },
  { value: "gone", text: "Gone" },
] as const;

type State = typeof tabs[number]["value"];

const EVERY_MS = 3000;
/** Keys that are read at once. */
const MOST = 50;

/** The keys of a gateway by their states: the counts choose. What is wrong is shown first. */
export function GatewayKeys({ of: { id, counts, filling } }: { of: SyncedGateway }) {
  const worst = tabs.find(({ value }) => counts[value] > 0)?.value ?? "delivered";
  const [chosen, setChosen] = useState<State>();
  const state = chosen ?? worst;
  // Behind the last key of the pages before this one.
  const [behind, setBehind] = useState<readonly string[]>([]);
  const cursor = behind.at(-1);
  const { data, error, refetch } = useCall(
    ["gateways", id, "keys", state, cursor ?? ""],
    listKeysAtGateway,
    { params: { id }, query: { state, limit: MOST, cursor } },
    { refetchInterval: EVERY_MS, gcTime: 30_000 },
  );
  const next = data?.next_cursor ?? null;
  return (
    <>
      <h3 class="group-title">Keys at the gateway</h3>
      {filling && <p class="notice" role="status">All keys are being compared with it.</p>}
      <Tabs
        label="State of keys"
        value={state}
        tabs={tabs.map((one) => ({ ...one, count: counts[one.value] }))}
        onChange={(value) => {
          setChosen(value);
          setBehind([]);
        }}
      />
      {error !== null && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {data?.data.length === 0 && <p class="muted gateway-keys">No key is in this state.</p>}
      <ul class="cards gateway-keys">
        {data?.data.map((one) => (
          <li key={one.key_id} class="card">
            <KeyRow of={one} />
          </li>
        ))}
      </ul>
      {(behind.length > 0 || next !== null) && (
        <p class="gateway-acts">
          {behind.length > 0 && (
            <Button onClick={() => setBehind(behind.slice(0, -1))}>Those before</Button>
          )}
          {next !== null && <Button onClick={() => setBehind([...behind, next])}>The next</Button>}
        </p>
      )}
    </>
  );
}

function KeyRow({ of: one }: { of: KeyThere }) {
  const plans = usePlans();
  const { key_id, state, reason, since, tries } = one;
  const name = <code>…{key_id.slice(-12)}</code>;
  return (
    <>
      <div class="card-head">
        {may("portal:read")
          ? <Link class="text-link" href={`/keys/${encodeURIComponent(key_id)}`}>{name}</Link>
          : name}
        <StatePill state={state} />
      </div>
      {reason !== "" && <p>{reasonText(one, plans)}</p>}
      <MayOpen of={one} />
      <p class="muted">
        {sinceWords[state]} <Time at={since} />
        {triesText(tries)}
      </p>
      {mayHelp(one) && <TryNow of={one} />}
    </>
  );
}

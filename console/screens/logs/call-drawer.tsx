import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import { codeOf } from "../../api/client.ts";
import { getDeniedCall, getKey } from "../../api/endpoints.ts";
import { limitsOf, usePlans } from "../../api/plans.ts";
import { useCall } from "../../api/queries.ts";
import { reasonTitles } from "../../parts/denied-calls/reason-titles.ts";
import { calledKey, type DeniedCall, sentenceOf } from "../../parts/denied-calls/words.ts";
import { Drawer, Fact, Facts, UnreadDrawer } from "../../parts/drawer.tsx";
import { type Key, stateView } from "../../parts/keys/key.ts";
import { Pill } from "../../parts/pill.tsx";
import { Time } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import { adviceOf } from "./fix.ts";

/**
 * A denied call in full: the call, what its key is valid for, and the fix. `row` is what the list
 * knows of it, shown until it is read.
 */
export function CallDrawer({ id, row, onRead, fix, onClose }: {
  id: string;
  row: DeniedCall | undefined;
  onRead: (one: DeniedCall) => void;
  /** The button of the fix. */
  fix: (one: DeniedCall, isPrimary: boolean) => ComponentChildren;
  onClose: () => void;
}) {
  const read = useCall(["denied-calls", id], getDeniedCall, { params: { id } }, {
    gcTime: 30_000,
  });
  useEffect(() => {
    if (read.data) onRead(read.data);
  }, [read.data]);
  const one = row ?? read.data;
  const key = useCall(["keys", one?.key_id ?? ""], getKey, {
    params: { key_id: one?.key_id ?? "" },
  }, { gcTime: 30_000, enabled: one !== undefined && one.key_id !== null });
  if (!one) {
    return (
      <UnreadDrawer
        of={id}
        title="Denied call"
        read={read}
        gone={[
          "There is no such denied call",
          "It is no longer kept, or the link is wrong.",
        ]}
        onClose={onClose}
      />
    );
  }
  const isGone = key.error !== null && codeOf(key.error) === "not_found";
  return (
    <Drawer
      of={id}
      title={say`${reasonTitles[one.reason]}: ${calledKey(one)}`}
      onClose={onClose}
      footer={fix(one, true)}
    >
      <Call of={one} />
      {one.key_id === null
        ? null
        : isGone
        ? <p class="muted">The key is no longer there.</p>
        : key.data && <KeyFacts of={key.data} />}
      <h3 class="group-title">What fixes it</h3>
      <p>{adviceOf(one, key.data)}</p>
      {one.key_id !== null && (
        <p>
          <Link class="text-link" href={`/logs?key=${encodeURIComponent(one.key_id)}`}>
            All denied calls of this key
          </Link>
        </p>
      )}
    </Drawer>
  );
}

function Call({ of: one }: { of: DeniedCall }) {
  const { at, api_id, gateway, network, hash_start, retry_after, status } = one;
  const plans = usePlans();
  return (
    <Facts title="The call">
      <Fact name="When">
        <Time at={at} />
      </Fact>
      <Fact name="Why">{sentenceOf(one)}</Fact>
      <Fact name="Answer">{String(status)}</Fact>
      <Fact name="API">{api_id ? apiName(api_id, [...plans.values()]) : "None was named"}</Fact>
      <Fact name="Gateway">{gateway === "other" ? "One without a name" : gateway}</Fact>
      <Fact name="Network">{network ?? "Not stated by the gateway"}</Fact>
      <Fact name="SHA-256">
        <code>{hash_start}…</code>
      </Fact>
      <Fact name="Allowed again">
        {retry_after !== null && (
          <Time at={new Date(Date.parse(at) + 1000 * retry_after).toISOString()} />
        )}
      </Fact>
    </Facts>
  );
}

/** The state of the key and what it is valid for now. */
function KeyFacts({ of: key }: { of: Key }) {
  const plans = usePlans();
  const { tone, text } = stateView(key);
  return (
    <Facts title="The key now">
      <Fact name="Key">
        <Link class="text-link" href={`/keys/${encodeURIComponent(key.key_id)}`}>
          {key.name || key.mask}
        </Link>
      </Fact>
      <Fact name="Developer">
        <Link class="text-link" href={`/developers/${encodeURIComponent(key.developer_id)}`}>
          {key.developer_name || key.developer_email || key.developer_id}
        </Link>
      </Fact>
      <Fact name="State">
        <Pill tone={tone}>{text}</Pill>
      </Fact>
      <Fact name="Reason">{key.reason}</Fact>
      <Fact name={key.plans.length === 1 ? "Plan" : "Plans"}>
        {key.plans.map((id) => {
          const plan = plans.get(id);
          return (
            <p key={id} class="log-plan">
              <Link class="text-link" href={`/apis/plans/${encodeURIComponent(id)}`}>
                {plan?.name ?? id}
              </Link>
              {plan && (
                <span class="line-2">
                  {listed([plan.apis || "for no API", limitsOf(plan)], " · ")}
                </span>
              )}
            </p>
          );
        })}
      </Fact>
      <Fact name="Valid from">{key.conditions?.addresses && listed(key.conditions.addresses)}</Fact>
      <Fact name="Expires">{key.expires_at ? <Time at={key.expires_at} /> : "Never"}</Fact>
    </Facts>
  );
}

function apiName(
  id: string,
  plans: readonly { apiIds: readonly string[]; apiNames: readonly string[] }[],
): string {
  for (const { apiIds, apiNames } of plans) {
    const at = apiIds.indexOf(id);
    if (at >= 0) return apiNames[at] || id;
  }
  return id;
}

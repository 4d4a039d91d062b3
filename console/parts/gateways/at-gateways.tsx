import { Link } from "wouter-preact";
import { api } from "../../api/client.ts";
import { getKeyAtGateways, hurryGateway } from "../../api/gateway-endpoints.ts";
import type { KeyThere } from "../../api/gateways.ts";
import { usePlans } from "../../api/plans.ts";
import { queries, useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { say } from "../../said.ts";
import { announce } from "../announcer.tsx";
import { LinkButton } from "../button.tsx";
import { CopyId } from "../copy.tsx";
import { Time } from "../time.tsx";
import { useBusy } from "../toasts.tsx";
import { Pill } from "../pill.tsx";
import {
  mayHelp,
  MayOpen,
  reasonText,
  sinceWords,
  StatePill,
  triesText,
} from "./gateway-words.tsx";

/** So soon something that waits is there. */
const EVERY_MS = 3000;

/** The state of a key at each gateway, and the fix of a problem; nothing without gateways. */
export default function AtGateways({ id, isActive, onRotate }: {
  id: string;
  /** Whether it is to open there. */
  isActive: boolean;
  /** Undefined: it can't be rotated, or not by this person. */
  onRotate: (() => void) | undefined;
}) {
  const { data } = useCall(["keys", id, "gateways"], getKeyAtGateways, { params: { key_id: id } }, {
    refetchInterval: EVERY_MS,
    gcTime: 30_000,
  });
  const all = data?.data ?? [];
  if (all.length === 0) return null;
  const away = all.filter(({ state, valid: opens }) =>
    !opens && state !== "gone" && state !== "closing" && state !== "delivered"
  );
  return (
    <>
      <h3 class="group-title">At the gateways</h3>
      {isActive && away.length > 0 && (
        <p class="at-gateways-lead">
          <Pill tone="waiting">Not at the gateway yet</Pill>{" "}
          <span class="muted">{developerReads(all.length - away.length, all.length)}</span>
        </p>
      )}
      <ul class="cards at-gateways">
        {all.map((one) => (
          <li key={one.gateway_id} class="card">
            <There of={one} onRotate={onRotate} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The text of the developer's page meanwhile. */
function developerReads(there: number, all: number): string {
  return there === 0
    ? "The developer reads that it works in a moment."
    : say`The developer reads that it works at ${there} of ${all} gateways.`;
}

function There({ of: one, onRotate }: { of: KeyThere; onRotate: (() => void) | undefined }) {
  const plans = usePlans();
  const { gateway_id, gateway, state, reason, since, tries, remote_id, delivered_at } = one;
  return (
    <>
      <div class="card-head">
        {may("admin:read")
          ? <Link class="text-link" href={`/gateways/${gateway_id}`}>{gateway}</Link>
          : <b>{gateway}</b>}
        <StatePill state={state} />
      </div>
      {reason !== "" && <p>{reasonText(one, plans)}</p>}
      <MayOpen of={one} />
      <p class="muted">
        {sinceWords[state]} <Time at={since} />
        {triesText(tries)}
        {delivered_at !== null && delivered_at !== since && (
          <>
            , last read at the gateway <Time at={delivered_at} />
          </>
        )}
      </p>
      {reason === "secret_gone" && onRotate && (
        <LinkButton onClick={onRotate}>Rotate the key</LinkButton>
      )}
      {mayHelp(one) && <TryNow of={one} />}
      {remote_id !== "" && remote_id !== one.key_id && (
        <CopyId id={remote_id} label={say`what ${gateway} calls it`} />
      )}
    </>
  );
}

/** Has one key tried at once, by whoever may. */
export function TryNow({ of: { gateway_id, gateway, key_id, state } }: { of: KeyThere }) {
  const [busy, run] = useBusy();
  if (!may("admin")) return null;
  const tries = () =>
    run(async () => {
      await api.call(hurryGateway, { params: { id: gateway_id }, body: { key_id } });
      announce(say`It is tried at ${gateway} now.`);
      void queries.invalidateQueries({ queryKey: ["keys", key_id, "gateways"] });
      void queries.invalidateQueries({ queryKey: ["gateways"] });
    });
  const words = state === "diverged" ? "Put right" : "Try now";
  return (
    <LinkButton
      aria-label={say`${words} at ${gateway}, key …${key_id.slice(-12)}`}
      disabled={busy}
      onClick={() => void tries()}
    >
      {words}
    </LinkButton>
  );
}

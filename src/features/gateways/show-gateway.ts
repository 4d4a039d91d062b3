import type { z } from "zod";
import { checksWithKeydesk, isOpenThere, mayOpenUntil } from "../../contract/gateway-states.ts";
import { closingOf, findingsOf, opensFor } from "./closing.ts";
import { type GatewayRow, type ProvisionedRow, stateAt } from "./gateway.ts";
import type { keyAtGatewayList, syncedGateway } from "./gateways.contract.ts";
import type { mapReaders } from "./hashes/map-readers.store.ts";
import { FETCHED, filesOf, mapOf } from "./hashes/map-settings.ts";
import { reconciledOf } from "./reconciled.ts";

/** A gateway that keys are brought to, as callers see it. */
export type GatewayView = z.output<typeof syncedGateway>;

/** A key at a gateway as callers see it. */
export type KeyAtGateway = z.output<typeof keyAtGatewayList>["data"][number];

/** The proxies that fetch its map. */
type Readers = Awaited<ReturnType<typeof mapReaders>>;

/** A stored gateway, with what is counted of it and what the server's settings say. */
export function toGateway(
  row: GatewayRow,
  { readers, ...more }:
    & Pick<GatewayView, "counts" | "reading" | "waits_since" | "missing_outbound" | "canary">
    & { readers: Readers },
): GatewayView {
  const { id, name, kind, url, probe_url, plans, state, failing_since, failure } = row;
  return {
    id,
    name,
    connection: kind === "tyk" ? "synced" : "map",
    kind: mapOf(row)?.form ?? "tyk",
    url,
    probe_url,
    redis_url: row.redis_url,
    map: toMap(row, readers),
    // as: transactions store exactly these.
    plans: plans === null ? null : JSON.parse(plans) as string[],
    calls_per_second: row.calls_per_second,
    policies: row.policies,
    certificates: row.certificates === 1,
    state,
    failing_since,
    failure,
    filling: row.filled_to !== null,
    ...more,
    checked_at: row.checked_at,
    findings: findingsOf(row),
    closing: kind === "tyk" ? toClosing(row) : null,
    reconciled_at: row.reconciled_at,
    reconciled: toReconciled(row),
    created_at: row.created_at,
    created_by: row.created_by,
    unconfirmed_since: row.unconfirmed_since,
  };
}

function toClosing(row: GatewayRow): GatewayView["closing"] {
  const facts = closingOf(row);
  const seconds = (hasQuota: boolean, isDeleted: boolean) =>
    opensFor(facts, { hasQuota, isDeleted });
  return {
    version: facts.version,
    cache: facts.cache,
    revoked: { without_quota: seconds(false, true), with_quota: seconds(true, true) },
    suspended: { without_quota: seconds(false, false), with_quota: seconds(true, false) },
  };
}

function toMap(row: GatewayRow, readers: Readers): GatewayView["map"] {
  const map = mapOf(row);
  if (!map) return null;
  const { socket } = filesOf(row.id);
  const files = [...filesAt(row), ...map.socket === "unix" ? [socket] : []];
  const { form: _, reload_seconds = null, ...others } = map;
  const views = readers.map(({ token_id, up_to, seen_at }) => ({ token_id, up_to, seen_at }));
  return { ...others, files, reload_seconds, readers: views };
}

/** The files of a gateway in the operator's folder, its socket not among them. */
export function filesAt(row: GatewayRow): string[] {
  const map = mapOf(row);
  if (!map || map.socket === FETCHED) return [];
  const { map: file, template, config } = filesOf(row.id);
  return map.form === "agentgateway" ? [file, template, config] : [file];
}

function toReconciled({ reconciled }: GatewayRow): GatewayView["reconciled"] {
  const found = reconciledOf(reconciled);
  return found ? { ...found, foreign_names: [...found.foreign_names] } : null;
}

/** Of a row what is shown. */
export type RowView = Pick<
  ProvisionedRow,
  | "gateway_id"
  | "key_id"
  | "state"
  | "reason"
  | "since"
  | "tries"
  | "remote_id"
  | "delivered_at"
  | "held"
  | "done"
>;

/** The view of a key at a gateway. */
export function toKeyAtGateway(
  row: RowView,
  { name, kind }: Pick<GatewayRow, "name" | "kind">,
  now: number,
): KeyAtGateway {
  const { gateway_id, key_id, reason, since, tries, remote_id, delivered_at } = row;
  const state = stateAt(row, now);
  return {
    gateway_id,
    gateway: name,
    key_id,
    state,
    reason,
    since,
    valid: isOpenThere(row) || state === "stuck" && checksWithKeydesk(kind, reason),
    may_be_valid_until: mayOpenUntil(row) ?? null,
    tries,
    remote_id,
    delivered_at,
  };
}

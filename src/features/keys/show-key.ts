import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { may, type Principal } from "../../calls/principal.ts";
import type { Connection } from "../../storage/storage.ts";
import type { DeniedByPlans } from "../../contract/denied-calls.ts";
import { toLeak } from "../../contract/show-leak.ts";
import { type AtGateway, keysAtGateways } from "./at-gateways.ts";
import { labelsOf } from "./key-labels.ts";
import { findKeys, type KeyRow } from "./key-list.store.ts";
import { plansJudge } from "../plans/denied-by-plans.ts";
import { coverageOfCaller, isSeenBy } from "../plans/coverage.ts";
import { namesOfDevelopers } from "../developers/developer-names.store.ts";
import { keyRevision, type KeyStanding, stateOf } from "./key.ts";
import { conditionsIn, toAlgorithm } from "./key-conditions.ts";
import type { key } from "./keys.contract.ts";

/** A key as it is shown. */
export type Key = z.output<typeof key>;

/** Whether notes of keys are shown to a caller: to who may write them, and to administrators. */
export function seesNotes(caller: Principal): boolean {
  return may(caller, "approve") || may(caller, "admin");
}

/** Keys as they are shown to the caller at `now`, with what their developers are called now. */
export async function serializeKeys(
  ctx: RequestContext,
  rows: readonly KeyRow[],
  now: string,
): Promise<Key[]> {
  const { storage: { reader }, principal } = ctx;
  const owners = [...new Set(rows.map(({ developer_id }) => developer_id))];
  const { org_id } = principal;
  const names = await namesOfDevelopers(reader, org_id, owners);
  const there = await keysAtGateways(ctx, org_id, rows);
  const denied = await deniedKeys(ctx, rows, now);
  return (await withSeenReplacements(reader, principal, rows)).map((row) =>
    toKey(
      row,
      {
        developer_name: names.get(row.developer_id)?.developer ?? "",
        at_gateways: there.get(row.key_id)?.problems ?? [],
        denied: denied(row),
      },
      principal,
      now,
    )
  );
}

/** A key as it is shown to the caller at `now`. */
export async function serializeOne(ctx: RequestContext, row: KeyRow, now: string): Promise<Key> {
  const [view] = await serializeKeys(ctx, [row], now);
  if (!view) throw new Error("a row was given");
  return view;
}

/**
 * Tells of these keys why each is denied at every call, although it is active at `now`: what its
 * plans are. The store is read once for all of them.
 */
export async function deniedKeys<Row extends KeyStanding & { readonly plans: string }>(
  ctx: RequestContext,
  rows: readonly Row[],
  now: string,
): Promise<(row: Row) => DeniedByPlans | null> {
  const isActive = (row: Row) => stateOf(row, now) === "active";
  const judge = await plansJudge(ctx, rows.filter(isActive));
  return (row) => isActive(row) ? judge(row.plans) : null;
}

/** Keys that name no key in their place which the caller does not see: it is as none. */
async function withSeenReplacements(
  db: Connection,
  principal: Principal,
  rows: readonly KeyRow[],
): Promise<readonly KeyRow[]> {
  const coverage = await coverageOfCaller(db, principal);
  if (!coverage) return rows;
  const named = [...new Set(rows.flatMap(({ replaced_by }) => replaced_by ?? []))];
  const found = await findKeys(db, principal.org_id, named);
  return rows.map((row) => {
    const other = row.replaced_by === null ? undefined : found.get(row.replaced_by);
    return other && isSeenBy(coverage, other) ? row : { ...row, replaced_by: null };
  });
}

function toKey(
  row: KeyRow,
  { developer_name, at_gateways, denied }: {
    developer_name: string;
    at_gateways: readonly AtGateway[];
    denied: DeniedByPlans | null;
  },
  caller: Principal,
  now: string,
): Key {
  const labels = labelsOf(row);
  const key_request_id = row.request_id === "" ? null : row.request_id;
  return {
    key_id: row.key_id,
    mask: row.mask,
    kind: row.kind,
    state: stateOf(row, now),
    denied,
    plans: plansOf(row),
    developer_id: row.developer_id,
    developer_email: row.developer_email ?? "",
    developer_name: developer_name.trim(),
    key_request_id,
    request_id: key_request_id,
    created: row.issued_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    state_changed_at: row.state_changed_at,
    reason: row.state_reason,
    conditions: conditionsIn(row.conditions),
    replaced_by: row.replaced_by,
    undo: undoOf(row, now),
    algorithm: toAlgorithm(row.algorithm),
    use_before: row.use_before,
    imported_as: row.imported_as,
    leaked: toLeak(row),
    at_gateways: [...at_gateways],
    ...labels,
    note: seesNotes(caller) ? labels.note : "",
    revision: keyRevision(row),
  };
}

/** By what a key can be brought back at `now`; null: it can't be. */
function undoOf(row: KeyRow, now: string): Key["undo"] {
  const { state, undo_until, undo_by, undo_deletion } = row;
  if (state !== "revoked" || undo_until === null || undo_until <= now) return null;
  return { until: undo_until, ended_by: undo_by ?? "", with_developer: undo_deletion !== "" };
}

/** The ids of the plans that a key opens. */
export function plansOf({ plans }: Pick<KeyRow, "plans">): string[] {
  // as: the credentials' store writes exactly this.
  return JSON.parse(plans) as string[];
}

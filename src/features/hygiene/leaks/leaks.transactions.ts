import { effectivePermissions } from "../../../calls/principal.ts";
import type { Actor } from "../../../changes/audit.ts";
import { recordChange } from "../../../changes/record-change.ts";
import {
  isStricter,
  type LeakAction,
  leakActionFrom,
  storedLeakAction,
  strictest,
} from "../../../contract/leak-actions.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { type AccessTokenRow, administration, isInForce } from "../../people/access-token.ts";
import { findAccessToken, revokeToken } from "../../people/access-tokens.store.ts";
import { lockOrganisation } from "../../people/organisations.store.ts";
import { administrators, changeSuspension } from "../../people/people.transactions.ts";
import { lockKeyWithOwner } from "../../keys/lock-key.transactions.ts";
import { storedHash } from "../../keys/key-conditions.ts";
import { changeLockedKey } from "../../keys/key-life.transactions.ts";
import { leakActionOf } from "../../plans/plan.ts";
import { planViewsOf } from "../../plans/plans.store.ts";
import {
  addReport,
  findWanted,
  type LeakReport,
  type LeakRow,
  putLeak,
  takeReport,
} from "./leaks.store.ts";

/** Keeps reports until they are worked off: what is acknowledged afterwards outlives a crash. */
export const fileReports = defineTransaction(
  "leaks.file-reports",
  async (tx, input: { reports: LeakReport[] }) => {
    // In one order everywhere: two calls that name the same ones never wait for each other.
    const sorted = input.reports.toSorted((a, b) => a.hash < b.hash ? -1 : 1);
    for (const report of sorted) await addReport(tx, report);
    return null;
  },
);

/** Forgets reports that match nothing; nothing is left of them. */
export const dropReports = defineTransaction(
  "leaks.drop-reports",
  async (tx, input: { hashes: string[] }) => {
    for (const hash of input.hashes) await takeReport(tx, { hash });
    return null;
  },
);

/**
 * The things that a report may have named: keys by their organisation and id, and an access token.
 */
export interface Matches {
  keys: { org_id: string; key_id: string }[];
  token: { org_id: string; token_id: string } | null;
}

/** How reports are worked off. */
interface Settling {
  now: number;
  /** The action on access tokens. */
  tokens: LeakAction;
  /** How long a new access token lives at the most, in milliseconds; null: for ever. */
  longestMs: number | null;
  /** The host of passkeys that open something now; "": none can. */
  passkeyHost: string;
}

/**
 * Works off one report, once: marks what has leaked, does what its plans or the setting want, and
 * leaves the rows that tell of it in its own organisation. Something that has leaked already stays
 * as it is, unless more is wanted now.
 */
export const settleReport = defineTransaction(
  "leaks.settle-report",
  async (tx, input: Settling & Matches & { hash: string }) => {
    const report = await takeReport(tx, { hash: input.hash });
    if (!report) return null;
    for (const place of input.keys) await settleKey(tx, report, input, place);
    if (input.token) await settleToken(tx, report, input, input.token);
    return null;
  },
  { withoutRoom: true },
);

/** The actor of a report in the audit log. */
const LEAK_ACTOR = "leak-desk";

function actorOf(report: LeakReport, org_id: string, now: number): Actor {
  const { request_id, caller_request_id, client_address } = report;
  const call = { session: "", request_id, caller_request_id, client_address };
  return { org_id, user_id: LEAK_ACTOR, token_id: "", now, call };
}

async function settleKey(
  tx: Tx,
  report: LeakReport,
  { now }: Settling,
  { org_id, key_id }: { org_id: string; key_id: string },
): Promise<void> {
  const locked = await lockKeyWithOwner(tx, org_id, key_id);
  if (!locked) return;
  const { credential: key } = locked;
  // Of a user name or a client the id alone is no secret.
  const isIt = key.kind === "token" ? key_id === report.hash : key_id === report.name_hash &&
    key.secret_hash === storedHash(key.algorithm, report.secret_hash);
  if (!isIt) return;
  const plans = await planViewsOf(tx, org_id, key.plans);
  const wanted = strictest([...plans.values()].map(leakActionOf));
  const actor = actorOf(report, org_id, now);
  const place = { org_id, object: "credential", object_id: key_id } as const;
  if (!await mark(tx, actor, report, { ...place, action: wanted })) return;
  const { state } = key;
  if (wanted === "revoke" && state !== "revoked") {
    await changeLockedKey(tx, actor, locked, "revoke", REASON);
  } else if (wanted === "suspend" && state === "active") {
    await changeLockedKey(tx, actor, locked, "suspend", REASON);
  }
}

/** Why a key's state was changed. */
const REASON = "reported as leaked";

async function settleToken(
  tx: Tx,
  report: LeakReport,
  { now, tokens: wanted, longestMs, passkeyHost }: Settling,
  { org_id, token_id }: { org_id: string; token_id: string },
): Promise<void> {
  await lockOrganisation(tx, { org_id });
  const token = await findAccessToken(tx, { org_id, id: token_id });
  if (!token) return;
  const opens = isInForce(token, now);
  const ends = (one: AccessTokenRow) =>
    wanted === "suspend" ? one.user_id === token.user_id : one.id === token.id;
  // The organisation stays administered as well as it is.
  const able = await administrators(tx, { org_id, now, passkeyHost });
  const rank = (rows: AccessTokenRow[]) => administration(rows, now, longestMs === null);
  const isLast = rank(able.filter((one) => !ends(one))) < rank(able);
  const acts = wanted !== "notify" && opens && !isLast;
  const actor = actorOf(report, org_id, now);
  const place = { org_id, object: "access_token", object_id: token_id } as const;
  const detail = {
    person_id: token.user_id,
    permissions: effectivePermissions(token.permissions, token.scope),
    ...wanted !== "notify" && opens && isLast ? { kept: "last_administrator" } : {},
  };
  // A thing that was kept for want of another administrator is tried again by the next report.
  const action = acts || !opens ? wanted : "notify";
  if (!await mark(tx, actor, report, { ...place, action }, detail, token.name)) return;
  if (!acts) return;
  if (wanted === "suspend") {
    await changeSuspension(tx, actor, token.user_id, true);
    return;
  }
  await revokeToken(tx, org_id, token_id, toTimestamp(now));
  await recordChange(tx, actor, {
    action: "access_token.revoked",
    object_id: token_id,
    detail: { person_id: token.user_id },
    personal: { "/name": token.name },
  });
}

/**
 * Marks something as leaked and tells of it. False where it is marked and nothing more is wanted
 * than was then.
 */
async function mark(
  tx: Tx,
  actor: Actor,
  report: LeakReport,
  row: Pick<LeakRow, "org_id" | "object" | "object_id"> & { action: LeakAction },
  detail: Readonly<Record<string, unknown>> = {},
  name?: string,
): Promise<boolean> {
  const before = await findWanted(tx, row);
  if (before !== undefined && !isStricter(row.action, leakActionFrom(before))) return false;
  const { at, reported_by, url } = report;
  const action = storedLeakAction(row.action);
  await putLeak(tx, { ...row, action, reported_at: at, reported_by, url });
  await recordChange(tx, actor, {
    action: row.object === "credential" ? "credential.leaked" : "access_token.leaked",
    object_id: row.object_id,
    detail: { reported_by: reported_by === "" ? "anybody" : `partner ${reported_by}`, ...detail },
    // Places name people: repositories are called after them.
    personal: {
      ...url === "" ? {} : { "/url": url },
      ...name === undefined ? {} : { "/name": name },
    },
  });
  return true;
}

import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { effectivePermissions, may } from "../../calls/principal.ts";
import { allows, type Permission } from "../../contract/permissions.ts";
import { nullable } from "../../contract/v1.ts";
import { integer, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Connection } from "../../storage/storage.ts";
import { isInForce } from "../people/access-token.ts";
import { peopleWhoApprove } from "../people/people.store.ts";
import { findPolicy, termsIn } from "../key-requests/policies.store.ts";
import { countByEnd, countKinds } from "../certificates/certificate-counts.store.ts";
import { isAuthority, NO_END as NO_END_OF_CERTIFICATES } from "../certificates/certificate.ts";
import { secondAt } from "../certificates/selection.ts";
import { listGateways } from "../gateways/gateways.store.ts";
import { namesOfDevelopers } from "../developers/developer-names.store.ts";
import { findPages } from "../developers/developer-pages.store.ts";
import { countAsked } from "../key-requests/asked-requests.store.ts";
import {
  type DecisionRow,
  LOOKED_AT,
  newestApprovals,
  newestDeclines,
  NO_END,
} from "../key-requests/decision-times.store.ts";
import { LEAST, medianOf, secondsOf } from "../key-requests/decision-times.ts";
import type { Key } from "../keys/show-key.ts";
import { keysWithin } from "../keys/within-scope.service.ts";
import { DEFAULT_POLICY } from "../plans/plan-policies.store.ts";
import { dueOf, expiryOf, namedCertificate } from "./due.service.ts";
import { certificatesEnding, countKeyEnds, keysEnding, openLeaks } from "./expiries.store.ts";
import { firstInvited, firstPasskey, lastMailed, standingTokens } from "./first-steps.store.ts";
import { getExpiriesResponse } from "./insight.contract.ts";

/** Counts expiries by time. */
export const getExpiries = operation({
  id: "getExpiries",
  method: "GET",
  path: "/v1/insight/expiries",
  tag: "Use",
  summary: "How many keys and certificates end when, and which do so next",
  description:
    "Keys for callers with `portal:read`, certificates for those with `certs:read`; null for others. Revoked keys and certificate authorities are left out. Keys are counted up to 1,000 between two limits. `due` counts the work left: certificates that no other one with equal names outlasts, of the 1,000 that expired last and the 1,000 that expire within 30 days, with a private key and without.",
  permission: ["portal:read", "certs:read"],
  withinScope: true,
  withinTemporaryAccess: true,
  response: getExpiriesResponse,
  errors: [],
  async serve(ctx) {
    const { principal } = ctx;
    return {
      keys: may(principal, "portal:read") ? await ofKeys(ctx) : null,
      // They have no plan.
      certificates: may(principal, "certs:read") && !principal.covers
        ? await ofCertificates(ctx)
        : null,
    };
  },
});

/** Whether a step is done, and since when where that is known. */
const step = z.strictObject({ done: z.boolean(), at: nullable(timestamp) });

const getFirstStepsResponse = z.strictObject({
  passkey: step.describe("A person has a passkey."),
  invitation: step.describe("A second person has an e-mail address or an invitation."),
  approver: step.describe("A second person may approve."),
  portal_token: step.describe("One that does not administer has `portal:write`."),
  gateway: step.describe(
    "One that does not administer has `verify` and was used, or Keydesk has looked through the keys of a synced gateway.",
  ),
  mail: step.describe("A mail server has taken a mail."),
  pages: step.describe("Developers have pages of their own; `at` is not known."),
  not_by_filer: nullable(step).describe(
    "By the default approval policy no person can decide the requests that they filed; null: it was set otherwise, or fewer than two people may approve.",
  ),
}).meta({ id: "FirstSteps" });

/** The first steps of a new server. */
export const getFirstSteps = operation({
  id: "getFirstSteps",
  method: "GET",
  path: "/v1/insight/first-steps",
  tag: "Use",
  summary: "Read the steps of setting up a server, and which are done",
  description:
    "Read from the present state: a step whose result was revoked is open again. Of access tokens the 1,000 oldest in force are looked at, of deliveries the newest 200.",
  permission: ["portal:read"],
  withinTemporaryAccess: true,
  response: getFirstStepsResponse,
  errors: [],
  async serve({ storage: { reader }, clock, principal: { org_id } }) {
    const now = clock.now();
    const tokens = (await standingTokens(reader, { org_id })).filter((row) => isInForce(row, now))
      .map((row) => ({ ...row, held: effectivePermissions(row.permissions, row.scope) }));
    const holding = (permission: Permission) =>
      tokens.filter(({ held }) => allows(held, permission) && !allows(held, "admin"));
    return {
      passkey: stepOf(await firstPasskey(reader, { org_id })),
      invitation: stepOf(await firstInvited(reader, { org_id })),
      approver: stepOf((await peopleWhoApprove(reader, org_id))[1]?.date_created),
      portal_token: stepOf(holding("portal:write")[0]?.date_created),
      gateway: stepOf(
        [
          ...holding("verify").map(({ last_used_at }) => last_used_at),
          ...(await listGateways(reader, { org_id })).map(({ checked_at }) => checked_at),
        ].flatMap((at) => at ?? []).sort().at(-1),
      ),
      mail: stepOf(await lastMailed(reader, { org_id })),
      pages: { done: arePagesOn(await findPages(reader, { org_id })), at: null },
      not_by_filer: await apartFromFilers(reader, org_id),
    };
  },
});

/** How people decided within a time. */
const decided = {
  approved: integer,
  declined: integer,
  more: z.boolean().describe("True: there were more, which are not counted."),
  median_seconds: nullable(integer).describe("Null: people decided fewer than 5."),
  approved_share: nullable(z.number()).describe(
    "The share of approvals, from 0 to 1, of the time in which all are counted; null likewise.",
  ),
};

const getDecisionsResponse = z.strictObject({
  since: timestamp,
  ...decided,
  before: z.strictObject(decided).describe("As above, of the 30 days before."),
  requested: z.strictObject({
    week: integer.describe("Key requests that are dated within the last 7 days, to the minute."),
    before: integer.describe("In the 7 days before."),
  }),
}).meta({ id: "Decisions" });

/** How people decided lately. */
export const getDecisions = operation({
  id: "getDecisions",
  method: "GET",
  path: "/v1/insight/decisions",
  tag: "Use",
  summary:
    "How long people took to decide key requests within the last 30 days, and how many asked",
  description:
    "Of the newest 2,000 approvals and as many declines. Automatic approvals and expired requests are left out.",
  permission: ["portal:read"],
  response: getDecisionsResponse,
  errors: [],
  async serve(ctx) {
    const { storage: { reader }, clock, principal: { org_id } } = ctx;
    const ago = (days: number) => toTimestamp(clock.now() - days * DAY_MS);
    const since = ago(DAYS);
    const [now, before, week, earlier] = await Promise.all([
      decidedWithin(ctx, since, NO_END),
      decidedWithin(ctx, ago(2 * DAYS), since),
      countAsked(reader, org_id, ago(WEEK), toTimestamp(clock.now() + MINUTE_MS)),
      countAsked(reader, org_id, ago(2 * WEEK), ago(WEEK)),
    ]);
    return { since, ...now, before, requested: { week, before: earlier } };
  },
});

/** Offered while no one has set a default, once there are two of whom one can file. */
async function apartFromFilers(db: Connection, org_id: string) {
  const row = await findPolicy(db, { org_id, plan: DEFAULT_POLICY });
  if (row) return termsIn(row).not_by_filer ? stepOf(row.updated_at) : null;
  return (await peopleWhoApprove(db, org_id)).length < 2 ? null : stepOf(undefined);
}

function arePagesOn(document: string | undefined): boolean {
  // as: the pages' settings are written from the contract's own type.
  return (JSON.parse(document ?? "{}") as { enabled?: boolean }).enabled === true;
}

function stepOf(at: string | undefined) {
  return { done: at !== undefined, at: at ?? null };
}

const MINUTE_MS = 60_000;

const DAY_MS = 86_400_000;

const DAYS = 30;

const WEEK = 7;

async function decidedWithin(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  since: string,
  until: string,
) {
  const span = { org_id, since, until };
  const [approvals, declines] = await Promise.all([
    newestApprovals(reader, span),
    newestDeclines(reader, span),
  ]);
  const [approved, declined] = [timed(approvals), timed(declines)];
  const all = [...approved, ...declined];
  // Of the time in which all of both kinds were looked at.
  const from = [approvals, declines].map(oldestOfAll).reduce((a, b) => a > b ? a : b);
  const isWhole = ({ at }: DecisionRow) => (at ?? "") >= from;
  const [yes, no] = [approved.filter(isWhole).length, declined.filter(isWhole).length];
  return {
    approved: approved.length,
    declined: declined.length,
    more: [approvals, declines].some(({ length }) => length === LOOKED_AT),
    median_seconds: medianOf(all.map(({ seconds }) => seconds)),
    approved_share: yes + no < LEAST ? null : yes / (yes + no),
  };
}

/** Those that people decided, and how long each took. */
function timed(rows: readonly DecisionRow[]) {
  return rows.flatMap((row) => {
    const seconds = secondsOf(row);
    return seconds === undefined ? [] : [{ ...row, seconds }];
  });
}

/** Since when none of a kind is missing; "" where all were looked at. */
function oldestOfAll(rows: readonly DecisionRow[]): string {
  return rows.length < LOOKED_AT ? "" : rows.at(-1)?.at ?? "";
}

type Expiries = z.output<typeof getExpiriesResponse>;

/** The ends of the scale, in days from now. */
const [FIRST, LAST] = [7, 1826];

const BINS = 16;

/** The ends of the bands on the scale. */
const BANDS = [30, 90, 365];

/** The kinds of certificates that are no authority's. */
const KINDS = [0, 1, 2, 3].filter((kind) => !isAuthority(kind));

const AUTHORITIES = [0, 1, 2, 3].filter(isAuthority);

/** How many of the next ones are listed. */
const NEXT = 4;

/** The beginnings of bins but for the first, and the ends of bands, in days. */
const edges = [
  ...new Set([
    FIRST,
    ...Array.from({ length: BINS - 1 }, (_, n) => FIRST * (LAST / FIRST) ** ((n + 1) / BINS)),
    ...BANDS,
  ]),
].sort((a, b) => a - b);

/** From `below`, how many end before each edge: bands and bins. */
function laneOf(expired: number, below: readonly number[], ending: number) {
  const before = (days: number) => below[edges.indexOf(days)] ?? 0;
  const [month = 0, quarter = 0, year = 0] = BANDS.map(before);
  const binEdges = edges.filter((days) => !BANDS.includes(days)).map(before);
  return {
    expired,
    within_7_days: before(FIRST) - expired,
    within_30_days: month - before(FIRST),
    within_90_days: quarter - month,
    within_1_year: year - quarter,
    later: ending - year,
    bins: binEdges.map((from, n) => (binEdges[n + 1] ?? ending) - from),
  };
}

async function ofKeys(ctx: RequestContext): Promise<Expiries["keys"]> {
  const { storage: { reader }, clock, principal: { org_id, covers } } = ctx;
  const now = clock.now();
  if (covers) return await ofKeysWithin(ctx, now);
  const bounds = [0, ...edges].map((days) => toTimestamp(now + days * DAY_MS));
  const [expired = 0, ...counts] = await countKeyEnds(reader, org_id, bounds);
  let sum = expired;
  const below = counts.map((n) => sum += n);
  const next = await keysEnding(reader, { org_id, now: toTimestamp(now) }, NEXT);
  const open = await openLeaks(reader, { org_id, now: toTimestamp(now) }, NEXT);
  return {
    ...laneOf(expired, below.slice(0, -1), below.at(-1) ?? expired),
    next: await namedIn(reader, org_id, next),
    leaked: {
      count: Number(open[0]?.count ?? 0),
      next: (await namedIn(reader, org_id, open)).map((
        { count: _, plans: __, reported_by, url, ...key },
      ) => ({
        ...key,
        reported_by: reported_by === "" ? "anybody" : `partner ${reported_by}`,
        url: url || null,
      })),
    },
  };
}

/** The newest 1,000 keys within the caller's scope. */
async function ofKeysWithin(ctx: RequestContext, now: number): Promise<Expiries["keys"]> {
  const { keys } = await keysWithin(ctx, {});
  const present = keys.filter(({ state }) => state !== "revoked");
  const ending = present.flatMap(({ expires_at, ...key }) =>
    expires_at === null ? [] : [{ ...namesOf(key), plans: key.plans, expires_at }]
  ).sort((a, b) => a.expires_at < b.expires_at ? -1 : 1);
  const before = (days: number) => {
    const bound = toTimestamp(now + days * DAY_MS);
    return ending.filter(({ expires_at }) => expires_at < bound).length;
  };
  const leaks = present.flatMap(({ leaked, ...key }) =>
    leaked === null || key.state === "expired" || key.replaced_by !== null
      ? []
      : [{ ...namesOf(key), ...leaked }]
  ).sort((a, b) => a.reported_at < b.reported_at ? -1 : 1);
  const expired = before(0);
  return {
    ...laneOf(expired, edges.map(before), ending.length),
    next: ending.slice(expired, expired + NEXT),
    leaked: { count: leaks.length, next: leaks.slice(0, NEXT) },
  };
}

type Names = "key_id" | "mask" | "name" | "developer_id" | "developer_email" | "developer_name";

function namesOf(key: Pick<Key, Names>) {
  const { key_id, mask, name, developer_id, developer_email, developer_name } = key;
  return { key_id, mask, name, developer_id, developer_email, developer_name };
}

async function ofCertificates(ctx: RequestContext): Promise<Expiries["certificates"]> {
  const { storage: { reader }, clock, principal: { org_id } } = ctx;
  const now = clock.now();
  // The counters know whole hours; only ended periods are exact to the second.
  const hourIn = (days: number) => `${toTimestamp(now + days * DAY_MS).slice(0, 13)}:00:00Z`;
  const hours = edges.map(hourIn);
  const [expired = 0, ...below] = await countByEnd(reader, org_id, KINDS, [
    secondAt(now),
    ...hours,
    NO_END_OF_CERTIFICATES,
  ]);
  const ending = below.pop() ?? 0;
  const total = await countKinds(reader, org_id, KINDS);
  const next = await certificatesEnding(reader, org_id, KINDS, secondAt(now), NEXT);
  const authorities = await expiryOf(reader, org_id, AUTHORITIES, now);
  return {
    ...laneOf(expired, below, ending),
    never: total - ending,
    next: await Promise.all(next.map(async ({ newer, ...one }) => ({
      ...await namedCertificate(reader, org_id, one),
      renewed: newer !== null,
    }))),
    due: await dueOf(ctx, KINDS, now),
    authorities: {
      expired: authorities.expired.length,
      within_30_days: authorities.soon.length,
      all: await countKinds(reader, org_id, AUTHORITIES),
    },
  };
}

/** The identifying columns of a key. */
interface Stored {
  name: string | null;
  developer_id: string;
  /** A JSON array of plan ids. */
  plans: string;
}

/** The view of them: with the current names of their developers. */
type Named<Row> = Omit<Row, "name" | "plans"> & {
  name: string;
  developer_name: string;
  plans: string[];
};

/** A few keys with their names. One query for all. */
async function namedIn<Row extends Stored>(
  db: Connection,
  org_id: string,
  rows: readonly Row[],
): Promise<Named<Row>[]> {
  const owners = [...new Set(rows.map(({ developer_id }) => developer_id))];
  const names = await namesOfDevelopers(db, org_id, owners);
  return rows.map((row) => ({
    ...row,
    name: row.name ?? "",
    developer_name: names.get(row.developer_id)?.developer?.trim() ?? "",
    // as: written as a list of ids.
    plans: JSON.parse(row.plans) as string[],
  }));
}

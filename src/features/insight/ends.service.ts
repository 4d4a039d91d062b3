import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { may } from "../../calls/principal.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import type { Connection } from "../../storage/storage.ts";
import { keysWithin } from "../keys/within-scope.service.ts";
import type { Key } from "../keys/show-key.ts";
import { countByEnd, countKinds } from "../certificates/certificate-counts.store.ts";
import { isAuthority, NO_END } from "../certificates/certificate.ts";
import { secondAt } from "../certificates/selection.ts";
import { namesOfDevelopers } from "../developers/developer-names.store.ts";
import { dueOf, namedCertificate } from "./due.service.ts";
import { certificatesEnding, countKeyEnds, keysEnding, openLeaks } from "./ends.store.ts";
import type { getEnds } from "./insight.contract.ts";

type Ends = z.output<typeof getEnds.response>;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Where the scale begins and ends, in days from now. */
const [FIRST, LAST] = [7, 1826];
const BINS = 16;
/** Where the bands end that lie on the scale. */
const BANDS = [30, 90, 365];

/** The kinds of certificates that are no authority's. */
const KINDS = [0, 1, 2, 3].filter((kind) => !isAuthority(kind));
const AUTHORITIES = [0, 1, 2, 3].filter(isAuthority);
/** The next ones that are told. */
const NEXT = 4;

/** What ends when, of what the caller may read. */
export async function ends(ctx: RequestContext): Promise<Ends> {
  const { principal } = ctx;
  return {
    keys: may(principal, "portal:read") ? await ofKeys(ctx) : null,
    // They have no plan.
    certificates: may(principal, "certs:read") && !principal.covers
      ? await ofCertificates(ctx)
      : null,
  };
}

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

async function ofKeys(ctx: RequestContext): Promise<Ends["keys"]> {
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

/** The same of the newest 1,000 keys within the caller's scope. */
async function ofKeysWithin(ctx: RequestContext, now: number): Promise<Ends["keys"]> {
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

async function ofCertificates(ctx: RequestContext): Promise<Ends["certificates"]> {
  const { storage: { reader }, clock, principal: { org_id } } = ctx;
  const now = clock.now();
  // The counters know whole hours; only what has ended is told to the second.
  const hourIn = (days: number) => `${toTimestamp(now + days * DAY_MS).slice(0, 13)}:00:00Z`;
  const hours = edges.map(hourIn);
  const [expired = 0, ...below] = await countByEnd(reader, org_id, KINDS, [
    secondAt(now),
    ...hours,
    NO_END,
  ]);
  const ending = below.pop() ?? 0;
  const total = await countKinds(reader, org_id, KINDS);
  const next = await certificatesEnding(reader, org_id, KINDS, secondAt(now), NEXT);
  const [gone = 0, soon = 0] = await countByEnd(reader, org_id, AUTHORITIES, [
    secondAt(now),
    hourIn(14),
  ]);
  return {
    ...laneOf(expired, below, ending),
    never: total - ending,
    next: await Promise.all(next.map(async ({ newer, ...one }) => ({
      ...await namedCertificate(reader, org_id, one),
      renewed: newer !== null,
    }))),
    due: await dueOf(ctx, KINDS, now),
    authorities: {
      within_14_days: Math.max(0, soon - gone),
      all: await countKinds(reader, org_id, AUTHORITIES),
    },
  };
}

/** What keys are recognised by, as they are stored. */
interface Stored {
  name: string | null;
  developer_id: string;
  /** A JSON array of plan ids. */
  plans: string;
}

/** The same as it is told: with what their developers are called now. */
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

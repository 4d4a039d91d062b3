import type { z } from "zod";
import { may } from "../../../calls/principal.ts";
import { pageCount } from "../../../contract/envelope.ts";
import { Answer, type Pieces } from "../../../kernel/answer.ts";
import { Failure } from "../../../kernel/failure.ts";
import { TimeSlices } from "../../../kernel/time-slices.ts";
import { walk } from "../../../kernel/walk.ts";
import { findDeveloper } from "../../developers/developer-accounts.store.ts";
import { type Developer, oauthClientOf } from "../../developers/developer.ts";
import { openStored } from "../../developers/developers.store.ts";
import { findKey, type KeyRow, keySources, type ListedKey } from "../../keys/key-list.store.ts";
import { idsOf, namesOf } from "../../keys/named-keys.service.ts";
import { plansOf } from "../../keys/show-key.ts";
import { isSeen } from "../../keys/within-scope.service.ts";
import { coverageOfCaller, isSeenBy } from "../../plans/coverage.ts";
import { ANY_API, plansOpening } from "../../plans/every-plan.store.ts";
import type { VerificationContext } from "../verifier.ts";
import { KeyData } from "./key-data.service.ts";
import type { client } from "./make-keys.contract.ts";

/** The page that is asked for, from 1; below 1 or absent: everything. */
type PageNumber = number | undefined;

/**
 * Keys are looked at up to about here where a page is asked for; a cursor of `/v1/keys` and
 * "everything" know no bound.
 */
const LOOKED_AT = 10_000;
/** Keys that are read at once. */
const CHUNK = 100;
/** Characters after which a piece is sent: it ends with the key that reaches them. */
const PIECE = 64 * 1024;
/** Lists by plan that are merged at most; beyond it all keys are walked and looked at. */
const MERGED = 20;

/**
 * The ids of the keys that are not revoked and whose plans open an API, newest first. `q`: those
 * alone that it is, or is the id or the beginning of the id of, or a part of the name of.
 */
export async function listKeyIds(
  ctx: VerificationContext,
  p: PageNumber,
  api: string = ANY_API,
  q = "",
): Promise<Answer<string | Pieces>> {
  const isAsked = q === "" ? undefined : await askedBy(ctx, q);
  return await answer(keysOf(ctx, api, isAsked), ctx.settings.pageSize, p, {
    before: `{"data":{"keys":[`,
    after: `]}`,
    serialize: (rows) => rows.map((row) => row.key_id),
  });
}

/** All keys that are not revoked with what they may do, newest first. */
export async function listKeyDetails(
  ctx: VerificationContext,
  p: PageNumber,
): Promise<Answer<string | Pieces>> {
  const data = new KeyData(ctx);
  return await answer(keysOf(ctx, ANY_API), ctx.settings.pageSize, p, {
    before: `{"keys":[`,
    after: `]`,
    serialize: (rows) => data.of(rows),
  });
}

/** The OAuth clients whose plans open an API, newest first. */
export async function listClients(
  ctx: VerificationContext,
  p: PageNumber,
  api: string,
): Promise<Answer<string | Pieces>> {
  const clients = keysOf(ctx, api, ({ kind }) => kind === "oauth");
  return await answer(clients, ctx.settings.pageSize, p, {
    before: `{"apps":[`,
    after: `]`,
    serialize: (rows) => serializeClients(ctx, rows),
  });
}

/** The OAuth client of this client_id or key id. Throws `not_found`, for a revoked one too. */
export async function getClient(ctx: VerificationContext, named: string): Promise<ClientView> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  for (const key_id of idsOf(named)) {
    const row = await findKey(reader, { org_id, key_id });
    if (!row || row.kind !== "oauth" || row.state === "revoked") continue;
    if (!await isSeen(ctx, row)) continue;
    for await (const view of serializeClients(ctx, [row])) return view;
  }
  throw new Failure("not_found");
}

type ClientView = z.output<typeof client>;

/** A client that was imported by its hash alone is called by its key id. */
async function* serializeClients(
  ctx: VerificationContext,
  rows: readonly KeyRow[],
): AsyncGenerator<ClientView, void, void> {
  const { storage: { reader }, principal, settings, sealer } = ctx;
  const { org_id } = principal;
  // Secrets are the developer's, who may have more than the scope.
  const seesSecrets = !settings.maskSecrets && !principal.covers && may(principal, "secrets");
  // Many clients of one page have the same developer, who may have very many.
  const owners = new Map<string, Developer | undefined>();
  for (const row of rows) {
    const { developer_id: id, key_id } = row;
    if (!owners.has(id)) {
      const stored = await findDeveloper(reader, { org_id, id });
      owners.set(id, stored && openStored(sealer, org_id, stored));
    }
    const owner = owners.get(id);
    const known = owner && oauthClientOf(owner, key_id);
    yield {
      client_id: known?.client_id ?? key_id,
      secret: seesSecrets ? known?.secret ?? "" : "",
      redirect_uri: known?.redirect_uri ?? "",
      policy_id: plansOf(row)[0] ?? "",
    };
  }
}

/** Whether a search asks for a key. */
async function askedBy(
  ctx: VerificationContext,
  q: string,
): Promise<(row: ListedKey) => boolean> {
  const { ids, formerIds } = await namesOf(ctx, q);
  const part = q.trim().toLowerCase();
  return ({ key_id, imported_as, name }) =>
    ids.includes(key_id) || key_id.startsWith(part) ||
    (imported_as !== null && formerIds.includes(imported_as)) ||
    (name ?? "").toLowerCase().includes(part);
}

/** How a list is written. */
interface Format {
  before: string;
  after: string;
  serialize(rows: ListedKey[]): Iterable<unknown> | AsyncIterable<unknown>;
}

async function answer(
  keys: Chunks,
  pageSize: number,
  p: PageNumber,
  format: Format,
): Promise<Answer<string | Pieces>> {
  if (p === undefined || p < 1) {
    // An error here is an error of the call; later on it could only break the answer off.
    const { value: first } = await keys.next();
    return new Answer(everything(first, keys, format));
  }
  const { rows, total, capped } = await pageOf(keys, p, pageSize);
  const view: string[] = [];
  for await (const one of format.serialize(rows)) view.push(JSON.stringify(one));
  const end = `,"pages":${pageCount(total, pageSize)}${capped ? `,"capped":true` : ""}}`;
  return new Answer(format.before + view.join(",") + format.after + end);
}

async function* everything(
  first: Chunk | void,
  others: Chunks,
  { before, after, serialize }: Format,
): Pieces {
  let piece = before;
  let any = false;
  for (let chunk = first; chunk; chunk = (await others.next()).value) {
    for await (const one of serialize(chunk.rows)) {
      piece += (any ? "," : "") + JSON.stringify(one);
      any = true;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = "";
    }
  }
  yield `${piece}${after},"pages":${any ? 1 : 0}}`;
}

async function pageOf(
  keys: Chunks,
  p: number,
  pageSize: number,
): Promise<{ rows: ListedKey[]; total: number; capped: boolean }> {
  const [from, to] = [(p - 1) * pageSize, p * pageSize];
  const rows: ListedKey[] = [];
  let total = 0;
  for await (const chunk of keys) {
    for (const row of chunk.rows) {
      if (total >= from && total < to) rows.push(row);
      total++;
    }
    if (chunk.looked >= LOOKED_AT && !chunk.isLast) return { rows, total, capped: true };
  }
  return { rows, total, capped: false };
}

/** Some of the keys. */
interface Chunk {
  rows: ListedKey[];
  /** How many keys were looked at for this chunk and those before it. */
  looked: number;
  isLast: boolean;
}

type Chunks = AsyncGenerator<Chunk, void, void>;

/**
 * The keys in chunks, each a statement or a few of its own: no snapshot stays open while a slow
 * client reads.
 */
async function* keysOf(
  ctx: VerificationContext,
  api: string,
  isAsked: (row: ListedKey) => boolean = () => true,
): Chunks {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const plans = await plansOpening(reader, org_id, api);
  const coverage = await coverageOfCaller(reader, ctx.principal);
  const states = ["active", "suspended"] as const;
  const narrowed = plans ?? coverage?.plans;
  const merged = narrowed !== undefined && narrowed.size <= MERGED ? [...narrowed] : undefined;
  const merges = plans !== undefined && merged !== undefined;
  const sources = merged
    ? keySources(reader, org_id, { by: "plan", plan_ids: merged, states })
    : keySources(reader, org_id, { by: "all", states });
  if (sources.length === 0) return;
  // A key with two of the plans is in two lists, at the same place of each.
  let before: string | undefined;
  let looked = 0;
  let last: string | undefined;
  const wanted = (row: ListedKey) => {
    // The key that ends a page is looked at again for the next one.
    if (row.key_id !== last) looked++;
    last = row.key_id;
    if (row.key_id === before) return false;
    before = row.key_id;
    if (!isAsked(row) || !isSeenBy(coverage, row)) return false;
    return plans === undefined || merges || plansOf(row).some((plan) => plans.has(plan));
  };
  let cursor: string | null | undefined;
  const slices = new TimeSlices();
  do {
    const list = { order: "newest", first: { sort: "~", id: "" }, sources, wanted };
    const page = await walk(list, { limit: CHUNK, ...cursor ? { cursor } : {} });
    cursor = page.next_cursor;
    yield { rows: page.rows, looked, isLast: cursor === null };
    before = undefined;
    // The engine may have answered at once: the calls that arrived meanwhile come first.
    await slices.next();
  } while (cursor !== null);
}

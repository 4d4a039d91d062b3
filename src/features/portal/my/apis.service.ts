import type { z } from "zod";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { source, walk } from "../../../kernel/walk.ts";
import { publicBrand } from "../../branding/public-brand.ts";
import { stateOf } from "../../keys/key.ts";
import { plansOf } from "../../keys/show-key.ts";
import { findDocument } from "../../plans/catalogue/documents.store.ts";
import type {
  listMyApisQuery,
  myApi,
  myApiDocumentation,
  myApiList,
  myPlan,
} from "./apis.contract.ts";
import { documentText } from "./documents/api-document.ts";
import { readOnThread } from "./documents/reading.ts";
import { type OfferedApi, offerOf } from "./offer.ts";
import { type MyContext, ownerOf, theirsOf } from "./own.ts";
import { isPageKey } from "../../keys/page-key.ts";
import { newestAskedPlans, newestLiveKeys } from "./own-standing.store.ts";
import { usualTimes } from "./usual-time.ts";

type MyDocumentation = z.output<typeof myApiDocumentation>;
type MyApi = z.output<typeof myApi>;
type Mine = z.output<typeof myPlan>["mine"];

/** A page of what is offered, in the catalogue's order. Throws `invalid_input`. */
export async function list(
  ctx: MyContext,
  query: z.output<NonNullable<typeof listMyApisQuery>>,
): Promise<z.output<typeof myApiList>> {
  const apis = await offerOf(ctx);
  const places = new Map(apis.map(({ id }, at) => [id, at]));
  const inOrder = source(
    ({ sort, id }, limit) => {
      // If the last one was deleted meanwhile, those behind it have moved to its position.
      const from = sort === "" ? 0 : (places.get(id) ?? Number(sort) - 1) + 1;
      return Promise.resolve(apis.slice(from, from + limit));
    },
    ({ id }: OfferedApi) => ({ sort: String(places.get(id)), id }),
  );
  const { rows, next_cursor } = await walk({
    order: "my apis",
    first: { sort: "", id: "" },
    sources: [inOrder],
    wanted: (api) => matches(api, query.q),
  }, query);
  const view = await viewFor(ctx);
  return { data: rows.map((api) => serialize(api, view)), next_cursor };
}

/** One API that is offered. Throws `not_found`. */
export async function get(ctx: MyContext, id: string): Promise<MyApi> {
  const api = await offered(ctx, id);
  return serialize(api, await viewFor(ctx));
}

/** Whether a search finds an API; undefined finds all. */
export function matches(api: OfferedApi, q: string | undefined): boolean {
  if (q === undefined) return true;
  const { name, short_description, long_description, plans } = api;
  return [name, short_description, long_description, ...plans.map((plan) => plan.name)]
    .some((text) => text.toLowerCase().includes(q.toLowerCase()));
}

/** The content of an API's documentation; see readDocument. Throws `not_found`. */
export async function documentation(ctx: MyContext, id: string): Promise<MyDocumentation> {
  const { document } = await offered(ctx, id);
  return await contentOf(ctx, document);
}

/** The content of the documentation that the catalogue names. */
export async function contentOf(
  ctx: Pick<MyContext, "storage" | "principal">,
  document: string,
): Promise<MyDocumentation> {
  const read = await readOnThread(await storedAs(ctx, document));
  const blank = { title: "", version: "", text: "", operations: [], left_out: 0 };
  if (read.kind !== "operations") return { ...blank, ...read };
  const { description, operations, ...others } = read;
  const lists = operations.map((one) => ({
    ...one,
    parameters: [...one.parameters],
    answers: [...one.answers],
  }));
  return { ...others, text: description, operations: lists };
}

/** An OpenAPI document as it was written. */
interface OpenApiDocument {
  readonly type: "application/json" | "application/yaml";
  readonly text: string;
}

/**
 * The OpenAPI document that the catalogue names; undefined: its documentation is none. What is
 * `unreadable` may be read another time.
 */
export async function openApiOf(
  ctx: Pick<MyContext, "storage" | "principal">,
  document: string,
): Promise<OpenApiDocument | "unreadable" | undefined> {
  const stored = await storedAs(ctx, document);
  const { kind } = await readOnThread(stored);
  if (kind === "unreadable") return kind;
  if (kind !== "operations") return undefined;
  const text = documentText(stored);
  return { type: text.startsWith("{") ? "application/json" : "application/yaml", text };
}

/** The form of our ids of documents: one that names none is of a deleted document. */
const isDocumentId = (text: string) => /^[0-9a-f]{24}$/.test(text);

async function storedAs(
  { storage: { reader }, principal: { org_id } }: Pick<MyContext, "storage" | "principal">,
  document: string,
): Promise<string> {
  const found = await findDocument(reader, { org_id, id: document });
  // A text that names no document may be the documentation itself, such as an address.
  return found ? found.documentation : isDocumentId(document) ? "" : document;
}

async function offered(ctx: MyContext, id: string): Promise<OfferedApi> {
  const apis = await offerOf(ctx);
  const api = apis.find((one) => one.id === id);
  if (!api) throw new Failure("not_found");
  return api;
}

function serialize(
  { document, seen: _, ...api }: OfferedApi,
  { usual, base_url, ...standing }: View,
): MyApi {
  return {
    ...api,
    base_url: api.base_url || base_url,
    documentation: document !== "",
    plans: api.plans.map(({ ids, opens: _, ...plan }) => ({
      ...plan,
      requested_fields: [...plan.requested_fields],
      usual_seconds: plan.way === "by_approval" ? usual(ids) : null,
      mine: mineOf(ids, standing),
    })),
  };
}

/** The additional data of plans. */
interface View extends Standing {
  /** How long decisions take, in seconds. */
  readonly usual: (ids: readonly string[]) => number | null;
  /** The organisation's. */
  readonly base_url: string;
}

async function viewFor(ctx: MyContext): Promise<View> {
  const { base_url } = await publicBrand(ctx.storage.reader, ownerOf(ctx).org_id);
  return { ...await standingOf(ctx), usual: await usualTimes(ctx), base_url };
}

/** The caller's keys and requests, by the ids of plans as they name them; the newest first. */
interface Standing {
  readonly keys: ReadonlyMap<string, string>;
  readonly requests: ReadonlyMap<string, { id: string; state: "pending" | "declined" | "issued" }>;
  readonly waiting: ReadonlyMap<string, string>;
}

function mineOf(ids: readonly string[], { keys, requests, waiting }: Standing): Mine {
  const key_id = firstOf(ids, keys) ?? null;
  const waits = firstOf(ids, waiting);
  const newest = firstOf(ids, requests);
  if (key_id !== null) return { state: "has_key", key_id, request_id: waits ?? null };
  if (waits !== undefined) return { state: "waits", key_id, request_id: waits };
  return newest?.state === "declined"
    ? { state: "declined", key_id, request_id: newest.id }
    : { state: "none", key_id, request_id: null };
}

function firstOf<T>(ids: readonly string[], found: ReadonlyMap<string, T>): T | undefined {
  for (const id of ids) if (found.has(id)) return found.get(id);
  return undefined;
}

async function standingOf(ctx: MyContext): Promise<Standing> {
  const { storage: { reader }, clock } = ctx;
  const owner = ownerOf(ctx);
  const theirs = await theirsOf(ctx);
  const now = toTimestamp(clock.now());
  const keys = new Map<string, string>();
  for (const key of await newestLiveKeys(reader, owner)) {
    if (stateOf(key, now) === "expired" || !theirs.isKey(key.key_id) || isPageKey(key)) continue;
    for (const plan of plansOf(key)) if (!keys.has(plan)) keys.set(plan, key.key_id);
  }
  const requests = new Map<string, { id: string; state: "pending" | "declined" | "issued" }>();
  const waiting = new Map<string, string>();
  for (const { id, state, for_plan, instant } of await newestAskedPlans(reader, owner)) {
    if (!theirs.isRequest(instant)) continue;
    if (!requests.has(for_plan)) requests.set(for_plan, { id, state });
    if (state === "pending" && !waiting.has(for_plan)) waiting.set(for_plan, id);
  }
  return { keys, requests, waiting };
}

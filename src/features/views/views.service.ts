import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, type Idempotency, idempotentCall, may } from "../../calls/principal.ts";
import { Answer } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { type List, listNames, lists } from "../../contract/view-lists.ts";
import { isFor, showView, type View, type ViewInput } from "./view.ts";
import type {
  listColumns as listColumnsContract,
  putColumns as putColumnsContract,
} from "./views.contract.ts";
import { columnsOf, findView, sharedViews, viewsOf } from "./views.store.ts";
import { createView, putColumns, removeView, replaceView } from "./views.transactions.ts";

/** The caller's views and the shared ones, of lists that they may read, by name. */
export async function list(ctx: RequestContext, of: List | undefined): Promise<{ data: View[] }> {
  const { storage: { reader }, principal } = ctx;
  const own = await viewsOf(reader, { org_id: principal.org_id, owner: principal.user_id });
  const shared = await sharedViews(reader, { org_id: principal.org_id });
  const rows = [...own.filter((view) => view.shared === 0), ...shared]
    .filter((view) => isFor(principal, view) && (of === undefined || view.list === of))
    .sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1);
  return { data: rows.map((view) => showView(view, principal)) };
}

/** One of them. Throws `not_found`. */
export async function get(ctx: RequestContext, id: string): Promise<Answer<View>> {
  const { storage: { reader }, principal } = ctx;
  const view = await findView(reader, { org_id: principal.org_id, id });
  if (!view || !isFor(principal, view)) throw new Failure("not_found");
  return tagged(showView(view, principal));
}

/** Saves a view; see createView. Throws `access_denied` for a list that the caller may not read. */
export async function create(
  ctx: RequestContext,
  { list, ...view }: ViewInput & { list: List },
  idempotency: Idempotency,
): Promise<Answer<View>> {
  requireReading(ctx, list);
  const by = byCaller(ctx);
  return tagged(
    await ctx.storage.commit(createView, {
      ...by,
      list,
      view,
      idempotency: idempotentCall(ctx.principal, by.actor.now, idempotency),
    }),
  );
}

/** Replaces a view; see replaceView. `ifMatch` as ifMatchOf gives it. */
export async function update(
  ctx: RequestContext,
  id: string,
  view: ViewInput,
  ifMatch: string[] | null,
): Promise<Answer<View>> {
  return tagged(
    await ctx.storage.commit(replaceView, { ...byCaller(ctx), id, view, ifMatch }),
  );
}

/** Removes a view; see removeView. */
export function remove(
  ctx: RequestContext,
  id: string,
  ifMatch: string[] | null,
): Promise<{ id: string }> {
  return ctx.storage.commit(removeView, { ...byCaller(ctx), id, ifMatch });
}

type Chosen = z.output<typeof listColumnsContract.response>;
type Kept = z.output<typeof putColumnsContract.response>;

/** The columns that the caller chose. */
export async function chosenColumns(ctx: RequestContext): Promise<Chosen> {
  const { storage: { reader }, principal: { org_id, user_id } } = ctx;
  const chosen = new Map(
    (await columnsOf(reader, { org_id, user_id })).map(({ list, columns }) => [list, columns]),
  );
  const data = listNames.flatMap((list) => {
    const columns = chosen.get(list);
    // as: the contract's array was stored.
    return columns === undefined ? [] : [{ list, columns: JSON.parse(columns) as string[] }];
  });
  return { data };
}

/** Chooses a list's columns, for the caller. Throws `access_denied`: they may not read it. */
export async function chooseColumns(
  ctx: RequestContext,
  { list, columns }: { list: List; columns?: string[] | undefined },
): Promise<Kept> {
  requireReading(ctx, list);
  return await ctx.storage.commit(putColumns, {
    actor: byCaller(ctx).actor,
    list,
    columns: columns ?? null,
  });
}

function byCaller({ principal, clock }: RequestContext) {
  const { permissions } = principal;
  return { actor: actorOf(principal, clock.now()), permissions: [...permissions] };
}

function requireReading({ principal }: RequestContext, list: List): void {
  if (!may(principal, lists[list])) throw new Failure("access_denied");
}

function tagged(view: View): Answer<View> {
  return new Answer(view, { etag: `"${view.revision}"` });
}

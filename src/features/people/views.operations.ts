import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf, idempotentCall, may } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { line, nameText } from "../../contract/labels.ts";
import { permissions } from "../../contract/permissions.ts";
import { entityTag, ifMatch, nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { type List, listNames, lists, storedList } from "../../contract/view-lists.ts";
import { operation } from "../../http/operation.ts";
import { ifMatchOf } from "../../http/routes.ts";
import { Answer } from "../../kernel/answer.ts";
import { Failure } from "../../kernel/failure.ts";
import { isFor, toView, type View } from "./view.ts";
import { columnsOf, findView, sharedViews, viewsOf } from "./views.store.ts";
import {
  createView as createViewChange,
  putColumns as putColumnsChange,
  removeView,
  replaceView,
} from "./views.transactions.ts";

const tag = "Views";

const list = z.enum(listNames, { error: `expected ${listNames.join(" or ")}` })
  .meta({ id: "ViewedList" });

const word = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, {
  error: "expected up to 40 small letters, digits, - and _",
});

const query = z.record(word, line(255).min(1)).refine((all) => Object.keys(all).length <= 20, {
  error: "expected 20 members at the most",
});

const columns = z.array(word).min(1).max(30);

const written = {
  name: nameText(60).min(1).meta({
    description: "Another one than your other views of this list have.",
  }),
  query: query.default({}).meta({
    description: "Filters, search and order by the names that the console's address has for them.",
  }),
  shared: z.boolean().default(false).meta({
    description: "True: everyone of the organisation who may read the list has it.",
  }),
};

/** A view as one sees it. */
export const view = z.strictObject({
  id: text,
  list,
  name: text,
  query: z.record(text, text),
  shared: z.boolean(),
  owner: text.meta({ description: "The person who made it." }),
  owner_name: text,
  mine: z.boolean().meta({ description: "Whether you made it." }),
  may_change: z.boolean().meta({ description: "Whether you may change and delete it." }),
  date_created: timestamp,
  date_changed: timestamp,
  revision: text.meta({ description: "The value of `ETag` and `If-Match`, without the quotes." }),
}).meta({ id: "View" });

const chosenColumns = z.strictObject({ list, columns: z.array(text) })
  .meta({ id: "ListColumns" });

/** Opens to every access token: each list asks for its own permission. */
const anyPermission = permissions;

/** Own and shared ones. */
export const listViews = operation({
  id: "listViews",
  method: "GET",
  path: "/v1/views",
  tag,
  summary: "Your saved views and the shared ones, by name",
  description:
    "Of lists that the caller may read. There are 100 own and 100 shared ones at the most, so there are no pages.",
  permission: anyPermission,
  query: z.object({ list: list.optional().meta({ description: "Only views of this list." }) }),
  response: z.strictObject({ data: z.array(view) }).meta({ id: "ViewList" }),
  errors: ["invalid_input"],
  serve: (ctx, { query }) => viewsFor(ctx, query.list),
});

/** Saves one. */
export const createView = operation({
  id: "createView",
  method: "POST",
  path: "/v1/views",
  tag,
  summary: "Save a view: a name for filters, search and order of a list",
  description:
    "For the caller alone, or shared with the organisation, which takes `admin`. It asks for the permission that reads the list. A view gives no access: its users see only objects that they may see anyhow.",
  permission: anyPermission,
  body: z.object({ list, ...written }).meta({ id: "CreateViewInput" }),
  idempotent: true,
  answerHeaders: entityTag,
  response: view,
  errors: [...bodyErrors, "view_name_taken", "too_many_views"],
  example: {
    list: "keys",
    name: "Ends this month",
    query: { state: "active", sort: "ends" },
  },
  async serve(ctx, { body: { list, ...view }, idempotency }) {
    requireReading(ctx, list);
    const by = byCaller(ctx);
    return tagged(
      await ctx.storage.commit(createViewChange, {
        ...by,
        list,
        view,
        idempotency: idempotentCall(ctx.principal, by.actor.now, idempotency),
      }),
    );
  },
});

/** One view. */
export const getView = operation({
  id: "getView",
  method: "GET",
  path: "/v1/views/{id}",
  tag,
  summary: "Read a view",
  description: "Another person's own view is the same as none.",
  permission: anyPermission,
  answerHeaders: entityTag,
  response: view,
  errors: ["not_found"],
  async serve(ctx, { params: { id } }) {
    const { storage: { reader }, principal } = ctx;
    const view = await findView(reader, { org_id: principal.org_id, id });
    if (!view || !isFor(principal, view)) throw new Failure("not_found");
    return tagged(toView(view, principal));
  },
});

/** Another name, another query, shared or not. */
export const updateView = operation({
  id: "updateView",
  method: "PUT",
  path: "/v1/views/{id}",
  tag,
  summary: "Replace name and query of a view, share it or take that back",
  description:
    "Own ones are changed by who made them, shared ones with `admin`. Only its maker takes a shared one back. `If-Match` refuses what has changed since it was read.",
  permission: anyPermission,
  body: z.object(written).meta({ id: "ViewInput" }),
  headers: ifMatch,
  answerHeaders: entityTag,
  response: view,
  errors: [
    ...bodyErrors,
    "not_found",
    "precondition_failed",
    "view_name_taken",
    "too_many_views",
  ],
  example: { name: "Ends this month", query: { state: "active", sort: "ends" }, shared: true },
  async serve(ctx, call) {
    const { params: { id }, body: view } = call;
    const ifMatch = ifMatchOf(call);
    return tagged(
      await ctx.storage.commit(replaceView, { ...byCaller(ctx), id, view, ifMatch }),
    );
  },
});

/** No view any more. */
export const deleteView = operation({
  id: "deleteView",
  method: "DELETE",
  path: "/v1/views/{id}",
  tag,
  summary: "Delete a view",
  description:
    "Everyone with its address sees the list. `If-Match` refuses the change if it has changed since it was read.",
  permission: anyPermission,
  headers: ifMatch,
  response: z.strictObject({ id: text }).meta({ id: "ViewDeleted" }),
  errors: ["not_found", "precondition_failed"],
  serve(ctx, call) {
    const { params: { id } } = call;
    const ifMatch = ifMatchOf(call);
    return ctx.storage.commit(removeView, { ...byCaller(ctx), id, ifMatch });
  },
});

const listColumnsList = z.strictObject({ data: z.array(chosenColumns) }).meta({
  id: "ListColumnsList",
});

/** The columns that one chose. */
export const listColumns = operation({
  id: "listColumns",
  method: "GET",
  path: "/v1/me/columns",
  tag,
  summary: "The columns of lists that you chose",
  description: "Lists of which all usual columns are shown are left out.",
  permission: anyPermission,
  withinScope: true,
  response: listColumnsList,
  errors: [],
  async serve(ctx) {
    const { storage: { reader }, principal: { org_id, user_id } } = ctx;
    const chosen = new Map(
      (await columnsOf(reader, { org_id, user_id })).map(({ list, columns }) => [list, columns]),
    );
    const data = listNames.flatMap((list) => {
      const columns = chosen.get(storedList(list));
      // as: the contract's array was stored.
      return columns === undefined ? [] : [{ list, columns: JSON.parse(columns) as string[] }];
    });
    return { data };
  },
});

const listColumnsKept = z.strictObject({ list, columns: nullable(z.array(text)) })
  .meta({ id: "ListColumnsKept" });

/** Other columns. */
export const putColumns = operation({
  id: "putColumns",
  method: "PUT",
  path: "/v1/me/columns",
  tag,
  summary: "Choose the columns of a list, for yourself",
  description:
    "Without `columns` the usual ones come back. No other person is concerned. It asks for the permission that reads the list.",
  permission: anyPermission,
  withinScope: true,
  body: z.object({ list, columns: columns.optional() }).meta({ id: "ListColumnsInput" }),
  response: listColumnsKept,
  errors: [...bodyErrors],
  example: { list: "keys", columns: ["developer", "plan", "ends"] },
  async serve(ctx, { body: { list, columns } }) {
    requireReading(ctx, list);
    return await ctx.storage.commit(putColumnsChange, {
      actor: byCaller(ctx).actor,
      list,
      columns: columns ?? null,
    });
  },
});

/** The caller's views and the shared ones, of lists that they may read, by name. */
async function viewsFor(ctx: RequestContext, of: List | undefined): Promise<{ data: View[] }> {
  const { storage: { reader }, principal } = ctx;
  const own = await viewsOf(reader, { org_id: principal.org_id, owner: principal.user_id });
  const shared = await sharedViews(reader, { org_id: principal.org_id });
  const rows = [...own.filter((view) => view.shared === 0), ...shared]
    .filter((view) => isFor(principal, view) && (of === undefined || view.list === storedList(of)))
    .sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1);
  return { data: rows.map((view) => toView(view, principal)) };
}

type Chosen = z.output<typeof listColumnsList>;

type Kept = z.output<typeof listColumnsKept>;

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

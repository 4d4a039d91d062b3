import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { recordChange } from "../../changes/record-change.ts";
import type { Permission } from "../../contract/permissions.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { requireRevision } from "../../kernel/entity-tag.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { defineTransaction, type Tx } from "../../storage/storage.ts";
import { type List, storedList } from "../../contract/view-lists.ts";
import {
  isFor,
  mayShare,
  MOST_OWN,
  MOST_SHARED,
  toView,
  type View,
  type ViewInput,
  viewRevision,
  type ViewRow,
} from "./view.ts";
import * as store from "./views.store.ts";

/** The caller who changes a view, with their permissions. */
interface ByViewer {
  actor: Actor;
  permissions: readonly Permission[];
}

/**
 * Saves a view. Throws `too_many_views`, `view_name_taken`, and `access_denied` where the caller
 * may not share.
 */
export const createView = defineTransaction(
  "views.create",
  (
    tx,
    { view, list, idempotency, ...by }: ByViewer & {
      list: List;
      view: ViewInput;
      idempotency: IdempotentCall | null;
    },
  ): Promise<View> =>
    once(tx, idempotency, async () => {
      const { org_id, user_id, now } = by.actor;
      await store.lockViews(tx, { org_id });
      const at = toTimestamp(now);
      const added: ViewRow = {
        id: newId(now),
        list: storedList(list),
        owner: user_id,
        created_at: at,
        owner_name: null,
        ...written(view, at),
      };
      if (view.shared) requireSharing(by);
      await requirePlace(tx, org_id, added, undefined);
      const { owner_name: _, ...stored } = added;
      await store.insertView(tx, { org_id, ...stored, columns: null });
      if (view.shared) await record(tx, by.actor, "view.shared", added);
      return await viewOf(tx, by, added.id);
    }),
);

/** Names a view of the caller's organisation. */
interface OfView extends ByViewer {
  id: string;
  /** As ifMatchOf gives it. */
  ifMatch: string[] | null;
}

/** Replaces what a view says. Throws `not_found`, `precondition_failed`, or as createView does. */
export const replaceView = defineTransaction(
  "views.replace",
  async (tx, { view, ...of }: OfView & { view: ViewInput }): Promise<View> => {
    const before = await changeable(tx, of);
    const { actor } = of;
    if (view.shared) requireSharing(of);
    // It becomes its maker's alone, so no one else decides that.
    else if (before.owner !== actor.user_id) throw new Failure("access_denied");
    const after: ViewRow = { ...before, ...written(view, toTimestamp(actor.now)) };
    await requirePlace(tx, actor.org_id, after, before);
    const { id, name, shared, query, changed_at } = after;
    await store.updateView(tx, {
      org_id: actor.org_id,
      id,
      name,
      shared,
      query,
      changed_at,
    });
    const isShared = before.shared === 1 || after.shared === 1;
    if (isShared) await record(tx, actor, actionOf(before, after), after);
    return await viewOf(tx, of, id);
  },
);

/** Removes a view. Throws `not_found`, `precondition_failed`, `access_denied`. */
export const removeView = defineTransaction(
  "views.remove",
  async (tx, of: OfView): Promise<{ id: string }> => {
    const view = await changeable(tx, of);
    await store.removeView(tx, { org_id: of.actor.org_id, id: view.id });
    if (view.shared === 1) await record(tx, of.actor, "view.deleted", view);
    return { id: view.id };
  },
);

/**
 * Keeps the columns of a list that the caller sees; null: the default ones. It concerns no one
 * else, and no one is notified.
 */
export const putColumns = defineTransaction(
  "views.put-columns",
  async (
    tx,
    { actor: { org_id, user_id }, list, columns }: {
      actor: Actor;
      list: List;
      columns: string[] | null;
    },
  ): Promise<{ list: List; columns: string[] | null }> => {
    const text = columns === null ? null : JSON.stringify(columns);
    await store.putColumns(tx, { org_id, user_id, list: storedList(list), columns: text });
    return { list, columns };
  },
);

function written({ name, query, shared }: ViewInput, at: string) {
  return {
    name,
    query: JSON.stringify(query),
    shared: shared ? 1 : 0,
    changed_at: at,
  };
}

/** The view, held, as the caller may change it. */
async function changeable(tx: Tx, { actor, permissions, id, ifMatch }: OfView): Promise<ViewRow> {
  await store.lockViews(tx, { org_id: actor.org_id });
  const view = await store.findView(tx, { org_id: actor.org_id, id });
  if (!view || !isFor({ user_id: actor.user_id, permissions }, view)) {
    throw new Failure("not_found");
  }
  if (view.shared === 1) requireSharing({ permissions });
  requireRevision(ifMatch, viewRevision(view));
  return view;
}

function requireSharing(by: Pick<ByViewer, "permissions">): void {
  if (mayShare(by)) return;
  throw new Failure("access_denied");
}

/** Of the same list, one's own views have different names, and so have the shared ones. */
async function requirePlace(
  tx: Tx,
  org_id: string,
  view: ViewRow,
  before: ViewRow | undefined,
): Promise<void> {
  const beside = view.shared === 1
    ? await store.sharedViews(tx, { org_id })
    : (await store.viewsOf(tx, { org_id, owner: view.owner })).filter(({ shared }) => shared === 0);
  const others = beside.filter(({ id }) => id !== view.id);
  const isNewThere = before?.shared !== view.shared;
  if (isNewThere && others.length >= (view.shared === 1 ? MOST_SHARED : MOST_OWN)) {
    throw new Failure("too_many_views");
  }
  const name = view.name.toLowerCase();
  if (others.some((one) => one.list === view.list && one.name.toLowerCase() === name)) {
    throw new Failure("view_name_taken");
  }
}

function actionOf(before: ViewRow, after: ViewRow): string {
  if (before.shared === after.shared) return "view.updated";
  return after.shared === 1 ? "view.shared" : "view.unshared";
}

/** Filters may hold what is personal, so the audit log has the name alone. */
async function record(
  tx: Tx,
  actor: Actor,
  action: string,
  { id, name, list }: ViewRow,
): Promise<void> {
  await recordChange(tx, actor, { action, object_id: id, detail: { name, list } });
}

/** The written view, with the name of its maker. */
async function viewOf(tx: Tx, { actor, permissions }: ByViewer, id: string): Promise<View> {
  const row = await store.findView(tx, { org_id: actor.org_id, id });
  if (!row) throw new Error("written just now");
  return toView(row, { user_id: actor.user_id, permissions });
}

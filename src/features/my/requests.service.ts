import type { z } from "zod";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { source, walk } from "../../kernel/walk.ts";
import type { RequestState } from "../key-requests/key-request.ts";
import { parseHead, parseTail, termsOf } from "../key-requests/stored-request.ts";
import { findV1, type V1Row, walkRequests } from "../key-requests/v1.store.ts";
import { type MyContext, ownerOf, type Theirs, theirsOf } from "./own.ts";
import { keysOfRequests, waitingKeys } from "./own-standing.store.ts";
import { planNamer } from "./plan-names.ts";
import type { listMyRequests, myRequest } from "./requests.contract.ts";

type MyRequest = z.output<typeof myRequest>;

/** What whoever asked reads of a state. */
const STATES = {
  pending: "pending",
  issued: "approved",
  declined: "declined",
} as const satisfies Record<RequestState, MyRequest["state"]>;

/** A page of the caller's requests, newest first. Throws `invalid_input` for a foreign cursor. */
export async function list(
  ctx: MyContext,
  query: z.output<NonNullable<typeof listMyRequests.query>>,
): Promise<z.output<typeof listMyRequests.response>> {
  const { org_id, developer_id: named } = ownerOf(ctx);
  const theirs = await theirsOf(ctx);
  const own = source(
    (place, limit) => {
      const page = { newestFirst: true, place, limit };
      return walkRequests(ctx.storage.reader, org_id, { walk: "developer", named }, page);
    },
    (row) => ({ sort: row.instant, id: row.id }),
  );
  const { rows, next_cursor } = await walk({
    order: "my requests",
    first: { sort: "~", id: "" },
    sources: [own],
    wanted: (row) =>
      theirs.isRequest(row.instant) &&
      (query.state === undefined || STATES[row.state] === query.state),
  }, query);
  return { data: await show(ctx, rows, theirs), next_cursor };
}

/** One of the caller's requests. Throws `not_found`, for another's too. */
export async function get(ctx: MyContext, id: string): Promise<MyRequest> {
  const { org_id, developer_id } = ownerOf(ctx);
  const theirs = await theirsOf(ctx);
  const row = await findV1(ctx.storage.reader, { org_id, id });
  const isTheirs = row?.by_user === developer_id && theirs.isRequest(row.instant);
  const [shown] = isTheirs ? await show(ctx, [row], theirs) : [];
  if (!shown) throw new Failure("not_found");
  return shown;
}

async function show(
  ctx: MyContext,
  rows: readonly V1Row[],
  theirs: Theirs,
): Promise<MyRequest[]> {
  if (rows.length === 0) return [];
  const { storage: { reader }, clock } = ctx;
  const owner = ownerOf(ctx);
  const plans = rows.map((row) => termsOf(row).plans);
  const namesOf = await planNamer(reader, owner.org_id, plans);
  const keyOf = await keysFinder(ctx, rows, theirs);
  const waiting = await waitingKeys(reader, owner, toTimestamp(clock.now()));
  return rows.map((row, i) => {
    const key = row.state === "issued" ? keyOf(row) : undefined;
    return {
      id: row.id,
      state: STATES[row.state],
      plans: namesOf(plans[i] ?? []),
      fields: parseHead(row).fields,
      date_created: parseTail(row).date_created,
      decided_at: row.state === "issued" ? row.issued_at : row.decided_at,
      // What is said with an approval is for those who approve.
      reason: row.state === "declined" ? row.decision_reason : null,
      key: key
        ? { id: key.key_id, mask: key.mask, waits_until: waiting.get(key.key_id) ?? null }
        : null,
    };
  });
}

/** Finds the key of a request that was approved: the newest, where it was rotated since. */
async function keysFinder(ctx: MyContext, rows: readonly V1Row[], theirs: Theirs) {
  const issued = rows.filter(({ state }) => state === "issued").map(({ id }) => id);
  const keys = (await keysOfRequests(ctx.storage.reader, ownerOf(ctx), issued))
    .filter(({ key_id }) => theirs.isKey(key_id))
    .toSorted((a, b) =>
      Number(a.replaced_by !== null) - Number(b.replaced_by !== null) ||
      (a.issued_at < b.issued_at ? 1 : -1)
    );
  return ({ id }: V1Row) => keys.find(({ request_id }) => request_id === id);
}

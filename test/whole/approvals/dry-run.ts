/** Calls whose change is looked at and then taken back: any number of them meet the same state. */
import { Failure } from "../../../src/kernel/failure.ts";
import { statement } from "../../../src/storage/statement.ts";
import { defineTransaction, type Transaction, type Tx } from "../../../src/storage/storage.ts";
import type { TestDesk } from "../../support/desk.ts";

/** What a change wrote: its rows, as texts. */
export interface Written {
  audit: string[];
  outbox: string[];
  request: string;
  keys: string[];
}

/** The change that is looked at, and what came of it. */
interface Tried {
  transaction: Transaction<never, unknown>;
  input: unknown;
  at: string;
  request_id: string;
  output?: unknown;
  written?: Written;
}

const TAKEN_BACK = "looked at, and taken back";
let tried: Tried | undefined;

const auditSql = statement<{ at: string }>()((db, p) =>
  db.selectFrom("audit_events").select(["actor", "action", "object_id", "detail", "personal"])
    .where("at", "=", p.at).orderBy("id")
);
const outboxSql = statement<{ at: string }>()((db, p) =>
  db.selectFrom("outbox_events").select(["topic", "object_id", "actor", "detail"])
    .where("at", "=", p.at).orderBy("id")
);
const requestSql = statement<{ id: string }>()((db, p) =>
  db.selectFrom("key_requests").select([
    "state",
    "approved",
    "issued_at",
    "issued_by",
    "decided_by",
    "decision_reason",
    "message",
    "granted",
    "offer",
    "decided_on",
    "policy",
    "expires_at",
    "due_at",
  ]).where("id", "=", p.id)
);
const keysSql = statement<{ id: string }>()((db, p) =>
  db.selectFrom("credentials").innerJoin(
    "key_requests",
    (join) =>
      join.onRef("key_requests.org_id", "=", "credentials.org_id")
        .onRef("key_requests.by_user", "=", "credentials.developer_id"),
  ).select([
    "credentials.kind",
    "credentials.state",
    "credentials.plans",
    "credentials.request_id",
    "credentials.issued_at",
    "credentials.issued_by",
    "credentials.expires_at",
    "credentials.name",
    "credentials.conditions",
    "credentials.end_chosen_at",
    "credentials.review_at",
  ]).where("key_requests.id", "=", p.id).orderBy("credentials.issued_at")
);

/** The transaction that a desk needs for dry runs. */
export const dryRunTransaction = defineTransaction("test.dry-run", async (tx) => {
  if (!tried) throw new Error("nothing to look at");
  // as: the handler gave this input with this transaction.
  tried.output = await tried.transaction.run(tx, tried.input as never);
  tried.written = await writtenBy(tx, tried);
  throw new Failure("unavailable", { message: TAKEN_BACK });
});

async function writtenBy(tx: Tx, { at, request_id: id }: Tried): Promise<Written> {
  const texts = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row));
  return {
    audit: texts(await tx.rows(auditSql, { at })),
    outbox: texts(await tx.rows(outboxSql, { at })),
    request: JSON.stringify(await tx.row(requestSql, { id })),
    keys: texts(await tx.rows(keysSql, { id })),
  };
}

/** What a call was answered, and what it would have written. */
export interface DryRun {
  status: number;
  body: string;
  error: string | null;
  written: Written | null;
}

/** Has all changes of a desk taken back from now on, until it is disposed of. */
export function dryRunsOf({ app: { ctx: { storage, clock } } }: TestDesk): {
  /** Makes a call about this request. */
  run(request_id: string, call: () => Promise<Response>): Promise<DryRun>;
  [Symbol.dispose](): void;
} {
  const { commit } = storage;
  let last: Tried | undefined;
  let about = "";
  storage.commit = async (transaction, input) => {
    const mine: Tried = {
      // as: its input is handed back to it as it came.
      transaction: transaction as unknown as Transaction<never, unknown>,
      input,
      at: new Date(clock.now()).toISOString(),
      request_id: about,
    };
    last = tried = mine;
    try {
      await commit.call(storage, dryRunTransaction as never, {} as never);
    } catch (error) {
      if (!(error instanceof Failure && error.message === TAKEN_BACK)) throw error;
    }
    // as: what the transaction itself gave.
    return mine.output as never;
  };
  return {
    run: async (request_id, call) => {
      about = request_id;
      last = undefined;
      const response = await call();
      // as: the closure above sets it.
      const written = (last as Tried | undefined)?.written ?? null;
      const error = response.headers.get("x-keydesk-error");
      return { status: response.status, body: await response.text(), error, written };
    },
    [Symbol.dispose]: () => void (storage.commit = commit),
  };
}

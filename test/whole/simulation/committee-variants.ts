/**
 * Ways to break what a committee decides by, each by wrapping transactions. The simulation must
 * find every one.
 */
import { type Statement, statement } from "../../../src/storage/statement.ts";
import { defineTransaction, type Transaction, type Tx } from "../../../src/storage/storage.ts";
import { asItIs, type Variant } from "./variants.ts";
import { virtual } from "./virtual.ts";

type Params = Record<string, unknown>;
type Wrapped = { sql: string; params: Params };

/** For so long a request is seen as somebody saw it before. */
const STALE_MS = 40;
/** The longest life of all offers is over long before. */
const FOR_EVER = "2999-01-01T00:00:00.000Z";

const isLock = (sql: string) => /^select .*"reminded_at".* from "key_requests"/.test(sql);
const isPolicy = (sql: string) => /^update "key_requests" set "policy" = /.test(sql);

/** By their names. */
export const committeeVariants: Readonly<Record<string, Variant>> = {
  [asItIs]: {},
  "a step is counted twice": writing(({ sql, params }) =>
    isPolicy(sql)
      ? policyWith(params, (given) => {
        const last = given.at(-1);
        return last ? [...given, last] : given;
      })
      : params
  ),
  "a step is lost where another follows": writing(({ sql, params }) =>
    isPolicy(sql)
      ? policyWith(params, (given) => given.length === 2 ? given.slice(1) : given)
      : params
  ),
  "whoever asks may decide": reading((row, sql) =>
    /"sign_in_rules"/.test(sql) && "covers" in row ? { ...row, email: null } : row
  ),
  "whoever filed may decide": reading((row, sql) =>
    isLock(sql) && typeof row.policy === "string"
      ? { ...row, policy: row.policy.replace('"not_by_filer":true', '"not_by_filer":false') }
      : row
  ),
  "an offer past its time is accepted": reading(
    (row, sql) =>
      isLock(sql) && typeof row.offer === "string"
        ? {
          ...row,
          offer: row.offer.replace(
            /("by":"[^"]*","expires_at":")[^"]*/,
            (_, start) => `${start}${FOR_EVER}`,
          ),
        }
        : row,
    "key-requests.accept-offer",
  ),
  "an offer that was turned down is accepted": reading(
    (row, sql) =>
      isLock(sql) && typeof row.offer === "string"
        ? { ...row, offer: JSON.stringify({ ...JSON.parse(row.offer), answer: null }) }
        : row,
    "key-requests.accept-offer",
  ),
  "what the last one grants is granted": writing(({ sql, params }) =>
    isPolicy(sql)
      ? policyWith(
        params,
        (given) => given.map((one, n) => n < given.length - 1 ? { ...one, terms: null } : one),
      )
      : params
  ),
  "steps stay though the request was edited": {
    transaction: (one) => {
      if (one.id !== "key-requests.update") return one;
      return wrapped(one, (tx) => {
        let policy: unknown = null;
        return {
          ...tx,
          row: async (statement, params) => {
            const row = await tx.row(statement, params);
            if (isLock(sqlOf(tx, statement))) policy = (row as Params | undefined)?.policy ?? null;
            return row;
          },
          send: (statement, params) =>
            "policy" in params && policy !== null
              ? tx.send(statement, { ...params, policy })
              : tx.send(statement, params),
        };
      });
    },
  },
  "a request ends by itself though somebody decided it": {
    transaction: (one) => {
      if (one.id !== "alerts.end-waiting-requests") return one;
      return wrapped(one, (tx) => ({
        ...tx,
        rows: async (statement, params) =>
          /"due_at" from "key_requests"/.test(sqlOf(tx, statement))
            // as: the columns are the same, and so are the parameters.
            ? await tx.rows(everyDueSql, params as never) as never
            : await tx.rows(statement, params),
        change: async (statement, params) => Math.max(1, await tx.change(statement, params)),
      }));
    },
  },
  "a request ends by itself and nobody was reminded": {
    transaction: (one) => {
      if (one.id !== "alerts.end-waiting-requests") return one;
      return wrapped(one, (tx) => ({
        ...tx,
        rows: async (statement, params) => {
          const rows = await tx.rows(statement, params);
          if (!/"due_at" from "key_requests"/.test(sqlOf(tx, statement))) return rows;
          // as: rows of the same statement, of which what is due is their end.
          return (rows as Params[]).map((row) => ({ ...row, due_at: row.expires_at })) as never;
        },
      }));
    },
  },
  "a request is seen as it was before": {
    transaction: (one) =>
      wrapped(one, (tx) => ({
        ...tx,
        row: async (statement, params) => {
          const row = await tx.row(statement, params);
          const { id } = params as { id?: string };
          if (!row || id === undefined || !isLock(sqlOf(tx, statement))) return row;
          const kept = seen.get(id);
          if (kept && virtual.elapsed - kept.at < STALE_MS && virtual.elapsed >= kept.at) {
            // as: it is a row of the same statement.
            return kept.row as typeof row;
          }
          seen.set(id, { row, at: virtual.elapsed });
          return row;
        },
      })),
  },
};

/** Of these an end comes by itself; also of those that somebody decided. */
const everyDueSql = statement<{ org_id: string; now: string }>()((db, p) =>
  db.selectFrom("key_requests")
    .select(["id", "state", "approved", "instant", "head", "tail", "offer", "policy"])
    .select(["expires_at", "due_at"])
    .where("org_id", "=", p.org_id).where("due_at", "<=", p.now)
);

const seen = new Map<string, { row: unknown; at: number }>();

/** Changes what is written. */
function writing(change: (written: Wrapped) => Params): Variant {
  return {
    transaction: (one) =>
      wrapped(one, (tx) => ({
        ...tx,
        change: (statement, params) =>
          // as: what is written has the same members.
          tx.change(
            statement,
            change({ sql: sqlOf(tx, statement), params: params as Params }) as typeof params,
          ),
      })),
  };
}

/** Changes what is read; `id`: in this transaction alone. */
function reading(change: (row: Params, sql: string) => Params, id?: string): Variant {
  return {
    transaction: (one) => {
      if (id !== undefined && one.id !== id) return one;
      return wrapped(one, (tx) => ({
        ...tx,
        row: async (statement, params) => {
          const row = await tx.row(statement, params);
          // as: a row of the same statement, of which some values are others.
          return row && change(row as Params, sqlOf(tx, statement)) as typeof row;
        },
      }));
    },
  };
}

interface Given {
  terms: unknown;
}

function policyWith(params: Params, change: (given: Given[]) => Given[]): Params {
  if (typeof params.policy !== "string") return params;
  const policy = JSON.parse(params.policy);
  return { ...params, policy: JSON.stringify({ ...policy, given: change(policy.given) }) };
}

const sqlOf = (tx: Tx, statement: Statement<never, unknown>) => statement.compile(tx.dialect).sql;

const wrapped = (of: Transaction<never, unknown>, wrap: (tx: Tx) => Tx) =>
  defineTransaction(of.id, (tx, input: never) => of.run(wrap(tx), input));

import { sql } from "kysely";
import { type Statement, statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { leastIdAt, type RetainedTable } from "./retained.ts";

/** Rows read at once: as many as one transaction removes. */
const AT_ONCE = 200;

/** The exported columns of each table: all but secrets. */
const exportedColumns: Record<RetainedTable, readonly string[]> = {
  audit_events: [
    "id",
    "at",
    "actor",
    "action",
    "object",
    "object_id",
    "detail",
    "personal",
    "token_id",
    "session",
    "request_id",
    "caller_request_id",
    "client_address",
  ],
  outbox_events: ["id", "at", "topic", "object_id", "request_id", "caller_request_id", "actor"],
  deliveries: [
    "id",
    "target_id",
    "event_id",
    "topic",
    "object_id",
    "at",
    "state",
    "first_try_at",
    "ended_at",
  ],
  claims: [
    "id",
    "state",
    "key_id",
    "key_request_id",
    "request_id",
    "access_token_id",
    "created_by",
    "created_at",
    "expires_at",
    "closed_at",
  ],
};

type Params = { org_id: string; before: string; behind_at: string; behind: string };
/** A row of an export. */
export type ExportedRow = { id: string } & Record<string, string | null>;

const pageSql = {
  audit_events: page("audit_events"),
  outbox_events: page("outbox_events"),
  deliveries: page("deliveries"),
  claims: page("claims"),
};

function page(of: RetainedTable): Statement<Params, ExportedRow> {
  return statement<Params>()<ExportedRow>((db, p) => ({
    compile: () => {
      const columns = sql.join(exportedColumns[of].map(columnOf));
      const where = of === "claims"
        ? sql`org_id = ${p.org_id} and created_at < ${p.before} and expires_at < ${p.before}
          and (created_at, id) > (${p.behind_at}, ${p.behind}) order by created_at, id`
        : sql`org_id = ${p.org_id} and id < ${p.before} and id > ${p.behind}
          ${sql.raw(of === "deliveries" ? "and ended_at is not null" : "")} order by id`;
      return sql<ExportedRow>`select ${columns} from ${sql.table(of)} where ${where}
        limit ${sql.lit(AT_ONCE)}`.compile(db);
    },
  }));
}

/** A column under the name that it goes out by. */
function columnOf(name: string) {
  return name === "key_request_id" ? sql`request_id as key_request_id` : sql.ref(name);
}

/** Up to 200 rows of an organisation from before a time, the oldest first, behind `behind`. */
export async function oldRowsBehind(
  db: Connection,
  of: RetainedTable,
  org_id: string,
  before: string,
  behind: ExportedRow | undefined,
): Promise<ExportedRow[]> {
  return await db.rows(pageSql[of], {
    org_id,
    before: of === "claims" ? before : leastIdAt(before),
    behind_at: behind?.created_at ?? "",
    behind: behind?.id ?? "",
  });
}

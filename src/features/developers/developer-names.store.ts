import { sql } from "kysely";
import type { EventNames } from "../../changes/event-names.ts";
import { developerWhoActs } from "../../contract/actor-types.ts";
import { statement } from "../../storage/statement.ts";
import type { Connection } from "../../storage/storage.ts";
import { calledDeveloper, namesInText } from "./developer-names.ts";

const documentsSql = statement<{ org_id: string; ids: string }>()((db, p, dialect) =>
  db.selectFrom("developers").select(["id", "document"]).where("org_id", "=", p.org_id).where(
    "id",
    "in",
    dialect === "postgres"
      ? sql<string>`(select w.value from json_array_elements_text(${p.ids}::json) as w)`
      : sql<string>`(select w.value from json_each(${p.ids}) as w)`,
  )
);

/** The current names of these developers, by id; one query. */
export async function namesOfDevelopers(
  db: Connection,
  org_id: string,
  ids: readonly string[],
): Promise<Map<string, EventNames>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows(documentsSql, { org_id, ids: JSON.stringify(ids) });
  return new Map(rows.map(({ id, document }) => [id, namesInText(document) ?? {}]));
}

/**
 * The current names of the developers among these actors, by the actor as the audit log has it:
 * their name, else their address. One query; none if no developer is among them.
 */
export async function namesOfActors(
  db: Connection,
  org_id: string,
  actors: readonly string[],
): Promise<Map<string, string>> {
  const acting = new Map(actors.flatMap((actor) => {
    const id = developerWhoActs(actor);
    return id === undefined ? [] : [[actor, id] as const];
  }));
  const names = await namesOfDevelopers(db, org_id, [...new Set(acting.values())]);
  return new Map([...acting].flatMap(([actor, id]) => {
    const called = calledDeveloper(names.get(id));
    return called === "" ? [] : [[actor, called] as const];
  }));
}

/** What the plain statements of a table say. */
import assert from "node:assert/strict";
import { builders, type QueryBuilder } from "../../src/storage/statement.ts";
import { finds, inserts, puts, removes, updates } from "../../src/storage/table-statements.ts";

const row = { org_id: "o", person_id: "p", delegate_id: "d", until: "u", created_at: "c" };

function textOf<P>(
  build: (db: QueryBuilder, params: P) => { compile(): { sql: string } },
  params: P,
): string {
  return build(builders.sqlite, params).compile().sql.replaceAll('"', "");
}

Deno.test("table statements: without other words a row is whole and named by its key", () => {
  const named = "where org_id = ? and person_id = ?";
  assert.equal(
    textOf(finds("delegations"), row),
    `select org_id, person_id, delegate_id, until, created_at from delegations ${named}`,
  );
  const added = "insert into delegations (org_id, person_id, delegate_id, until, created_at) " +
    "values (?, ?, ?, ?, ?)";
  assert.equal(textOf(inserts("delegations"), row), added);
  assert.equal(
    textOf(puts("delegations"), row),
    `${added} on conflict (org_id, person_id) do update set delegate_id = excluded.delegate_id, ` +
      "until = excluded.until, created_at = excluded.created_at",
  );
  assert.equal(
    textOf(updates("delegations", "until"), row),
    `update delegations set until = ? ${named}`,
  );
  assert.equal(textOf(removes("delegations"), row), `delete from delegations ${named}`);
});

Deno.test("table statements: columns, names and order can be given", () => {
  const found = finds("delegations", {
    columns: ["until"],
    by: ["org_id", "delegate_id"],
    order: ["person_id"],
  });
  assert.equal(
    textOf(found, row),
    "select until from delegations where org_id = ? and delegate_id = ? order by person_id",
  );
  assert.equal(
    textOf(inserts("delegations", { but: ["created_at"], unless: ["org_id"] }), row),
    "insert into delegations (org_id, person_id, delegate_id, until) values (?, ?, ?, ?) " +
      "on conflict (org_id) do nothing",
  );
  assert.match(textOf(puts("delegations", "until"), row), /do update set until = excluded.until$/);
  assert.equal(
    textOf(removes("delegations", "org_id"), row),
    "delete from delegations where org_id = ?",
  );
});

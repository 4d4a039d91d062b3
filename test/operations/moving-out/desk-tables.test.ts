/** What travels with a desk: nobody forgets a table or a column. */
import assert from "node:assert/strict";
import { locationOf } from "../../../src/desk.ts";
import {
  columnName,
  deskTableNames,
  shapeOf,
} from "../../../src/operations/own-form/desk-tables.ts";
import { leftBehind } from "../../../src/operations/own-form/left-behind.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import { testOnEngines } from "../../support/desk.ts";

/** Columns that are made anew where the rows arrive, or are the store's own. */
const MADE_ANEW: Readonly<Record<string, readonly string[]>> = {
  users: ["org_id", "checksum", "role"],
  organisations: ["id", "date_created"],
  certificates: ["org_id", "position", "names", "renewal_names"],
  developers: ["org_id", "worded", "sso_key_hash", "email_folded"],
  credentials: ["org_id", "checksum"],
  delivery_targets: ["org_id", "starts_behind", "failing_since", "failures", "wake_by"],
};

testOnEngines(
  "export: every table travels or stays behind for a reason, with every column",
  async (desk) => {
    const session = await openSession(locationOf(desk.config));
    try {
      const known = new Set<string>([...deskTableNames, ...Object.keys(leftBehind)]);
      const tables = await session.tables();
      assert.deepEqual(tables.map(({ name }) => name).filter((name) => !known.has(name)), []);
      assert.deepEqual(deskTableNames.filter((name) => name in leftBehind), []);
      for (const { name, columns } of tables) {
        const table = deskTableNames.find((one) => one === name);
        if (!table) continue;
        const travel = shapeOf(table).columns.map(columnName);
        const all = [...travel, ...MADE_ANEW[name] ?? ["org_id"]].sort();
        assert.deepEqual(all, columns.map((column) => column.name).sort(), name);
        const integers = columns.filter(({ type }) => type === "integer").map((one) => one.name);
        const said = shapeOf(table).columns.filter((word) => /#\??$/.test(word)).map(columnName);
        assert.deepEqual(said.sort(), integers.filter((one) => travel.includes(one)).sort(), name);
      }
    } finally {
      await session.close();
    }
  },
);

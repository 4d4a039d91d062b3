/** What travels with a desk: nobody forgets a table. */
import assert from "node:assert/strict";
import { locationOf } from "../../../src/open-server.ts";
import { archiveTableNames } from "../../../src/maintenance/archive/archive-tables.ts";
import { leftBehind } from "../../../src/maintenance/archive/left-behind.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import { testOnEngines } from "../../support/desk.ts";

testOnEngines(
  "export: every table travels or stays behind for a reason",
  async (desk) => {
    const session = await openSession(locationOf(desk.config));
    try {
      const known = new Set<string>([...archiveTableNames, ...Object.keys(leftBehind)]);
      const tables = await session.tables();
      assert.deepEqual(tables.map(({ name }) => name).filter((name) => !known.has(name)), []);
      assert.deepEqual(archiveTableNames.filter((name) => name in leftBehind), []);
    } finally {
      await session.close();
    }
  },
);

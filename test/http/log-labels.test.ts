/** The label of a path in the access log: one, whatever the method and the status. */
import assert from "node:assert/strict";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/kernel/log.ts";
import { routeTable } from "../../src/route-table.ts";
import { openApplication } from "../../src/server.ts";
import { transactions } from "../../src/transactions.ts";
import { temporaryFolder } from "../support/command.ts";

Deno.test("wire: a path has one label in the log, whether its method is taken or 405", async () => {
  await using folder = await temporaryFolder();
  const lines: string[] = [];
  const application = await openApplication(readConfig({ KEYDESK_DATA_DIR: folder.path }), {
    writer: { thread: false, transactions },
    log: createLog("info", (line) => lines.push(line)),
  });
  const logged = async (method: string, path: string) => {
    const response = await application.fetch(new Request(`http://desk.test${path}`, { method }));
    await response.body?.cancel();
    const { path: label, status } = JSON.parse(lines.pop() ?? "{}");
    return { label, status };
  };
  const wrong: string[] = [];
  let paths = 0;
  for (const { methods, path, otherPaths = [], wholeTree } of routeTable) {
    if (wholeTree) continue;
    for (const declared of [path, ...otherPaths]) {
      const real = declared.replaceAll(/\{\w+\}/g, "x");
      const refused = await logged("FOO", real);
      assert.equal(refused.status, 405, declared);
      for (const method of methods) {
        const taken = await logged(method, real);
        assert.notEqual(taken.status, 405, declared);
        if (taken.label !== refused.label) wrong.push(`${method} ${declared}: ${taken.label}`);
      }
      paths++;
    }
  }
  await application.ctx.storage.close();
  assert.deepEqual(wrong, []);
  assert.ok(paths > routeTable.length);
});

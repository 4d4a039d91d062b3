/**
 * A store that an earlier release made says at each start, and to `keydesk doctor`, that it demands
 * no checksums yet.
 */
import assert from "node:assert/strict";
import { keydesk, startServerProcess, temporaryFolder } from "../support/command.ts";
import { engines } from "../support/desk.ts";
import { eventually } from "../support/eventually.ts";
import {
  BEFORE_CHECKSUMS,
  copyOldStore,
  OLD_ADMIN,
  OLD_SEALING_KEY,
} from "../support/old-stores.ts";

const DEMAND = "keydesk check --demand";

for (const engine of engines) {
  Deno.test({
    name: `${engine}: that no checksums are demanded is told until they are`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using folder = await temporaryFolder();
      const settings = {
        KEYDESK_DATA_DIR: folder.path,
        KEYDESK_ADMIN_TOKEN: OLD_ADMIN,
        KEYDESK_SEALING_KEY: OLD_SEALING_KEY,
        ...await copyOldStore(BEFORE_CHECKSUMS, engine, folder.path),
      };
      const doctor = async () =>
        (await keydesk(["doctor"], { ...settings, KEYDESK_PORT: "0" })).stdout.split("\n")
          .filter((line) => line.includes(DEMAND));
      const server = await startServerProcess(settings);
      const isWarning = (line: string) => line.includes('"warn"') && line.includes(DEMAND);
      await eventually(
        "the warning of the start",
        () => Promise.resolve(server.stdout().split("\n").some(isWarning)),
      );
      await server.stop();
      const [warned = "", ...more] = await doctor();
      assert.match(warned, /^warn +store +Checksums are not demanded yet/);
      assert.deepEqual(more, []);
      const demanded = await keydesk(["check", "--demand"], settings);
      assert.equal(demanded.code, 0, demanded.stderr);
      assert.deepEqual(await doctor(), []);
    },
  });
}

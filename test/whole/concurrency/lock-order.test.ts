import assert from "node:assert/strict";
import { fullKeyRequest } from "../../../src/features/key-requests/key-requests.example.ts";
import { approve } from "../../../src/features/key-requests/key-requests.operations.ts";
import { create } from "../../../src/features/key-requests/key-requests.service.ts";
import { withDesks } from "../../support/desks.ts";
import { readLedger } from "../../support/ledger.ts";
import { sharedPostgres } from "../../support/postgres.ts";

Deno.test({
  name: "postgres: creates and approvals that meet on a new developer never wait in a circle",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withDesks("postgres", 3, async (desks) => {
      const deskOf = (n: number) => {
        const desk = desks[n % desks.length];
        assert.ok(desk);
        return desk;
      };
      for (let round = 0; round < 40; round++) {
        const id = `dev-${round}`;
        const least = { by_user: id, for_plan: "plan" };
        const developer = { ...fullKeyRequest.portal_developer, id, email: `${id}@example.org` };
        const pending = await Promise.all(
          Array.from({ length: 8 }, (_, n) => create(deskOf(n), least)),
        );
        // Approvals register the developer by the id alone, creates from what is embedded.
        await Promise.all([
          ...pending.map((request, n) => approve(deskOf(n), request, null)),
          ...Array.from(
            { length: 12 },
            (_, n) => create(deskOf(n), { ...least, portal_developer: developer }),
          ),
        ]);
      }
      assert.equal((await readLedger(deskOf(0).storage.reader)).keysOf.size, 320);
      const log = await (await sharedPostgres()).log();
      assert.doesNotMatch(log, /deadlock detected/);
    }),
});

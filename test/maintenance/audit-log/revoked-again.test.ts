/** What was revoked stays refused by a store that was put back to before. */
import assert from "node:assert/strict";
import { RevokedLately } from "../../../src/calls/revoked-lately.ts";
import { createLog } from "../../../src/kernel/log.ts";
import { acceptRewound } from "../../../src/maintenance/restored/accept-rewound.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { HeadWatch } from "../../../src/maintenance/audit-log/head-watch.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/keys.ts";
import { newPerson } from "../../support/people.ts";
import { type Asked, issueKnown, outcome, withSecond } from "../../support/verification.ts";
import { AUDIT_LOG_TABLES, photograph } from "./log-desk.ts";

const silent = createLog("silent", () => {});
const TABLES = [...AUDIT_LOG_TABLES, "credentials", "access_tokens", "users"];

/** What a server does within seconds: the audit log is taken in, and looked at. */
async function look(desk: TestDesk): Promise<HeadWatch> {
  await appendAll(desk.app.ctx);
  const watch = new HeadWatch(desk.app.ctx, desk.config.DATA_DIR, silent);
  await watch.look();
  await watch.keep();
  return watch;
}

async function statusAt({ app }: Asked, credential: string): Promise<number> {
  const headers = { authorization: credential };
  return (await app.fetch(new Request("http://desk.test/v1/me", { headers }))).status;
}

const problemsOf = ({ app }: Asked) => app.ctx.problems.current().map(({ name }) => name);

testOnEngines(
  "audit log: keys, access tokens and people that were revoked stay so when the store is put back",
  async (desk) => {
    const key = await issueKnown(desk);
    const token = await newPerson(desk, ["portal:read"]);
    const person = await newPerson(desk, ["portal:read"]);
    await look(desk);
    const putBack = await photograph(desk, TABLES);
    const body = { reason: "lost" };
    await call(desk, "POST", `/v1/keys/${key.key_id}/revoke`, body);
    await call(desk, "DELETE", `/v1/credentials/${token.credential_id}`);
    await call(desk, "DELETE", `/v1/people/${person.id}`);
    await look(desk);
    await putBack();
    const opens = async (asked: Asked) => [
      await outcome(asked, key.RawKey),
      await statusAt(asked, token.credential),
      await statusAt(asked, person.credential),
    ];
    await withSecond(desk, async (second) => {
      const [verdict, ...statuses] = await opens(second);
      assert.notEqual(verdict, "valid");
      assert.deepEqual(statuses, [401, 401]);
      assert.deepEqual(problemsOf(second), ["revoked_again"]);
      assert.match(
        second.app.ctx.problems.current()[0]?.reason ?? "",
        /was revoked at .* stays refused/,
      );
    });
    // Somebody who may says that the store is to be taken as it stands.
    const machine = new HeadWatch(desk.app.ctx, desk.config.DATA_DIR, silent);
    const [rewound] = await machine.look();
    assert.ok(rewound);
    await machine.accept(rewound.known, "meant so");
    await machine.keep();
    await withSecond(desk, async (second) => {
      assert.deepEqual(await opens(second), ["valid", 200, 200]);
      assert.deepEqual(problemsOf(second), []);
    });
  },
);

testOnEngines(
  "audit log: taken as it stands, what was revoked is ended again, and stays known",
  async (desk) => {
    const { ctx } = desk.app;
    const key = await issueKnown(desk);
    const token = await newPerson(desk, ["portal:read"]);
    const person = await newPerson(desk, ["portal:read"]);
    await look(desk);
    const putBack = await photograph(desk, [...TABLES, "credential_plans"]);
    await call(desk, "POST", `/v1/keys/${key.key_id}/revoke`, { reason: "lost" });
    await call(desk, "DELETE", `/v1/credentials/${token.credential_id}`);
    await call(desk, "DELETE", `/v1/people/${person.id}`);
    await look(desk);
    for (let turn = 0; turn < 2; turn++) {
      await putBack();
      const watch = new HeadWatch(ctx, desk.config.DATA_DIR, silent);
      const rewound = await watch.look();
      const endings = await acceptRewound(ctx, watch, rewound, { reason: "meant", reopen: false });
      // With the person their access token is revoked, too.
      assert.deepEqual(
        endings.map(({ of, id }) => [of, id]).toSorted(),
        [
          ["access token", token.credential_id],
          ["key", key.key_id],
          ["person", person.id],
        ],
      );
      assert.deepEqual(await new HeadWatch(ctx, desk.config.DATA_DIR, silent).look(), []);
      await withSecond(desk, async (second) => {
        assert.equal(await outcome(second, key.RawKey), "revoked");
        const statuses = [token, person].map(({ credential }) => statusAt(second, credential));
        assert.deepEqual(await Promise.all(statuses), [401, 401]);
        assert.deepEqual(problemsOf(second), []);
      });
    }
  },
);

testOnEngines("audit log: a key that was revoked and brought back opens at once", async (desk) => {
  const { RawKey, key_id } = await issueKnown(desk);
  const credential = await desk.token(["revoke"]);
  await call(desk, "POST", `/v1/keys/${key_id}/revoke`, { reason: "by mistake" }, { credential });
  await look(desk);
  await call(desk, "POST", `/v1/keys/${key_id}/restore`, { reason: "was none" });
  await withSecond(desk, async (second) => {
    assert.equal(await outcome(second, RawKey), "valid", "before the next look");
    assert.deepEqual(problemsOf(second), []);
  });
  await look(desk);
  const known = new RevokedLately(desk.config.DATA_DIR);
  await known.load();
  assert.equal(known.size, 0);
});

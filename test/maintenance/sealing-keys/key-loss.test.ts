/**
 * The drill: the sealing key is lost. What goes on, what is gone, and how the store gets whole
 * again.
 */
import assert from "node:assert/strict";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { resealChunk } from "../../../src/maintenance/sealing-keys/reseal.transactions.ts";
import { makeDemo } from "../../../src/maintenance/seed/demo.ts";
import { seedTransaction } from "../../../src/maintenance/seed/seed.transactions.ts";
import { statement } from "../../../src/storage/statement.ts";
import { add, issue, listed } from "../../support/certificates.ts";
import { keydesk, temporaryFolder } from "../../support/command.ts";
import { type Engine, engines, openTestDesk, tampered, type TestDesk } from "../../support/desk.ts";
import { approvalOf, create, pathOf, smallRequest } from "../../support/key-requests.ts";
import { tokenOf, tryOpen, v1 } from "../../support/v1-requests.ts";
import { tokenFor } from "../../support/oauth.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { outcome } from "../../support/verification.ts";

const lostKey = newSealingKey().trim();
const nextKey = newSealingKey().trim().replace(/^1:/, "2:");

const lossesSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("audit_events").select(["object", "object_id", "detail", "actor"])
    .where("org_id", "=", p.org_id).where("action", "=", "secret.lost")
    .orderBy("object").orderBy("object_id")
);

const sealedSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("key_requests").select("secrets as sealed").where("secrets", "is not", null)
    .unionAll(
      db.selectFrom("developers").select("secrets as sealed").where("secrets", "is not", null),
    )
    .unionAll(
      db.selectFrom("certificate_files").select("private_key as sealed")
        .where("private_key", "is not", null),
    )
    .unionAll(db.selectFrom("claims").select("secret as sealed").where("secret", "is not", null))
);

function sealed(desk: TestDesk) {
  return desk.app.ctx.storage.reader.rows(sealedSql, {});
}

const json = async (response: Promise<Response>) => {
  const answer = await response;
  assert.equal(answer.status, 200);
  return await answer.json();
};

function drill(engine: Engine, test: (settings: Record<string, string>) => Promise<void>): void {
  Deno.test({
    name:
      `${engine}: the sealing key is lost: what it vouched for opens nothing until that is accepted, what was sealed is given up`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using folder = await temporaryFolder();
      const url: Record<string, string> = engine === "postgres"
        ? { KEYDESK_DATABASE_URL: await createMigrated() }
        : {};
      await test({ KEYDESK_DATA_DIR: folder.path, ...url });
    },
  });
}

for (const engine of engines) {
  drill(engine, async (settings) => {
    const open = (key: string) =>
      openTestDesk(engine, { environment: { ...settings, KEYDESK_SEALING_KEY: key } });
    const certificate = issue({ subject: { CN: "sealed.example" } });
    let [raw, sealedId, link, certificateId, waiting] = ["", "", "", "", ""];
    let client = { client_id: "", client_secret: "" };
    {
      await using desk = await open(lostKey);
      const { storage } = desk.app.ctx;
      const whole = makeDemo(desk.org_id, Date.parse("2026-03-01T00:00:00Z"));
      // The secrets of a channel are in no list of `sealed`.
      const demo = { ...whole, channel: null };
      await storage.commit(seedTransaction, demo);
      const plan = demo.plans.find(({ auth_type }) => auth_type === "authToken")?.id ?? "";
      const asked = smallRequest({ for_plan: plan, apply_policies: [plan], by_user: "dev-new" });
      const first = await create(desk, asked);
      raw = (await json(desk.send("PUT", approvalOf(first)))).RawKey;
      sealedId = await create(desk, smallRequest({ jwt_secret: "gone for good" }));
      const handedOver = await v1.approve(
        desk,
        await create(desk, asked),
        "?deliver=one_time_link",
      );
      link = tokenOf(handedOver.one_time_link);
      certificateId = await add(desk, certificate.certificate + certificate.key);
      const { Data } = await json(desk.send("GET", "/api/portal/developers"));
      const owner = Data.find((one: { oauth_clients: object }) =>
        Object.keys(one.oauth_clients ?? {}).length > 0
      );
      const [{ client_id, secret }] = Object.values<{ client_id: string; secret: string }[]>(
        owner.oauth_clients,
      ).flat() as [{ client_id: string; secret: string }];
      const oauth = demo.plans.find(({ auth_type }) => auth_type === "oauth")?.id ?? "";
      const ofOwner = { for_plan: oauth, apply_policies: [oauth], by_user: owner.id };
      waiting = await create(desk, smallRequest(ofOwner));
      client = { client_id, client_secret: secret };
      assert.ok(await tokenFor(desk, client));
    }
    // The old key's place can't be taken by another: the store knows its check value.
    await assert.rejects(open(newSealingKey().trim()), /version 1 is not the key/);

    const before = await (async () => {
      await using desk = await open(nextKey);
      // Nobody knows any more who wrote keys and access tokens: none of them opens anything.
      assert.equal((await desk.send("GET", pathOf(sealedId))).status, 401);
      const gateway = await desk.token(["verify", "portal:read", "portal:write", "secrets"]);
      assert.equal(await outcome(desk, raw, gateway), "damaged");
      tampered.add(desk.app);
      // Whoever may see secrets is told that they can't be had, and never a wrong one.
      const refused = await desk.send("GET", pathOf(sealedId), { credential: gateway });
      assert.equal(refused.status, 500);
      assert.doesNotMatch(await refused.text(), /gone for good/);
      return await sealed(desk);
    })();
    assert.ok(before.length >= 4);

    const env = { ...settings, KEYDESK_SEALING_KEY: nextKey };
    const refused = await keydesk(["reseal"], env);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /sealed values can't be decrypted .*give them up with --accept-loss/,
    );
    const accepted = await keydesk(["reseal", "--accept-loss", "--json"], env);
    assert.equal(accepted.code, 0, accepted.stderr);
    const { lost } = JSON.parse(accepted.stdout);
    const total = Object.values<number>(lost).reduce((sum, n) => sum + n, 0);
    assert.deepEqual([total, lost.certificate_files, lost.claims], [before.length, 1, 1]);
    const again = await keydesk(["reseal", "--accept-loss", "--json"], env);
    assert.ok(Object.values(JSON.parse(again.stdout).lost).every((n) => n === 0));

    await using desk = await open(nextKey);
    assert.deepEqual(await sealed(desk), []);
    // What needs no sealed value goes on as if nothing had happened.
    assert.equal(await outcome(desk, raw), "valid");
    assert.ok(await tokenFor(desk, client));
    const lists = ["/api/portal/requests", "/v1/key-requests", "/api/portal/developers"];
    for (const path of [...lists, "/api/certs?mode=detailed&p=1", "/v1/key-requests/counts"]) {
      await json(desk.send("GET", path));
    }
    const auditLog = await desk.app.ctx.storage.reader.rows(lossesSql, { org_id: desk.org_id });
    assert.equal(auditLog.length, before.length);
    assert.ok(
      auditLog.every(({ actor, detail }) => actor === "operator" && detail === '{"key_version":1}'),
    );
    assert.ok(
      auditLog.some(({ object, object_id }) =>
        object === "certificate" && object_id === certificateId
      ),
    );
    assert.equal((await json(desk.send("GET", pathOf(sealedId)))).jwt_secret, "");
    await json(desk.send("GET", "/api/portal/developers"));
    assert.equal((await tryOpen(desk, link)).status, 410);
    await json(desk.send("PUT", approvalOf(waiting)));
    // A certificate counts as one without its key, in every list, and takes the key again.
    const withKey = async () => (await listed(desk, "filter=with_pk&p=1")).cert_basics.length;
    assert.equal(await withKey(), 0);
    const keyless: { id: string }[] =
      (await listed(desk, "filter=without_pk&p=-1&sort=not_after")).cert_basics;
    assert.ok(keyless.some(({ id }) => id === certificateId));
    await json(
      desk.send("POST", "/api/certs", { body: certificate.certificate + certificate.key }),
    );
    assert.equal(await withKey(), 1);
    // New secrets are sealed with the new key.
    const fresh = await create(desk, smallRequest({ jwt_secret: "kept again", by_user: "dev-2" }));
    assert.equal((await json(desk.send("GET", pathOf(fresh)))).jwt_secret, "kept again");
    assert.ok((await sealed(desk)).every((row) => row.sealed?.startsWith("2.")));
    const input = { table: "key_requests" as const, behind: { org_id: "", id: "" }, limit: 500 };
    assert.equal((await desk.app.ctx.storage.commit(resealChunk, input)).unreadable, 0);
  });
}

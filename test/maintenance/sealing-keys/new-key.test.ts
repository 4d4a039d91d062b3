/**
 * docs/operating.md, "A new sealing key": both versions, `keydesk reseal`, then the new one alone.
 */
import assert from "node:assert/strict";
import { demandsChecksums } from "../../../src/changes/checksum-demand.store.ts";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { statement } from "../../../src/storage/statement.ts";
import { add, issue as issueCertificate } from "../../support/certificates.ts";
import { keydesk, temporaryFolder } from "../../support/command.ts";
import { findings } from "../../support/damage.ts";
import { type Engine, engines, openTestDesk, type TestDesk } from "../../support/desk.ts";
import { create, read, smallRequest } from "../../support/key-requests.ts";
import { tokenOf, tryOpen, v1 } from "../../support/v1-requests.ts";
import {
  BEFORE_CHECKSUMS,
  copyOldStore,
  OLD_ADMIN,
  OLD_SEALING_KEY,
} from "../../support/old-stores.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { issueKnown, outcome } from "../../support/verification.ts";

const first = newSealingKey().trim();
const second = newSealingKey().trim().replace(/^1:/, "2:");

const vouchedSql = statement<Record<never, never>>()((db) =>
  db.selectFrom("credentials").select("checksum as made")
    .unionAll(db.selectFrom("access_tokens").select("checksum as made"))
    .unionAll(db.selectFrom("users").select("checksum as made"))
    .unionAll(
      db.selectFrom("key_requests").select("secrets as made").where("secrets", "is not", null),
    )
    .unionAll(
      db.selectFrom("certificate_files").select("private_key as made")
        .where("private_key", "is not", null),
    )
    .unionAll(db.selectFrom("claims").select("secret as made").where("secret", "is not", null))
);

/** The versions of the sealing keys that checksums and sealed values are made with. */
async function versionsOf({ app }: TestDesk): Promise<Set<string | undefined>> {
  const rows = await app.ctx.storage.reader.rows(vouchedSql, {});
  return new Set(rows.map(({ made }) => made?.split(".")[0]));
}

function testInFolder(
  name: string,
  test: (engine: Engine, settings: Record<string, string>) => Promise<void>,
): void {
  for (const engine of engines) {
    Deno.test({
      name: `${engine}: ${name}`,
      sanitizeOps: false,
      sanitizeResources: false,
      fn: async () => {
        await using folder = await temporaryFolder();
        await test(engine, { KEYDESK_DATA_DIR: folder.path });
      },
    });
  }
}

testInFolder(
  "a new sealing key: with both everything opens, and after reseal with the new one alone",
  async (engine, settings) => {
    if (engine === "postgres") {
      settings.KEYDESK_DATABASE_URL = await createMigrated();
    }
    const environmentOf = (keys: string) => ({ ...settings, KEYDESK_SEALING_KEY: keys });
    const open = (keys: string) => openTestDesk(engine, { environment: environmentOf(keys) });
    let [key, token, sealed, link] = ["", "", "", ""];
    {
      await using desk = await open(first);
      key = (await issueKnown(desk)).RawKey;
      token = await desk.token(["verify", "portal:read", "secrets"]);
      sealed = await create(desk, smallRequest({ jwt_secret: "still there", by_user: "dev-2" }));
      const waiting = await create(desk, smallRequest({ by_user: "dev-3" }));
      link = tokenOf((await v1.approve(desk, waiting, "?deliver=one_time_link")).one_time_link);
      const made = issueCertificate({ subject: { CN: "sealed.example" } });
      await add(desk, made.certificate + made.key);
      assert.deepEqual(await versionsOf(desk), new Set(["1"]));
    }
    const opensEverything = async (desk: TestDesk) => {
      assert.equal(await outcome(desk, key, token), "valid");
      assert.equal((await read(desk, sealed)).jwt_secret, "still there");
      assert.deepEqual(await findings(desk), []);
      assert.deepEqual(desk.app.ctx.problems.current(), []);
    };
    const both = `${first},${second}`;
    {
      await using desk = await open(both);
      assert.deepEqual(await versionsOf(desk), new Set(["1"]));
      await opensEverything(desk);
    }
    const resealed = await keydesk(["reseal", "--json"], environmentOf(both));
    assert.equal(resealed.code, 0, resealed.stderr);
    const { checksums } = JSON.parse(resealed.stdout);
    assert.ok(checksums.written >= 3 && checksums.damaged === 0, resealed.stdout);
    const again = JSON.parse((await keydesk(["reseal", "--json"], environmentOf(both))).stdout);
    assert.equal(again.checksums.written, 0, "only what the old key vouches for is made anew");

    await using desk = await open(second);
    assert.deepEqual(await versionsOf(desk), new Set(["2"]));
    await opensEverything(desk);
    assert.equal((await tryOpen(desk, link)).status, 200);
    const verified = await keydesk(["audit", "verify"], environmentOf(second));
    assert.equal(verified.code, 0, verified.stderr);
  },
);

testInFolder(
  "a new sealing key: a store that demands no checksums yet goes on demanding none",
  async (engine, folder) => {
    const place = await copyOldStore(
      BEFORE_CHECKSUMS,
      engine,
      folder.KEYDESK_DATA_DIR ?? "",
    );
    const environmentOf = (keys: string) => ({
      ...folder,
      ...place,
      KEYDESK_ADMIN_TOKEN: OLD_ADMIN,
      KEYDESK_SEALING_KEY: keys,
    });
    const demanded = async (keys: string) => {
      await using desk = await openTestDesk(engine, { environment: environmentOf(keys) });
      assert.equal((await desk.send("GET", "/v1/server")).status, 200);
      return await demandsChecksums(desk.app.ctx.storage.reader, desk.app.ctx.sealer);
    };
    assert.equal(await demanded(OLD_SEALING_KEY), false);
    const both = `${OLD_SEALING_KEY},${second}`;
    assert.equal(await demanded(both), false);
    const resealed = await keydesk(["reseal"], environmentOf(both));
    assert.equal(resealed.code, 0, resealed.stderr);
    assert.equal(await demanded(second), false);
  },
);

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { ConfigInvalid, readConfig } from "../../src/config.ts";
import { openServer } from "../../src/open-server.ts";
import { Sealer } from "../../src/kernel/sealing/sealer.ts";
import { newSealingKey, parseSealingKeys } from "../../src/kernel/sealing/sealing-keys.ts";
import { statement } from "../../src/storage/statement.ts";
import { defineTransaction } from "../../src/storage/storage.ts";
import { transactions } from "../../src/transactions.ts";
import { engines, openTestDesk } from "../support/desk.ts";
import { createMigrated } from "../support/migrated-stores.ts";

const place = { table: "key_requests", org_id: "org", id: "id", column: "secrets" };
const keyText = (version: number) => newSealingKey().trim().replace(/^1:/, `${version}:`);

Deno.test("a sealed text opens in its own place and nowhere else", () => {
  const sealer = new Sealer(parseSealingKeys(keyText(1)));
  const sealed = sealer.seal(place, "sécret 日本");
  assert.equal(sealer.open(place, sealed), "sécret 日本");
  assert.notEqual(sealer.seal(place, "sécret 日本"), sealed);
  for (const member of ["table", "org_id", "id", "column"] as const) {
    assert.throws(() => sealer.open({ ...place, [member]: "another" }, sealed), member);
  }
  // The members of a place can't flow into one another.
  const shifted = { ...place, org_id: "or", id: "gid" };
  assert.throws(() => sealer.open(shifted, sealed));
});

Deno.test("a sealed text of which any bit was changed does not open", () => {
  const sealer = new Sealer(parseSealingKeys(keyText(1)));
  const bytes = Buffer.from(sealer.seal(place, "secret").slice(2), "base64");
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.throws(() => sealer.open(place, `1.${changed.toString("base64")}`), `bit ${bit}`);
  }
  for (let length = 0; length < bytes.length; length++) {
    const cut = bytes.subarray(0, length).toString("base64");
    assert.throws(() => sealer.open(place, `1.${cut}`), `cut to ${length}`);
  }
});

Deno.test("a text that needs a secret beside the key opens with that secret alone", () => {
  const sealer = new Sealer(parseSealingKeys(keyText(1)));
  const sealed = sealer.sealWith("the caller's secret", place, "answer");
  assert.equal(sealer.openWith("the caller's secret", place, sealed), "answer");
  assert.throws(() => sealer.openWith("another secret", place, sealed));
  assert.throws(() => sealer.open(place, sealed));
  assert.throws(() => sealer.openWith("the caller's secret", place, sealer.seal(place, "answer")));
});

Deno.test("a text that is sealed twice needs both, and its seal is renewed without the secret", () => {
  const [old, next] = [keyText(1), keyText(2)];
  const before = new Sealer(parseSealingKeys(old));
  const both = new Sealer(parseSealingKeys(`${old},${next}`));
  const after = new Sealer(parseSealingKeys(next));
  const sealed = before.sealTwice("an unguessable secret", place, "sécret");
  assert.equal(before.openTwice("an unguessable secret", place, sealed), "sécret");
  assert.throws(() => before.openTwice("another secret", place, sealed));
  assert.throws(() => after.openTwice("an unguessable secret", place, sealed));
  assert.throws(() => before.openTwice("an unguessable secret", { ...place, id: "x" }, sealed));
  assert.ok(!Buffer.from(before.open(place, sealed), "base64").toString().includes("sécret"));
  const renewed = both.seal(place, both.open(place, sealed));
  assert.equal(after.openTwice("an unguessable secret", place, renewed), "sécret");
});

Deno.test("with two key versions the newer seals, both open, and names stay", () => {
  const [old, next] = [keyText(1), keyText(2)];
  const before = new Sealer(parseSealingKeys(old));
  const rotating = new Sealer(parseSealingKeys(`${next},${old}`));
  const after = new Sealer(parseSealingKeys(next));
  const [first, second] = [before.seal(place, "first"), rotating.seal(place, "second")];
  assert.match(first, /^1\./);
  assert.match(second, /^2\./);
  assert.equal(rotating.open(place, first), "first");
  assert.equal(after.open(place, second), "second");
  assert.equal(rotating.blindIndex("name"), before.blindIndex("name"));
  assert.throws(() => after.open(place, first), /version 1 is missing/);
  assert.throws(() => before.open(place, second), /version 2 is missing/);
  // Claiming another version does not help: it is another key.
  assert.throws(() => rotating.open(place, first.replace(/^1/, "2")));
});

const moveSecretsSql = statement<{ from: string; to: string }>()((db, p) =>
  db.updateTable("key_requests")
    .set((eb) => ({
      secrets: eb.selectFrom("key_requests as k").select("k.secrets").where("k.id", "=", p.from),
    }))
    .where("id", "=", p.to)
);
const moveSecrets = defineTransaction(
  "test.move-secrets",
  (tx, input: { from: string; to: string }) => tx.change(moveSecretsSql, input),
);

for (const engine of engines) {
  const ofEngine = (name: string, fn: () => Promise<void>) =>
    Deno.test({ name: `${engine}: ${name}`, sanitizeOps: false, sanitizeResources: false, fn });

  ofEngine("a sealed secret that was moved to another request is not shown there", async () => {
    await using desk = await openTestDesk(engine, { extra: [moveSecrets] });
    const create = async (jwt_secret: string) => {
      const body = { by_user: "dev", for_plan: "plan", jwt_secret };
      return (await (await desk.send("POST", "/api/portal/requests", { body })).json()).Message;
    };
    const [from, to] = [await create("the-secret-that-moves"), await create("its-own")];
    const show = async (id: string) =>
      await (await desk.send("GET", `/api/portal/requests/${id}`)).text();
    assert.match(await show(from), /the-secret-that-moves/);

    assert.equal(await desk.app.ctx.storage.commit(moveSecrets, { from, to }), 1);
    assert.doesNotMatch(await show(to), /the-secret-that-moves/);
    assert.match(await show(from), /the-secret-that-moves/);
  });

  ofEngine("a wrong sealing key is refused at the start, a further version is taken", async () => {
    const folder = await Deno.makeTempDir({ prefix: "keydesk-sealing-" });
    try {
      const url: Record<string, string> = engine === "postgres"
        ? { KEYDESK_DATABASE_URL: await createMigrated() }
        : {};
      const open = async (keys: string) => {
        const config = readConfig({ KEYDESK_DATA_DIR: folder, KEYDESK_SEALING_KEY: keys, ...url });
        const desk = await openServer(config, { writer: { thread: false, transactions } });
        await desk.storage.close();
      };
      const [old, next] = [keyText(1), keyText(2)];
      await open(old);
      await open(old);
      const wrong = keyText(1);
      await assert.rejects(open(wrong), (error) => {
        assert.ok(error instanceof ConfigInvalid);
        assert.match(error.message, /version 1 is not the key/);
        assert.ok(!error.message.includes(wrong.slice(2)));
        return true;
      });
      await open(`${old},${next}`);
      await open(old);
      await assert.rejects(open(`${old},${keyText(2)}`), /version 2 is not the key/);
      await open(next);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

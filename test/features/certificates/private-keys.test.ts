/** A private key stands sealed in the store and nowhere else. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPrivateKey } from "node:crypto";
import { openServer } from "../../../src/open-server.ts";
import { openOneTimeLink } from "../../../src/features/keys/one-time-links/one-time-links.transactions.ts";
import { Sealer } from "../../../src/kernel/sealing/sealer.ts";
import { newSealingKey, parseSealingKeys } from "../../../src/kernel/sealing/sealing-keys.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import {
  type SealedTable,
  sealedTables,
} from "../../../src/maintenance/sealing-keys/reseal.store.ts";
import {
  resealChunk,
  type ResealedChunk,
} from "../../../src/maintenance/sealing-keys/reseal.transactions.ts";
import { statement } from "../../../src/storage/statement.ts";
import { transactions } from "../../../src/transactions.ts";
import { add, CERTS, issue, listed, made } from "../../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { openPages } from "../../support/developers.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { tokenOf, v1 } from "../../support/v1-requests.ts";
import { newKey } from "../../../packages/x509/test/support/keys.ts";

const keysSql = statement<{ org_id: string }>()((db, p) =>
  db.selectFrom("certificate_files").select(["fingerprint", "private_key"])
    .where("org_id", "=", p.org_id).orderBy("fingerprint")
);

function sealedKeys(desk: TestDesk) {
  return desk.app.ctx.storage.reader.rows(keysSql, { org_id: desk.org_id });
}

const placeOf = (desk: TestDesk, fingerprint: string) => ({
  table: "certificate_files",
  org_id: desk.org_id,
  id: fingerprint,
  column: "private_key",
});

/** What of a key could show it: pieces of its base64 in any alignment, and of its bytes. */
function traces(pem: string): string[] {
  const secret = createPrivateKey(pem).export({ format: "jwk" }).d ?? "";
  const bytes = Buffer.from(secret, "base64url");
  const inBase64 = [0, 1, 2].map((shift) =>
    bytes.subarray(shift, shift + 24).toString("base64").slice(0, 32)
  );
  return [...inBase64, bytes.toString("hex"), bytes.toString("latin1"), secret];
}

const kinds = ["P-256", "rsa", "ed25519"].map((kind) =>
  issue({ key: newKey(kind), subject: { CN: kind }, days: 900 })
);
const stranger = newKey("P-384");

testOnEngines("no answer, log line or stored byte shows a private key", async (desk) => {
  const answers: string[] = [];
  const ask = async (method: string, path: string, body?: string) => {
    const response = await desk.send(method, path, body === undefined ? {} : { body });
    answers.push(await response.text(), JSON.stringify([...response.headers]));
  };
  for (const { certificate, key } of kinds) {
    await ask("POST", CERTS, certificate + key);
    await ask("POST", CERTS, certificate + key);
    await ask("POST", CERTS, certificate + stranger);
    await ask("POST", CERTS, key);
    await ask("POST", CERTS, key + key);
    await ask("POST", CERTS, certificate + key.slice(0, -60));
    await ask("POST", `${CERTS}/bundle`, certificate + key);
    await ask("GET", `${CERTS}?status=${encodeURIComponent(key)}`);
  }
  for (const query of ["", "?p=-1", "?mode=detailed", "?mode=detailed&p=-1&filter=with_pk"]) {
    await ask("GET", `${CERTS}${query}`);
  }
  for (const format of ["pem", "csv", "jsonl"]) {
    await ask("GET", `${CERTS}/export?format=${format}`);
  }
  await ask("GET", `${CERTS}/details`);
  for (const { id } of (await listed(desk)).cert_basics) await ask("GET", `${CERTS}/${id}`);
  assert.equal((await listed(desk, "filter=with_pk")).cert_basics.length, kinds.length);

  const said = answers.join("\n") + desk.logLines.join("\n");
  const stored = await everythingStored(desk);
  for (const pem of [...kinds.map(({ key }) => key), stranger]) {
    for (const trace of traces(pem)) {
      assert.ok(!said.includes(trace), "an answer or a log line shows a key");
      assert.ok(!stored.includes(trace), "the store shows a key");
    }
  }
});

testOnEngines("a stored key opens in its own place, as the key that was sent", async (desk) => {
  for (const { certificate, key } of kinds) await add(desk, certificate + key);
  const rows = await sealedKeys(desk);
  assert.equal(rows.length, kinds.length);
  const opened = rows.map(({ fingerprint, private_key }) => {
    const place = placeOf(desk, fingerprint);
    assert.throws(() => desk.app.ctx.sealer.open({ ...place, org_id: "other" }, private_key ?? ""));
    return desk.app.ctx.sealer.open(place, private_key ?? "");
  });
  const sent = kinds.map(({ key }) =>
    createPrivateKey(key).export({ format: "der", type: "pkcs8" }).toString("base64")
  );
  assert.deepEqual(opened.sort(), sent.sort());
});

testOnEngines(
  "reseal: everything is sealed with the newest key, in chunks, and once",
  async (desk) => {
    for (const { certificate, key } of kinds) await add(desk, certificate + key);
    await add(desk, made());
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const portal_developer = { id: `dev-${i}`, email: `${i}@example.org`, nonce: `nonce ${i}` };
      ids.push(
        await create(
          desk,
          smallRequest({ by_user: `dev-${i}`, jwt_secret: `secret ${i}`, portal_developer }),
        ),
      );
    }
    // One that is open, and one that holds nothing any more.
    const oneTimeLinks = [];
    for (let i = 0; i < 2; i++) {
      const id = await create(desk, smallRequest({ by_user: `claimer-${i}` }));
      oneTimeLinks.push((await v1.approve(desk, id, "?deliver=one_time_link")).one_time_link);
    }
    await v1.open(desk, tokenOf(oneTimeLinks[1] ?? null));
    await openPages(desk);
    const asked = await desk.send("POST", "/v1/my/codes", { body: { email: "a@example.org" } });
    assert.equal(asked.status, 202);
    const { SEALING_KEY: given } = desk.config;
    const old = given ??
      parseSealingKeys(await Deno.readTextFile(`${desk.config.DATA_DIR}/sealing-key`));
    const fresh = parseSealingKeys(newSealingKey().replace(/^1:/, "2:"));
    const both = { current: 2, keys: new Map([...old.keys, ...fresh.keys]) };
    const config = { ...desk.config, SEALING_KEY: both };
    const again = await openServer(config, { writer: { thread: false, transactions } });
    try {
      const run = async () => {
        const counts: Partial<Record<SealedTable, number>> = {};
        for (const table of sealedTables) {
          let count = 0;
          let behind: ResealedChunk["next"] = { org_id: "", id: "" };
          while (behind !== null) {
            const chunk: ResealedChunk = await again.storage.commit(resealChunk, {
              table,
              behind,
              limit: 2,
            });
            count += chunk.resealed;
            behind = chunk.next;
          }
          if (count > 0) counts[table] = count;
        }
        return counts;
      };
      assert.deepEqual(await run(), {
        certificate_files: kinds.length,
        claims: 1,
        developer_codes: 1,
        developers: 5,
        key_requests: 5,
      });
      assert.deepEqual(await run(), {});
      const token = tokenOf(oneTimeLinks[0] ?? null);
      const opened = await again.storage.commit(openOneTimeLink, { token, now: Date.now() });
      assert.equal(sha256(opened.reveal.RawKey), opened.key_id);
    } finally {
      await again.storage.close();
    }
    const newOnly = new Sealer(fresh);
    for (const { fingerprint, private_key } of await sealedKeys(desk)) {
      if (private_key === null) continue;
      assert.match(private_key, /^2\./);
      assert.match(newOnly.open(placeOf(desk, fingerprint), private_key), /^[A-Za-z0-9+/=]+$/);
    }
    // A server that has only the old key can't read them: all servers get the new one first.
    assert.equal((await desk.send("GET", `/api/portal/requests/${ids[0]}`)).status, 500);
  },
);

/** Every byte of the store: its files, or every row of every table. */
async function everythingStored(desk: TestDesk): Promise<string> {
  if (desk.engine === "sqlite") {
    const texts: string[] = [];
    for await (const { name } of Deno.readDir(desk.config.DATA_DIR)) {
      const bytes = await Deno.readFile(`${desk.config.DATA_DIR}/${name}`);
      texts.push(Buffer.from(bytes).toString("latin1"));
    }
    return texts.join("\n");
  }
  const { reader } = desk.app.ctx.storage;
  const raw = <R>(text: string) =>
    reader.rows<Record<never, never>, R>(
      { compile: () => ({ sql: text, values: () => [] }) },
      {},
    );
  const tables = await raw<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await raw<{ row: string }>(`select t::text as row from "${name}" as t`);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join("\n");
}

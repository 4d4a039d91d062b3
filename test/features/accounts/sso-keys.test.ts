/** Developers by the key under which an identity provider knows them. */
import assert from "node:assert/strict";
import { findDeveloperBySsoKey } from "../../../src/features/developers/developer-accounts.store.ts";
import { emptyDeveloper } from "../../../src/features/developers/developer.ts";
import {
  insertDeveloper,
  lockDeveloper,
  updateDeveloper,
} from "../../../src/features/developers/developers.store.ts";
import { sharedSsoKeysOf } from "../../../src/features/developers/sso-keys.store.ts";
import { hashSsoKeys } from "../../../src/features/developers/sso-keys.transactions.ts";
import { statement } from "../../../src/storage/statement.ts";
import { defineTransaction } from "../../../src/storage/storage.ts";
import { assertFailure } from "../../support/answers.ts";
import {
  DEVELOPERS,
  pathTo,
  readDeveloper,
  register,
  type ShownDeveloper,
  succeed,
} from "../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { create, read, smallRequest } from "../../support/key-requests.ts";

const SSO_KEY = "104792871@social";
const TAKEN = "sso_key: belongs to another developer";
const taken = { message: TAKEN, errors: [TAKEN] };

const by = (key: string) => pathTo(`${DEVELOPERS}/ssokey`, key);

async function foundBy(desk: TestDesk, key: string): Promise<string> {
  return (await succeed<ShownDeveloper>(desk, "GET", by(key))).id;
}

async function nobodyBy(desk: TestDesk, key: string, credential = desk.admin): Promise<void> {
  await assertFailure(await desk.send("GET", by(key), { credential }), "not_found");
}

/** What a developer was before there were look-ups by sso_key. */
const forgetHashes = defineTransaction("test.forget-hashes", async (tx, _: null) => {
  await tx.change(forgetSql, {});
});
const forgetSql = statement<Record<never, never>>()((db) =>
  db.updateTable("developers").set({ sso_key_hash: null, sso_key_shared: "" })
);

/** Gives a developer another one's secrets, behind every rule. */
const shareKey = defineTransaction(
  "test.share-sso-key",
  async (tx, { org_id, from, to }: { org_id: string; from: string; to: string }) => {
    const [giver, taker] = [
      await lockDeveloper(tx, org_id, from),
      await lockDeveloper(tx, org_id, to),
    ];
    assert.ok(giver && taker);
    await updateDeveloper(tx, org_id, { ...taker, sso_key: giver.sso_key });
  },
);

const registerMany = defineTransaction(
  "test.register-many",
  async (tx, { org_id, many }: { org_id: string; many: number }) => {
    for (let n = 0; n < many; n++) {
      await insertDeveloper(tx, org_id, {
        ...emptyDeveloper(`dev-${n}`),
        date_created: "2026-01-31T09:00:00Z",
        sso_key: `dev-${n}@social`,
      });
    }
  },
);

const spoilSql = statement<{ org_id: string; id: string }>()((db, p) =>
  db.updateTable("developers").set({ secrets: "9.AAAA" })
    .where("org_id", "=", p.org_id).where("id", "=", p.id)
);
const spoil = defineTransaction(
  "test.spoil",
  async (tx, input: { org_id: string; id: string }) => void await tx.change(spoilSql, input),
);

const options = { extra: [forgetHashes, shareKey, registerMany, spoil] };

testOnEngines("sso key: one developer is found by it, whatever stands in it", async (desk) => {
  for (const sso_key of [SSO_KEY, "a/b c+d%20?&é", "0".repeat(64), "x".repeat(2000)]) {
    const id = await register(desk, { email: `${sso_key.length}@example.org`, sso_key });
    assert.equal(await foundBy(desk, sso_key), id);
    await nobodyBy(desk, `${sso_key}x`);
  }
  // Whoever has none is found by none.
  await register(desk);
  for (const key of ["%20", "nobody@social"]) await nobodyBy(desk, key);
  const { admin } = await desk.otherOrganisation();
  await nobodyBy(desk, SSO_KEY, admin);
});

testOnEngines(
  "sso key: it reads only to who may see secrets, and stands in no log",
  async (desk) => {
    const id = await register(desk, { sso_key: SSO_KEY, nonce: "n" });
    const [seeing, reading, none] = [
      await desk.token(["portal:read", "secrets"]),
      await desk.token(["portal:read"]),
      await desk.token(["certs:read", "verify"]),
    ];
    const shown = async (credential: string) =>
      (await succeed<ShownDeveloper>(desk, "GET", by(SSO_KEY), { credential })).sso_key;
    assert.equal(await shown(seeing), SSO_KEY);
    assert.equal(await shown(reading), "");
    assert.equal(id, await foundBy(desk, SSO_KEY));
    const refused = await desk.send("GET", by(SSO_KEY), { credential: none });
    assert.equal(refused.status, 403);
    assert.ok(!(await refused.text()).includes("104792871"));
    await assertFailure(
      await desk.send("GET", by(SSO_KEY), { credential: null }),
      "not_authorised",
    );
    assert.ok(!desk.logLines.join("\n").includes("104792871"));
  },
);

testOnEngines(
  "sso key: another developer's is refused, one's own may be sent again",
  async (desk) => {
    const ada = await register(desk, { sso_key: SSO_KEY });
    const body = { email: "bob@example.org", sso_key: SSO_KEY };
    await assertFailure(await desk.send("POST", DEVELOPERS, { body }), "sso_key_taken", taken);
    const bob = await register(desk, { email: "bob@example.org", sso_key: "bob@social" });
    await assertFailure(
      await desk.send("PUT", pathTo(DEVELOPERS, bob), { body }),
      "sso_key_taken",
      taken,
    );
    assert.equal(await foundBy(desk, "bob@social"), bob);
    await succeed(desk, "PUT", pathTo(DEVELOPERS, ada), { body: await readDeveloper(desk, ada) });
    assert.equal(await foundBy(desk, SSO_KEY), ada);

    // Given up, it is another's to take.
    await succeed(desk, "PUT", pathTo(DEVELOPERS, ada), {
      body: { email: "ada@example.org", sso_key: "" },
    });
    await nobodyBy(desk, SSO_KEY);
    await succeed(desk, "PUT", pathTo(DEVELOPERS, bob), { body });
    assert.equal(await foundBy(desk, SSO_KEY), bob);
    await nobodyBy(desk, "bob@social");
    await succeed(desk, "DELETE", pathTo(DEVELOPERS, bob));
    await nobodyBy(desk, SSO_KEY);
  },
);

testOnEngines("sso key: of many who want one at once, one has it", async (desk) => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      desk.send("POST", DEVELOPERS, {
        body: { email: `dev-${n}@example.org`, sso_key: SSO_KEY },
      })),
  );
  const [first, ...others] = answers.toSorted((a, b) => a.status - b.status);
  assert.equal(first?.status, 200);
  for (const other of others) await assertFailure(other, "sso_key_taken", taken);
  assert.equal(await foundBy(desk, SSO_KEY), (await first.json()).Message);
});

testOnEngines(
  "sso key: an embedded developer with another's is kept with the request, not registered",
  async (desk) => {
    const ada = await register(desk, { sso_key: SSO_KEY });
    const portal_developer = { id: "dev-bob", email: "bob@example.org", sso_key: SSO_KEY };
    const id = await create(desk, smallRequest({ by_user: "dev-bob", portal_developer }));
    const shown = await read(desk, id);
    assert.equal(shown.portal_developer.email, "bob@example.org");
    await assertFailure(await desk.send("GET", pathTo(DEVELOPERS, "dev-bob")), "not_found");
    assert.equal(await foundBy(desk, SSO_KEY), ada);

    const carol = { id: "dev-carol", email: "carol@example.org", sso_key: "carol@social" };
    await create(desk, smallRequest({ by_user: "dev-carol", portal_developer: carol }));
    assert.equal(await foundBy(desk, "carol@social"), "dev-carol");
  },
);

testOnEngines(
  "sso key: where references are strict, a request with another's is refused",
  async (desk) => {
    await register(desk, { sso_key: SSO_KEY });
    await succeed(desk, "POST", "/api/portal/policies", { body: { id: "gold", name: "Gold" } });
    const portal_developer = { id: "dev-bob", email: "bob@example.org", sso_key: SSO_KEY };
    const body = smallRequest({ by_user: "dev-bob", for_plan: "gold", portal_developer });
    await assertFailure(
      await desk.send("POST", "/api/portal/requests", { body }),
      "sso_key_taken",
    );
  },
  { environment: { KEYDESK_REFERENCES: "strict" } },
);

testOnEngines(
  "sso key: developers of an earlier release are found at the first look-up, and shared keys are listed",
  async (desk) => {
    const { storage } = desk.app.ctx;
    const ids: string[] = [];
    for (const name of ["ada", "bob", "carol"]) {
      ids.push(await register(desk, { id: name, email: `${name}@x.org`, sso_key: `${name}@s` }));
    }
    // Two who share one: what nothing refused before.
    await storage.commit(forgetHashes, null);
    await storage.commit(shareKey, { org_id: desk.org_id, from: "ada", to: "bob" });
    assert.equal(await foundBy(desk, "carol@s"), "carol");
    assert.equal(await foundBy(desk, "ada@s"), "ada");
    await nobodyBy(desk, "bob@s");
    const shared = await sharedSsoKeysOf(storage.reader, { org_id: desk.org_id });
    assert.deepEqual(shared.map(({ id }) => id), ["bob"]);
    const { warnings } = await succeed<{ warnings: string[] }>(desk, "GET", "/v1/server");
    assert.match(warnings.join(), /sso_key another developer has as well \(1\): "bob"/);
    assert.ok(!warnings.join().includes("@s"));

    // Both go on as they are, and may be written back as they read.
    for (const id of ["ada", "bob"]) {
      const body = await readDeveloper(desk, id);
      assert.equal(body.sso_key, "ada@s");
      await succeed(desk, "PUT", pathTo(DEVELOPERS, id), { body });
    }
    const body = { email: "dan@example.org", sso_key: "ada@s" };
    await assertFailure(await desk.send("POST", DEVELOPERS, { body }), "sso_key_taken", taken);
    await succeed(desk, "DELETE", pathTo(DEVELOPERS, "ada"));
    assert.equal(await foundBy(desk, "ada@s"), "bob");
  },
  options,
);

testOnEngines(
  "sso key: one that two share is nobody's to take while one of them has it",
  async (desk) => {
    const { storage } = desk.app.ctx;
    for (const name of ["ada", "bob", "carol"]) {
      await register(desk, { id: name, email: `${name}@x.org`, sso_key: `${name}@s` });
    }
    await storage.commit(forgetHashes, null);
    await storage.commit(shareKey, { org_id: desk.org_id, from: "ada", to: "bob" });
    assert.equal(await foundBy(desk, "ada@s"), "ada");
    const put = (name: string, sso_key: string) =>
      desk.send("PUT", pathTo(DEVELOPERS, name), { body: { email: `${name}@x.org`, sso_key } });

    // Ada has another one from now on, and Bob is found by theirs.
    assert.equal((await put("ada", "new@s")).status, 200);
    assert.equal(await foundBy(desk, "ada@s"), "bob");
    const dan = { id: "dan", email: "dan@x.org", sso_key: "ada@s" };
    const refused = await desk.send("POST", DEVELOPERS, { body: dan });
    await assertFailure(refused, "sso_key_taken", taken);
    for (const name of ["carol", "ada"]) {
      await assertFailure(await put(name, "ada@s"), "sso_key_taken", taken);
    }
    const request = await create(desk, smallRequest({ by_user: "dan", portal_developer: dan }));
    assert.equal((await read(desk, request)).portal_developer.email, "dan@x.org");
    await assertFailure(await desk.send("GET", pathTo(DEVELOPERS, "dan")), "not_found");
    assert.equal(await foundBy(desk, "ada@s"), "bob");

    // Given up by the last who had it, it is another's to take.
    assert.equal((await put("bob", "bob@s")).status, 200);
    assert.equal((await put("carol", "ada@s")).status, 200);
    assert.equal(await foundBy(desk, "ada@s"), "carol");
  },
  options,
);

testOnEngines(
  "sso key: while too many wait, nobody is told that there is no developer",
  async (desk) => {
    const { storage } = desk.app.ctx;
    await storage.commit(registerMany, { org_id: desk.org_id, many: 1100 });
    await storage.commit(forgetHashes, null);
    const first = await desk.send("GET", by("nobody@social"));
    await assertFailure(first, "unavailable");
    assert.ok(first.headers.get("retry-after"));
    await nobodyBy(desk, "nobody@social");
    assert.equal(await foundBy(desk, "dev-1099@social"), "dev-1099");
  },
  options,
);

testOnEngines("sso key: what no key opens waits for nobody", async (desk) => {
  const { storage } = desk.app.ctx;
  await register(desk, { id: "ada", sso_key: SSO_KEY });
  await storage.commit(forgetHashes, null);
  await storage.commit(spoil, { org_id: desk.org_id, id: "ada" });
  assert.equal(await storage.commit(hashSsoKeys, { from: "" }), 1);
  assert.equal(await storage.commit(hashSsoKeys, { from: "" }), 0);
  assert.equal(
    await findDeveloperBySsoKey(storage.reader, { org_id: desk.org_id, hash: "" }),
    undefined,
  );
}, options);

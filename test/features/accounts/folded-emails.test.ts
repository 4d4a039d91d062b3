/** Developers' addresses that read the same, that hold what nobody sees, or are too long. */
import assert from "node:assert/strict";
import { lockDeveloper } from "../../../src/features/developers/developers.store.ts";
import * as emails from "../../../src/features/developers/folded-emails.store.ts";
import { foldEmails } from "../../../src/features/developers/folded-emails.transactions.ts";
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
import { createAndRead, REQUESTS, smallRequest } from "../../support/key-requests.ts";
import { plansOf } from "../../support/query-plans.ts";
import { call } from "../../support/people.ts";

/** The last one's first two letters are a ligature. */
const [PLAIN, WIDE, LIGATURE] = ["fi@example.org", "ＦＩ@example.org", "ﬁ@example.org"];
const TAKEN = "email: belongs to another developer";
const taken = { message: TAKEN, errors: [TAKEN] };

const writeSql = statement<{ org_id: string; id: string; key: string; document: string }>()(
  (db, p) =>
    db.updateTable("developers")
      .set({ email_key: p.key, document: p.document, email_folded: null, email_shared: "" })
      .where("org_id", "=", p.org_id).where("id", "=", p.id),
);

/** Gives a developer an address as earlier code did, which folded none. */
const writeEmail = defineTransaction(
  "test.write-email",
  async (tx, { org_id, id, email }: { org_id: string; id: string; email: string }) => {
    const developer = await lockDeveloper(tx, org_id, id);
    const key = email.trim().normalize("NFC").toLowerCase();
    await tx.change(writeSql, {
      org_id,
      id,
      key,
      document: JSON.stringify({ ...developer, email }),
    });
  },
);

const options = { extra: [writeEmail] };

async function old(desk: TestDesk, id: string, email: string): Promise<void> {
  await desk.app.ctx.storage.commit(writeEmail, { org_id: desk.org_id, id, email });
}

async function foldAll(desk: TestDesk): Promise<void> {
  const { storage } = desk.app.ctx;
  while (await emails.hasUnfolded(storage.reader)) await storage.commit(foldEmails, null);
}

const warnings = async (desk: TestDesk): Promise<string[]> =>
  (await call(desk, "GET", "/v1/server")).warnings;

testOnEngines("e-mail: forms of the same letters are the same address", async (desk) => {
  await register(desk, { email: PLAIN });
  const bob = await register(desk, { email: "bob@example.org" });
  for (const email of [WIDE, LIGATURE, "FI@EXAMPLE.ORG", "ｆｉ@example.org"]) {
    const body = { email };
    await assertFailure(await desk.send("POST", DEVELOPERS, { body }), "email_taken", taken);
    await assertFailure(await desk.send("POST", "/v1/developers", { body }), "email_taken", taken);
    const change = await desk.send("PUT", pathTo(DEVELOPERS, bob), { body });
    await assertFailure(change, "email_taken", taken);
    const edit = await desk.send("PUT", `/v1/developers/${bob}`, {
      body: { ...body, account: "same_person" },
    });
    await assertFailure(edit, "email_taken", taken);
  }
  // Where references are open the embedded one is kept with the request and not registered.
  const portal_developer = { id: "embedded", email: LIGATURE };
  const shown = await createAndRead(desk, smallRequest({ by_user: "embedded", portal_developer }));
  assert.equal(shown.portal_developer.email, LIGATURE);
  const absent = await desk.send("GET", pathTo(DEVELOPERS, "embedded"));
  assert.equal(absent.status, 404);
  await absent.body?.cancel();
  // Who asks for one address is never given another's developer: mail goes where it was asked to
  // go.
  const other = await desk.send("GET", pathTo(`${DEVELOPERS}/email`, LIGATURE));
  await assertFailure(other, "not_found");
  const { admin } = await desk.otherOrganisation();
  const elsewhere = await desk.send("POST", DEVELOPERS, {
    body: { email: LIGATURE },
    credential: admin,
  });
  assert.equal(elsewhere.status, 200);
  await succeed(desk, "PUT", pathTo(DEVELOPERS, bob), { body: { email: "ＢＯＢ@example.org" } });
  // Blanks around an address are none of it, and it may be 254 characters long.
  await register(desk, { email: " trimmed@example.org\n" });
  const host = `${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(59)}.example`;
  await register(desk, { email: `${"a".repeat(64)}@${host}` });
});

testOnEngines(
  "e-mail: of many who register forms of one address at once one does",
  async (desk) => {
    const forms = ["x@ﬁ.org", "x@fi.org", "ｘ@fi.org", "X@FI.ORG"];
    const statuses = await Promise.all(Array.from({ length: 12 }, async (_, n) => {
      const response = await desk.send("POST", DEVELOPERS, { body: { email: forms[n % 4] } });
      await response.body?.cancel();
      return response.status;
    }));
    assert.equal(statuses.filter((status) => status === 200).length, 1);
    assert.equal(statuses.filter((status) => status === 400).length, 11);
  },
);

testOnEngines(
  "e-mail: addresses that read the same already go on, each by itself, and are told of",
  async (desk) => {
    const plain = await register(desk, { email: PLAIN });
    const ligature = await register(desk, { email: "one@example.org" });
    const wide = await register(desk, { email: "two@example.org" });
    const umlaut = await register(desk, { email: "three@example.org" });
    await old(desk, ligature, LIGATURE);
    await old(desk, wide, WIDE);
    await old(desk, umlaut, "Ärger@example.org");
    await foldAll(desk);
    const shared = await emails.sharedEmailsOf(desk.app.ctx.storage.reader, {
      org_id: desk.org_id,
    });
    assert.deepEqual(
      shared.map(({ id, other_id }) => [id, other_id]).sort(),
      [[ligature, plain], [wide, plain]].sort(),
    );
    const [warning = "", ...more] = await warnings(desk);
    assert.deepEqual(more, []);
    assert.ok(warning.startsWith("Developers whose e-mail address reads like that of another"));
    assert.ok(warning.includes(`"${ligature}" like "${plain}"`));
    for (const [id, email] of [[plain, PLAIN], [ligature, LIGATURE], [wide, WIDE]] as const) {
      const found = await succeed<ShownDeveloper>(
        desk,
        "GET",
        pathTo(`${DEVELOPERS}/email`, email),
      );
      assert.equal(found.id, id);
      // Sent back as it was read.
      await succeed(desk, "PUT", pathTo(DEVELOPERS, id), { body: await readDeveloper(desk, id) });
    }
    assert.equal((await warnings(desk)).length, 1);
    await succeed(desk, "PUT", pathTo(DEVELOPERS, wide), { body: { email: "two@example.org" } });
    const back = await desk.send("PUT", pathTo(DEVELOPERS, wide), { body: { email: WIDE } });
    await assertFailure(back, "email_taken", taken);
    // Without the other one nobody shares anything, and the address is still no newcomer's.
    assert.equal((await desk.send("DELETE", pathTo(DEVELOPERS, plain))).status, 200);
    assert.deepEqual(await warnings(desk), []);
    const newcomer = await desk.send("POST", DEVELOPERS, { body: { email: PLAIN } });
    await assertFailure(newcomer, "email_taken", taken);
    const again = await desk.send("POST", DEVELOPERS, { body: { email: "ÄRGER@example.org" } });
    await assertFailure(again, "email_taken", taken);
  },
  options,
);

testOnEngines(
  "e-mail: an address from before these rules stays until it is changed",
  async (desk) => {
    const ada = await register(desk, { email: "ada@example.org" });
    const long = `${"a".repeat(290)}@example.org`;
    for (const email of ["a\u200bda@example.org", long]) {
      await old(desk, ada, email);
      await foldAll(desk);
      const read = await readDeveloper(desk, ada);
      assert.equal(read.email, email);
      await succeed(desk, "PUT", pathTo(DEVELOPERS, ada), { body: { ...read, fields: { a: 1 } } });
      const body = { ...read, email: `x${email}` };
      const changed = await desk.send("PUT", pathTo(DEVELOPERS, ada), { body });
      assert.equal(changed.headers.get("x-keydesk-error"), "invalid_input");
      await changed.body?.cancel();
      // A portal that sends them along is not refused: they are registered long since.
      const request = smallRequest({ by_user: ada, portal_developer: { id: ada, email } });
      assert.equal((await desk.send("POST", REQUESTS, { body: request })).status, 200);
    }
  },
  options,
);

Deno.test("sqlite: who waits to be folded, and whose address reads so, is found by an index", async () => {
  const place = { org_id: "org", id: "id" };
  const [waiting, , holder, set, ...more] = await plansOf(async (tx) => {
    await emails.hasUnfolded(tx);
    await emails.lockUnfolded(tx);
    await emails.findEmailOwner(tx, { org_id: "org", folded: "a@b" });
    await emails.setFoldedEmail(tx, place, { folded: "a@b", shared: false });
    await emails.sharedEmailsOf(tx, { org_id: "org" });
    await emails.sharedEmailsOfAll(tx);
  });
  assert.match(waiting?.plan ?? "", /USING INDEX developers_email_waiting$/);
  assert.match(
    holder?.plan ?? "",
    /^SEARCH developers USING (COVERING )?INDEX developers_email_folded \(org_id=\? AND <expr>=\?\)$/,
  );
  assert.match(set?.plan ?? "", /USING PRIMARY KEY|INDEX sqlite_autoindex_developers_1/);
  assert.equal(more.length, 2);
  for (const { plan } of more) {
    assert.match(plan, /developers_email_shared/);
    assert.match(plan, /SEARCH o USING INDEX developers_email_folded \(org_id=\? AND <expr>=\?/);
  }
});

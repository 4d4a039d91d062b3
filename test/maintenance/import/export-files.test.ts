/** Moving in from export files: ids, states, keys, passwords, and what a second run does. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { permissions } from "../../../src/contract/permissions.ts";
import { locationOf, type ServerCall } from "../../../src/open-server.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { openExportFiles } from "../../../src/maintenance/import/export-files.ts";
import type { Finding } from "../../../src/maintenance/import/findings.ts";
import {
  type MovingOptions,
  planMoving,
  runMoving,
  verifyMoving,
} from "../../../src/maintenance/import/import.service.ts";
import { reportAsHtml, reportAsJson, reportOf } from "../../../src/maintenance/import/report.ts";
import { assertFailure } from "../../support/answers.ts";
import { temporaryFolder } from "../../support/command.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/keys.ts";
import { v1 } from "../../support/v1-requests.ts";
import {
  type Exports,
  ids,
  makeExports,
  originalKey,
  writeExports,
} from "../../support/original-exports.ts";
import { chunksOf } from "../../../src/maintenance/move-store/table-stream.ts";
import { openSession } from "../../../src/storage/open-session.ts";

const OPTIONS: MovingOptions = { theirs: false, murmurUntil: null, passphrase: undefined };

/** The desk as the operator has it. */
function operatorOf(desk: TestDesk): ServerCall {
  const { org_id } = desk;
  return { ...desk.app.ctx, principal: { org_id, user_id: "operator", token_id: "", permissions } };
}

/** Runs one of the works on exports, and gives what was found. */
async function move<T>(
  desk: TestDesk,
  exports: Exports,
  work: typeof planMoving | typeof runMoving | typeof verifyMoving,
  { form = "lines", ...options }: Partial<MovingOptions> & { form?: "lines" | "array" | "gzip" } =
    {},
): Promise<{ by: Record<string, T>; found: string[] }> {
  await using folder = await temporaryFolder();
  await writeExports(folder.path, exports, form);
  const source = await openExportFiles(folder.path);
  const found: Finding[] = [];
  const listener = { read: () => {}, found: (one: Finding) => void found.push(one), isOver: false };
  const all = await work(operatorOf(desk), source, { ...OPTIONS, ...options }, listener);
  // as: each work gives its own rows, of which every test names the one that it means.
  const by = Object.fromEntries(all.map((row) => [row.kind, row as T]));
  return { by, found: found.map(({ kind, code }) => `${kind} ${code}`).sort() };
}

/** Every row of the store, by table. */
async function tablesOf(desk: TestDesk): Promise<Record<string, Record<string, unknown>[]>> {
  const session = await openSession(locationOf(desk.config));
  try {
    const all: Record<string, Record<string, unknown>[]> = {};
    for (const table of await session.tables()) {
      const rows: Record<string, unknown>[] = [];
      for await (const chunk of chunksOf(session, table, null)) rows.push(...chunk.rows);
      all[table.name] = rows;
    }
    return all;
  } finally {
    await session.close();
  }
}

/** Everything in the store as one text; of SQLite the bytes of its files besides. */
async function wholeStore(desk: TestDesk): Promise<string> {
  const texts = [JSON.stringify(await tablesOf(desk))];
  if (desk.engine === "sqlite") {
    for (const end of ["", "-wal"]) {
      const bytes = await Deno.readFile(`${desk.config.databaseFile}${end}`);
      texts.push(new TextDecoder("latin1").decode(bytes));
    }
  }
  return texts.join("\n");
}

interface Counts {
  seen: number;
  others: number;
  added: number;
  replaced: number;
  same: number;
  kept: number;
}

/** Added, replaced, same and kept of each kind, in one text. */
function counted(by: Record<string, Counts>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(by).map(([kind, { added, replaced, same, kept }]) => [
      kind,
      [added, replaced, same, kept].join(" "),
    ]),
  );
}

const FIRST = {
  plan: "2 0 0 0",
  configuration: "1 0 0 0",
  catalogue: "1 0 0 0",
  developer: "3 0 0 0",
  client: "1 0 0 0",
  key: "3 0 0 0",
  request: "6 0 0 0",
};

testOnEngines("moving in: what was there is here, under the ids that it had", async (desk) => {
  const exports = makeExports(desk.org_id, 3);
  const planned = await move<Counts>(desk, exports, planMoving);
  assert.deepEqual(counted(planned.by), FIRST);
  assert.equal(planned.by.plan?.others, 1);
  assert.equal(
    (await call<{ Data: unknown[] }>(desk, "GET", "/api/portal/policies")).Data.length,
    0,
  );

  const ran = await move<Counts>(desk, exports, runMoving);
  assert.deepEqual(counted(ran.by), FIRST);
  // Both ids of a plan, members that nobody knows, and the auth type that stood in the catalogue
  // alone.
  const plan = await call<Record<string, unknown>>(desk, "GET", "/api/portal/policies/plan-2");
  const { _id, id, hmac_enabled, auth_type, quota_max } = plan;
  assert.deepEqual(
    [_id, id, hmac_enabled, auth_type, quota_max],
    [ids.plan(2), "plan-2", false, "oauth", 10],
  );
  const developer = await call<Record<string, unknown>>(
    desk,
    "GET",
    `/api/portal/developers/${ids.developer(1)}`,
  );
  assert.equal(developer.email, "dev-1@example.org");
  assert.equal(developer.date_created, "2019-03-04T05:06:07.089Z");
  const hash = sha256(originalKey(desk.org_id, 1));
  assert.deepEqual(developer.subscriptions, {
    [ids.plan(1)]: hash,
    [ids.plan(2)]: sha256("client-one"),
  });
  const keys = await call<{ data: { key_id: string }[] }>(desk, "GET", "/v1/keys");
  assert.equal(keys.data.length, 4);

  const verdict = await call<{ valid: boolean }>(desk, "POST", "/v1/keys/verify", {
    key: originalKey(desk.org_id, 1),
    api_id: "api-1",
  });
  assert.equal(verdict.valid, true);
});

testOnEngines("moving in: what was decided there can never be approved again", async (desk) => {
  await move(desk, makeExports(desk.org_id, 2), runMoving);
  const decided = ids.request(0);
  const before = await call<{ data: unknown[] }>(desk, "GET", "/v1/keys");
  const shown = await call<{ approved: boolean; date_created: string }>(
    desk,
    "GET",
    `/api/portal/requests/${decided}`,
  );
  assert.deepEqual([shown.approved, shown.date_created], [true, "2020-01-01T00:00:00.000Z"]);
  await assertFailure(
    await desk.send("PUT", `/api/portal/requests/approve/${decided}`),
    "already_processed",
  );
  await assertFailure(
    await desk.send("PUT", `/api/portal/requests/approve/${decided}`, {
      headers: { "idempotency-key": "a-key-of-sixteen-letters" },
    }),
    "already_processed",
  );
  for (const what of ["approve", "decline", "reopen"]) {
    const response = await desk.send("POST", `/v1/key-requests/${decided}/${what}`, {
      body: what === "decline" ? { reason: "no" } : {},
    });
    assert.equal(response.status, 409, what);
    await response.body?.cancel();
  }
  const { revision } = await call<{ revision: string }>(
    desk,
    "GET",
    `/v1/key-requests/${decided}`,
  );
  const [one] = await v1.approveMany(desk, [{ id: decided, revision }]);
  assert.equal(one?.error?.code, "already_decided");
  // Nor does a run that comes after somebody told the state there anew.
  const again = makeExports(desk.org_id, 2);
  again.collections.portal_key_requests = (again.collections.portal_key_requests ?? []).map((
    one,
  ) => ({
    ...one as object,
    approved: false,
  }));
  await move(desk, again, runMoving, { theirs: true });
  await assertFailure(
    await desk.send("PUT", `/api/portal/requests/approve/${decided}`),
    "already_processed",
  );
  assert.deepEqual(await call(desk, "GET", "/v1/keys"), before);
  // What waited there waits here.
  const waiting = await desk.send("PUT", `/api/portal/requests/approve/${ids.request(1)}`);
  assert.equal(waiting.status, 200);
  await waiting.body?.cancel();
});

testOnEngines(
  "moving in: a bcrypt password logs in once and is argon2id afterwards",
  async (desk) => {
    await move(desk, makeExports(desk.org_id, 1), runMoving);
    const path = "/api/portal/developers/verify_credentials";
    const hashes = async () => {
      const { developers } = await tablesOf(desk);
      return developers?.some(({ password_hash }) => /^\$2b\$/.test(String(password_hash)));
    };
    assert.equal(await hashes(), true);
    const wrong = await desk.send("POST", path, {
      body: { username: "dev-0@example.org", password: "wrong horse" },
    });
    await assertFailure(wrong, "wrong_credentials");
    assert.equal(await hashes(), true);
    for (let turn = 0; turn < 2; turn++) {
      const right = await desk.send("POST", path, {
        body: { username: "dev-0@example.org", password: "correct horse" },
      });
      assert.equal(right.status, 200);
      await right.body?.cancel();
      assert.equal(await hashes(), false);
    }
  },
);

testOnEngines(
  "moving in: a run again brings what is new and changed there, never over what was changed here",
  async (desk) => {
    const exports = makeExports(desk.org_id, 3);
    await move(desk, exports, runMoving);
    const nothing = await move<Counts>(desk, exports, runMoving);
    assert.deepEqual(counted(nothing.by), {
      plan: "0 0 2 0",
      configuration: "0 0 1 0",
      catalogue: "0 0 1 0",
      developer: "0 0 3 0",
      client: "0 0 1 0",
      key: "0 0 3 0",
      request: "0 0 6 0",
    });
    // Developer 0 changes there and here, 1 there, 2 goes here; and one is new.
    const changed = makeExports(desk.org_id, 4);
    const people = changed.collections.portal_developers as { fields: object }[];
    for (const one of people.slice(0, 3)) one.fields = { Name: "Renamed there" };
    const path = (n: number) => `/api/portal/developers/${ids.developer(n)}`;
    await call(desk, "PUT", path(0), {
      email: "dev-0@example.org",
      fields: { Name: "Renamed here" },
    });
    await call(desk, "DELETE", path(2));
    const named = async (n: number) =>
      (await call<{ fields: { Name: string } }>(desk, "GET", path(n))).fields.Name;
    const planned = await move<Counts>(desk, changed, planMoving);
    assert.equal(counted(planned.by).developer, "1 1 0 2");
    assert.deepEqual(
      planned.found.filter((one) => / (changed|deleted)_here$/.test(one)),
      ["developer changed_here", "developer deleted_here"],
    );
    const ran = await move<Counts>(desk, changed, runMoving);
    assert.equal(counted(ran.by).developer, "1 1 0 2");
    assert.deepEqual([await named(0), await named(1), await named(3)], [
      "Renamed here",
      "Renamed there",
      "Developer 3",
    ]);
    await assertFailure(await desk.send("GET", path(2)), "not_found");
    await move(desk, changed, runMoving, { theirs: true });
    assert.deepEqual([await named(0), await named(2)], ["Renamed there", "Renamed there"]);
  },
);

testOnEngines(
  "moving in: lines, arrays and gzip hold the same, and both sides compare equal",
  async (desk) => {
    const exports = makeExports(desk.org_id, 2);
    const before = await move<{ missing: number }>(desk, exports, verifyMoving, { form: "array" });
    assert.equal(before.by.developer?.missing, 2);
    await move(desk, exports, runMoving, { form: "array" });
    const again = await move<Counts>(desk, exports, runMoving, { form: "gzip" });
    assert.equal(counted(again.by).developer, "0 0 2 0");
    const { by } = await move<Record<string, unknown>>(desk, exports, verifyMoving, {
      form: "gzip",
    });
    for (const side of Object.values(by)) {
      const { kind, there_sha256, here_sha256, missing, changed_there, changed_here } = side;
      assert.equal(there_sha256, here_sha256, String(kind));
      assert.deepEqual([missing, changed_there, changed_here], [0, 0, 0]);
    }
  },
);

testOnEngines("moving in: what could not be read is told until it can be", async (desk) => {
  const exports = makeExports(desk.org_id, 2);
  const people = exports.collections.portal_developers as Record<string, unknown>[];
  const [first] = people;
  assert.ok(first);
  const told = async () => {
    await move(desk, exports, runMoving);
    const { findings } = await reportOf(desk.app.ctx.storage.reader, desk.org_id);
    const all = await Array.fromAsync(findings());
    return all.filter(({ kind }) => kind === "developer").map(({ code }) => code).sort();
  };
  const whole = { ...first };
  first.fields = { note: "a\0b" };
  people.push({ email: "nobody@example.org" });
  assert.deepEqual(await told(), ["no_id", "unreadable"]);
  assert.deepEqual(await told(), ["no_id", "unreadable"]);
  Object.assign(first, whole);
  people.pop();
  assert.deepEqual(await told(), []);
});

Deno.test("moving in: answers of the interface are read however long, and files that are not whole are told", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "portal_developers.json");
  const developer = (n: number) => ({ id: ids.developer(n), email: "x".repeat(1000) });
  const told = async (file = path) => {
    const source = await openExportFiles(file);
    const found: string[] = [];
    for await (const one of source.documents(/pem/.test(file) ? "certificate" : "developer")) {
      const { pem, id } = "members" in one ? one.members : {};
      found.push("problem" in one ? one.problem : String(pem ?? id));
    }
    return found;
  };
  // As one object it would be larger than any document may be.
  const people = Array.from({ length: 20_000 }, (_, n) => developer(n));
  await Deno.writeTextFile(path, JSON.stringify({ Data: people, Pages: 0 }, null, 1));
  const all = await told();
  assert.deepEqual([all.length, all.at(-1)], [people.length, ids.developer(people.length - 1)]);
  const two = [developer(0), developer(1)];
  await Deno.writeTextFile(path, JSON.stringify({ Pages: 1, Data: two }));
  assert.deepEqual(await told(), two.map(({ id }) => id));
  await Deno.writeTextFile(path, "");
  assert.deepEqual(await told(), []);
  await Deno.writeTextFile(path, "_id,email\n1,ada@example.org\n");
  assert.deepEqual(await told(), ["is no JSON object"]);

  const packed = await gzip(JSON.stringify(people));
  const cut = `${path}.gz`;
  await Deno.writeFile(cut, packed.subarray(0, packed.length - 20));
  await assert.rejects(() => told(cut), /portal_developers\.json\.gz: is damaged or cut short/);
  const pem = join(folder.path, "leaf.pem.gz");
  await Deno.writeFile(pem, await gzip("-----BEGIN CERTIFICATE-----"));
  assert.deepEqual(await told(pem), ["-----BEGIN CERTIFICATE-----"]);
});

async function gzip(text: string): Promise<Uint8Array> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return await new Response(packed).bytes();
}

testOnEngines(
  "moving in: every difference is named, and no plain key stands anywhere",
  async (desk) => {
    const exports = makeExports(desk.org_id, 3);
    const plain = originalKey(desk.org_id, 77);
    const people = exports.collections.portal_developers as Record<string, unknown>[];
    const [first, second, third] = people;
    assert.ok(first && second && third);
    first.keys = {
      [plain]: [ids.plan(1)],
      "8badf00d": [ids.plan(1)],
      ["f".repeat(16)]: [ids.plan(1)],
    };
    first.subscriptions = { [ids.plan(1)]: plain };
    first.password = "sha1:abc";
    second.email = "DEV-0@example.org";
    third.sso_key = "sso-of-the-first";
    people.push({ org_id: desk.org_id, email: "nobody@example.org" }, { ...third, _id: 7 });
    (exports.collections.tyk_policies as Record<string, unknown>[])[1] = {
      ...(exports.collections.tyk_policies as Record<string, unknown>[])[1],
      name: "Plan 1",
    };
    const { by } = await move<Counts & { dropped: Record<string, number> }>(
      desk,
      exports,
      runMoving,
    );
    assert.deepEqual(by.developer?.dropped, { updated_at: 3 });
    const { ctx } = desk.app;
    const report = await reportOf(ctx.storage.reader, desk.org_id);
    const found: string[] = [];
    for await (const { kind, code } of report.findings()) found.push(`${kind} ${code}`);
    assert.deepEqual(found.sort(), [
      "developer email_taken",
      "developer no_id",
      "developer no_id",
      "developer password_form",
      "developer plain_key",
      "developer sso_key_taken",
      "key key_32_bits",
      "key key_murmur",
      "key key_without_session",
      "key key_without_session",
      "key key_without_session",
      "plan plan_name_taken",
    ]);
    const pages: string[] = [];
    for await (const piece of reportAsJson(report)) pages.push(piece);
    JSON.parse(pages.join(""));
    for await (const piece of reportAsHtml(report)) pages.push(piece);
    const everything = `${pages.join("")}${desk.logLines.join("")}${await wholeStore(desk)}`;
    for (const secret of [plain, atob(plain), "secret-of-client-one"]) {
      assert.ok(!everything.includes(secret));
    }
    // It opens what it opened.
    const verdict = await call<{ valid: boolean }>(desk, "POST", "/v1/keys/verify", {
      key: plain,
      api_id: "api-1",
    });
    assert.equal(verdict.valid, true);
  },
);

testOnEngines(
  "moving in: nobody is told, and the audit log has a row for each batch",
  async (desk) => {
    await move(desk, makeExports(desk.org_id, 3), runMoving);
    const { outbox_events, audit_events } = await tablesOf(desk);
    assert.deepEqual(outbox_events?.map(({ topic }) => topic), ["access_token.created"]);
    assert.deepEqual(
      audit_events?.filter(({ action }) => action === "import.batch").map(({ detail }) => {
        const { kind, added } = JSON.parse(String(detail));
        return `${kind} ${added}`;
      }).sort(),
      ["catalogue 1", "client 1", "configuration 1", "developer 3", "key 3", "plan 2", "request 6"],
    );
  },
);

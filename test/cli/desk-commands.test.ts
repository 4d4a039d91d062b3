/**
 * `keydesk developers`, `plans` and `keys` on the local store beside its server, and on that
 * server.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256 } from "../../src/kernel/sha256.ts";
import { keydesk, startServerProcess, temporaryFolder } from "../support/command.ts";
import { copySeeded } from "../support/seeded-store.ts";
import { doors, linesOf, openDoors } from "../support/doors.ts";

for (const door of doors) {
  Deno.test(`developers (${door}): added, listed, shown, made inactive and deleted`, async () => {
    await using desk = await openDoors();
    const call = desk[door];
    const words = ["developers", "add", "grace@example.org", "--field", "name=Grace"];
    const added = await call(...words, "--field", "note=a=b", "--id", "dev-grace");
    assert.deepEqual([added.code, added.stdout], [0, "dev-grace\n"]);
    const again = await call(...words);
    assert.deepEqual([again.code, again.stdout], [1, ""]);
    assert.match(again.stderr, /^keydesk: email: belongs to another developer \(email_taken\)\n$/);
    const wrong = await call(...words, "--field", "nothing");
    assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);

    const shown = JSON.parse((await call("developers", "show", "dev-grace", "--json")).stdout);
    assert.deepEqual(shown.fields, { name: "Grace", note: "a=b" });
    const table = (await call("developers", "list", "-q", "grace")).stdout.trimEnd().split("\n");
    assert.match(table[0] ?? "", /^ID +STATE +SINCE +REQUESTS +KEYS +E-MAIL$/);
    assert.match(table[1] ?? "", /^dev-grace +active +\S+ +0 +0 +grace@example\.org$/);
    assert.equal(linesOf((await call("developers", "list", "--json")).stdout).length, 13);

    const off = await call("developers", "deactivate", "dev-grace", "nobody", "--keys", "keep");
    assert.deepEqual([off.code, off.stdout], [1, ""]);
    assert.equal(
      off.stderr,
      "Developer dev-grace is inactive.\nthere is no developer nobody (not_found)\n" +
        "keydesk: 1 of 2 not deactivated\n",
    );
    const inactive = linesOf(
      (await call("developers", "list", "--state", "inactive", "--json")).stdout,
    );
    assert.ok(inactive.some(({ id }) => id === "dev-grace"));
    const on = await call("developers", "reactivate", "dev-grace", "--json");
    assert.equal(JSON.parse(on.stdout).inactive, false);

    const unsaid = await call("developers", "rm", "dev-grace");
    assert.deepEqual([unsaid.code, unsaid.stdout], [2, ""]);
    const removed = await call("developers", "rm", "dev-grace", "--keys", "revoke");
    assert.match(
      removed.stderr,
      /^Developer dev-grace is deleted: 0 keys revoked, 0 requests deleted; developers restore brings them back until \S+Z\.\n$/,
    );
    const gone = await call("developers", "show", "dev-grace");
    assert.equal(gone.stderr, "keydesk: there is no developer dev-grace (not_found)\n");
    const deleted = linesOf((await call("developers", "deleted", "--json")).stdout);
    assert.deepEqual(deleted.map(({ id, keys }) => [id, keys]), [["dev-grace", 0]]);
    const back = await call("developers", "restore", "dev-grace");
    assert.equal(back.stderr, "Developer dev-grace is back, with 0 keys.\n");
  });

  Deno.test(`plans (${door}): added from a file, listed, shown and made inactive`, async () => {
    await using desk = await openDoors();
    const call = desk[door];
    const file = join(desk.folder, "plan.json");
    await Deno.writeTextFile(file, JSON.stringify({ name: "Tides", rate: 7, per: 60 }));
    const added = await call("plans", "add", file);
    assert.deepEqual([added.code, added.stderr], [0, 'The plan "Tides" is added under the id:\n']);
    const id = added.stdout.trim();
    assert.match((await call("plans", "add", file)).stderr, /\(plan_name_taken\)\n$/);
    for (
      const [content, reason] of [
        ["{", "is no JSON"],
        [undefined, "there is no such file"],
      ]
    ) {
      const path = join(desk.folder, "other.json");
      if (content === undefined) await Deno.remove(path);
      else await Deno.writeTextFile(path, content);
      const { code, stderr } = await call("plans", "add", path);
      assert.deepEqual([code, stderr], [1, `keydesk: ${path}: ${reason}\n`]);
    }
    const row = (await call("plans", "list", "-q", "Tides")).stdout.trimEnd().split("\n").at(-1);
    assert.match(
      row ?? "",
      new RegExp(`^${id} +active +authToken +manual +7 in 60 s +- +0 +0 +Tides$`),
    );
    assert.equal(linesOf((await call("plans", "list", "--limit", "2", "--json")).stdout).length, 2);
    assert.match((await call("plans", "show", id)).stdout, /^rate +7$/m);
    assert.equal(JSON.parse((await call("plans", "show", id, "--json")).stdout).rate, 7);
    const off = await call("plans", "deactivate", id);
    assert.deepEqual([off.code, off.stderr], [0, `Plan ${id} is inactive.\n`]);
    const [inactive] = linesOf(
      (await call("plans", "list", "--state", "inactive", "--json")).stdout,
    );
    assert.equal(inactive._id, id);
    assert.equal(JSON.parse((await call("plans", "activate", id, "--json")).stdout).active, true);
  });

  Deno.test(`keys (${door}): issued once, listed page by page, revoked`, async () => {
    await using desk = await openDoors();
    const call = desk[door];
    const file = join(desk.folder, "keys.jsonl");
    const line = (n: number) =>
      JSON.stringify({ key: `key-${n}`, developer: "dev-many", plans: ["p"] });
    await Deno.writeTextFile(file, Array.from({ length: 230 }, (_, n) => line(n)).join("\n"));
    assert.equal((await desk.local("keys", "import", file)).code, 0);
    const listed = linesOf(
      (await call("keys", "list", "--developer", "dev-many", "--json")).stdout,
    );
    assert.equal(new Set(listed.map(({ key_id }) => key_id)).size, 230);
    const some = await call("keys", "list", "--developer", "dev-many", "--limit", "130");
    assert.equal(some.stdout.trimEnd().split("\n").length, 131);

    const [plan] = linesOf((await call("plans", "list", "-q", "professional", "--json")).stdout);
    const issued = await call("keys", "issue", "dev-many", plan._id);
    assert.equal(issued.code, 0, issued.stderr);
    const id = sha256(issued.stdout.trim());
    assert.equal(issued.stderr, `Key ${id} of dev-many is shown this once:\n`);
    const whole = JSON.parse((await call("keys", "issue", "dev-many", plan._id, "--json")).stdout);
    assert.equal(sha256(whole.RawKey), whole.key_id);
    const nobody = await call("keys", "issue", "nobody", plan._id);
    assert.deepEqual([nobody.code, nobody.stdout], [1, ""]);
    assert.equal(nobody.stderr, "keydesk: there is no developer nobody (not_found)\n");
    // What it is good for is told where that is nothing, once for each plan.
    assert.equal((await call("plans", "deactivate", plan._id)).code, 0);
    assert.equal((await call("developers", "deactivate", "dev-many", "--keys", "keep")).code, 0);
    const idle = await call("keys", "issue", "dev-many", plan._id, "--json");
    assert.deepEqual([idle.code, linesOf(idle.stdout).length], [0, 1]);
    assert.deepEqual(idle.stderr.trimEnd().split("\n"), [
      `The plan "${plan._id}" is inactive: keys are valid for nothing by it until it is activated.`,
      'The developer "dev-many" is inactive and can\'t sign in to the portal; keys are valid for their plans.',
    ]);
    const unknown = await call("keys", "issue", "dev-many", "noplan", plan._id);
    assert.deepEqual([unknown.code, unknown.stdout], [1, ""]);
    assert.match(unknown.stderr, /There is no plan noplan: create it first/);
    const none = await call("keys", "issue", "dev-many");
    assert.deepEqual([none.code, none.stdout], [2, ""]);

    const rule = ["plans", "unused-keys", plan._id];
    assert.match((await call(...rule)).stdout, /^action +off$/m);
    await call(...rule, "--action", "suspend", "--after", "180");
    const [set] = linesOf((await call(...rule, "--warn", "7", "--json")).stdout);
    assert.deepEqual([set.action, set.after_days, set.warn_days], ["suspend", 180, 7]);
    const away = await call("keys", "suspend", id, "--reason", "see", "--minutes", "60");
    assert.equal(away.stderr, `Key ${id} is suspended for 60 min.\n`);
    const [waits] = linesOf((await call("keys", "schedule", id, "--json")).stdout);
    assert.deepEqual([typeof waits.resumes_at, waits.call_origins.count], ["string", 0]);
    assert.equal((await call("keys", "resume", id, "--reason", "seen")).code, 0);
    assert.match((await call("keys", "keep", id)).stderr, /is active, and its days/);
    const opens = await call("keys", "elsewhere", id, "yes");
    assert.equal(opens.stderr, `Key ${id} is valid elsewhere.\n`);
    const since = await call("keys", "list", "--unused-since", "1d", "--schedule", "warned");
    assert.equal(since.stderr, "There is no key that matches.\n");

    const revoked = await call("keys", "revoke", id, "--reason", "leaked", "--json");
    assert.deepEqual(linesOf(revoked.stdout).map(({ state }) => state), ["revoked"]);
    const final = await call("keys", "restore", id, "--reason", "by mistake");
    assert.match(final.stderr, /\(key_revoked\)\nkeydesk: 1 of 1 not brought back\n$/);
    const twice = await call("keys", "revoke", id, "--reason", "leaked");
    assert.equal(twice.code, 1);
    assert.match(twice.stderr, /\(key_revoked\)\nkeydesk: 1 of 1 not revoked\n$/);
  });
}

Deno.test("plans: of an empty store it is told that there is none yet, of a search that none matches", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await using _server = await startServerProcess(settings);
  const empty = await keydesk(["plans", "list"], settings);
  assert.deepEqual(empty, { code: 0, stdout: "", stderr: "There is no plan yet.\n" });
  const none = await keydesk(["plans", "list", "-q", "tides"], settings);
  assert.equal(none.stderr, "There is no plan that matches.\n");
});

Deno.test("names: plans and developers are named by name and address, and an ambiguous one is listed", async () => {
  await using desk = await seededStore();
  const call = desk.local;
  const file = join(desk.folder, "plan.json");
  await Deno.writeTextFile(file, JSON.stringify({ name: "Tides, low" }));
  const id = (await call("plans", "add", file)).stdout.trim();
  await call("developers", "add", "mary@example.org", "--id", "dev-mary");
  const issued = await call("keys", "issue", "MARY@example.org", "tides, low", "--json");
  assert.equal(issued.code, 0, issued.stderr);
  const words = ["keys", "list", "--developer", "mary@example.org", "--plan", "Tides, low"];
  const listed = linesOf((await call(...words, "--json")).stdout);
  assert.deepEqual(listed.map(({ key_id, plans }) => [key_id, plans]), [
    [JSON.parse(issued.stdout).key_id, [id]],
  ]);
  assert.equal(
    (await call("plans", "deactivate", "Tides, low")).stderr,
    `Plan ${id} is inactive.\n`,
  );
  assert.match((await call("developers", "show", "mary@example.org")).stdout, /^id +dev-mary$/m);

  for (const one of ["dev-one", "dev-two"]) {
    await call("developers", "add", `${one}@example.org`, "--id", one, "--field", "name=Twin");
  }
  const twice = await call("keys", "issue", "Twin", "Tides, low");
  assert.deepEqual([twice.code, twice.stdout], [1, ""]);
  assert.match(
    twice.stderr,
    /2 developers are called "Twin"; give one of the ids:\n +dev-\w+ +Twin\n/,
  );
  // What nothing is called by is an id that nobody knows.
  assert.match((await call("plans", "show", "Ebb")).stderr, /there is no plan Ebb \(not_found\)/);
});

Deno.test("keys issue --claim: prints a link that hands the key over once, and no key", async () => {
  await using desk = await openDoors();
  const [plan] = linesOf(
    (await desk.local("plans", "list", "-q", "professional", "--json")).stdout,
  );
  await desk.local("developers", "add", "mary@example.org", "--id", "dev-mary");
  const { code, stdout, stderr } = await desk.remote(
    "keys",
    "issue",
    "dev-mary",
    plan._id,
    "--one-time-link",
  );
  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /^Key [0-9a-f]{64} of dev-mary is issued\. The link hands it over once, until /,
  );
  assert.match(stdout, /^http:\/\/\S+#\S+\n$/);
  const answer = await fetch(`${desk.server.url}/v1/one-time-links/open`, {
    method: "POST",
    body: JSON.stringify({ token: stdout.trim().split("#")[1] }),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.equal(`Key ${sha256((await answer.json()).key.RawKey)}`, stderr.slice(0, 68));
});

Deno.test("plans: what show prints can be added elsewhere, and edit changes what it names alone", async () => {
  await using desk = await seededStore();
  await using folder = await temporaryFolder();
  const [seeded] = linesOf(
    (await desk.local("plans", "list", "-q", "professional", "--json")).stdout,
  );
  const shown = (await desk.local("plans", "show", seeded._id, "--json")).stdout;
  const other = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await using server = await startServerProcess(other);
  const added = await keydesk(["plans", "add", "-", "--json"], other, shown);
  assert.equal(added.code, 0, added.stderr);
  const { revision: _, date_created: __, keys: ___, pending_requests: ____, ...plan } = JSON.parse(
    added.stdout,
  );
  const { approval, key_request_fields } = plan;
  assert.deepEqual({ ...JSON.parse(shown), ...plan }, {
    ...JSON.parse(shown),
    approval,
    key_request_fields,
  });
  assert.ok(server.url);

  const edited = await desk.local(
    "plans",
    "edit",
    seeded.name,
    "--set",
    "rate=77",
    "--set",
    'tags=["a"]',
    "--json",
  );
  assert.equal(edited.code, 0, edited.stderr);
  const { revision, rate, tags, ...rest } = JSON.parse(edited.stdout);
  assert.deepEqual([rate, tags], [77, ["a"]]);
  const before = JSON.parse(shown);
  assert.notEqual(revision, before.revision);
  assert.deepEqual({ ...before, ...rest }, before, "all others stay");
  const back = await keydesk(["plans", "edit", seeded._id, "--file", "-"], desk.settings, shown);
  assert.equal(back.stderr, `The plan "${seeded.name}" is changed.\n`);
  const again = JSON.parse((await desk.local("plans", "show", seeded._id, "--json")).stdout);
  assert.deepEqual([again.rate, again.tags], [before.rate, before.tags]);
  assert.equal((await desk.local("plans", "edit", seeded._id)).code, 2);
  const wrong = await desk.local("plans", "edit", seeded._id, "--set", "rat=1");
  assert.match(wrong.stderr, /rate/);
});

/** A seeded store that no server has open. */
async function seededStore() {
  const folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data") };
  await copySeeded(settings.KEYDESK_DATA_DIR);
  return {
    settings,
    folder: folder.path,
    local: (...words: string[]) => keydesk(words, settings),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** `keydesk roles` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { keydesk } from "../support/command.ts";
import { doors, linesOf, openDoors } from "../support/doors.ts";
import { eventually } from "../support/eventually.ts";

interface Shown {
  id: string;
  name: string;
  permissions: string[];
  preset: boolean;
  used_by: { people: number; access_tokens: number; identity_providers: number };
}

for (const way of doors) {
  Deno.test(`roles (${way}): listed, added, changed by name, kept while somebody has it, removed`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    const presets = linesOf((await call("roles", "list", "--json")).stdout) as Shown[];
    assert.deepEqual(presets.filter(({ preset }) => !preset), []);
    assert.ok(presets.some(({ id }) => id === "auditor"));
    const words = ["--allow", "revoke,portal:read"];
    const added = await call("roles", "add", "First line", ...words);
    assert.equal(added.code, 0, added.stderr);
    assert.match(added.stderr, /^Role [0-9a-f]{24} "First line" is added\.\n$/);
    const [, id = ""] = /Role (\w+)/.exec(added.stderr) ?? [];
    const twice = await call("roles", "add", "first LINE", ...words);
    assert.deepEqual([twice.code, twice.stdout], [1, ""]);
    assert.match(twice.stderr, /role_name_taken/);
    assert.match((await call("roles", "list")).stdout, /^ID .*PERMISSIONS\n/);
    assert.match((await call("roles", "list")).stdout, /First line +portal:read,revoke\n/);
    const renamed = await call("roles", "change", "first line", "--name", "Second line");
    assert.match(renamed.stderr, /^Role \w+ "Second line" is changed\.\n$/);
    const narrowed = await call("roles", "change", id, "--allow", "portal:read", "--json");
    assert.deepEqual(JSON.parse(narrowed.stdout).permissions, ["portal:read"]);
    const fixed = await call("roles", "change", "Auditor", "--allow", "admin");
    assert.match(fixed.stderr, /role_fixed/);

    const make = ["token", "create", "nightly", "--role", "second line", "--json"];
    const token = await keydesk(make, desk.settings);
    assert.equal(token.code, 0, token.stderr);
    const inUse = await call("roles", "remove", "Second line");
    assert.equal(inUse.code, 1);
    assert.match(inUse.stderr, /role_in_use/);
    const shown = JSON.parse((await call("roles", "show", "Second line", "--json")).stdout);
    assert.deepEqual([shown.id, shown.name, shown.permissions, shown.used_by.people], [
      id,
      "Second line",
      ["portal:read"],
      1,
    ]);
    const unused = await call("roles", "add", "Nobody's", "--allow", "verify");
    assert.equal(unused.code, 0, unused.stderr);
    assert.match(
      (await call("roles", "remove", "nobody's")).stderr,
      /^Role \w+ "Nobody's" is removed\.\n$/,
    );
    for (
      const wrong of [
        ["roles", "add", "X"],
        ["roles", "add", "X", "--allow", "everything"],
        ["roles", "change", id],
      ]
    ) assert.equal((await call(...wrong)).code, 2, wrong.join(" "));
    const absent = await call("roles", "show", "Nobody's");
    assert.match(absent.stderr, /there is no role Nobody's \(not_found\)/);
  });
}

Deno.test("roles, people: a change that leaves approvals to no one names them", async () => {
  await using desk = await openDoors();
  const credential = (await Deno.readTextFile(desk.tokenFile)).trim();
  const send = async (method: string, path: string, body: object) => {
    const headers = { authorization: credential, "content-type": "application/json" };
    const url = `${desk.server.url}${path}`;
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    const made = await answer.json();
    assert.ok(answer.ok, JSON.stringify(made));
    return made;
  };
  const own = { name: "Deciders", permissions: ["portal:read", "approve"] };
  const role = await send("POST", "/v1/roles", own);
  const { id } = await send("POST", "/v1/people", { name: "Dan", role: role.id });
  const steps = [{ name: "Role", need: 1, role: role.id }];
  await send("PUT", "/v1/approval-policy", { outcome: "steps", steps });
  const said = /^The default approval policy can't be fulfilled any more: .*who may approve/m;
  const suspended = await keydesk(["people", "suspend", id], desk.settings);
  assert.equal(suspended.code, 0, suspended.stderr);
  assert.match(suspended.stderr, said);
  assert.equal((await keydesk(["people", "resume", id], desk.settings)).code, 0);
  for (const way of doors) {
    const full = await desk[way]("roles", "change", role.id, "--allow", "approve,portal:read");
    assert.doesNotMatch(full.stderr, said);
    const emptied = await desk[way]("roles", "change", role.id, "--allow", "portal:read");
    assert.match(emptied.stderr, said);
  }
});

Deno.test("token: with a role it may do what the role says, now and after the role has changed", async () => {
  await using desk = await openDoors();
  assert.equal((await desk.local("roles", "add", "Own", "--allow", "portal:read")).code, 0);
  const made = await keydesk(["token", "create", "ci", "--role", "own"], desk.settings);
  assert.equal(made.code, 0, made.stderr);
  const credential = made.stdout.trim();
  const status = async (path: string) => {
    const headers = { authorization: credential };
    const answer = await fetch(`${desk.server.url}${path}`, { headers });
    await answer.body?.cancel();
    return answer.status;
  };
  assert.deepEqual([await status("/v1/keys"), await status("/v1/roles")], [200, 403]);
  assert.equal((await desk.remote("roles", "change", "own", "--allow", "admin:read")).code, 0);
  await eventually("the role's new permissions", async () => await status("/v1/keys") === 403);
  assert.equal(await status("/v1/roles"), 200);
  for (
    const [words, code] of [
      [["--role", "nobody's"], 1],
      [["--role", "auditor", "--allow", "admin"], 2],
      [[], 2],
    ] as const
  ) {
    const refused = await keydesk(["token", "create", "x", ...words], desk.settings);
    assert.deepEqual([refused.code, refused.stdout], [code, ""], words.join(" "));
  }
});

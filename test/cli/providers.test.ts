/** `keydesk providers` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { keydesk } from "../support/command.ts";
import { doors, linesOf, openDoors } from "../support/doors.ts";
import { standIn } from "../support/identity-provider.ts";

const SECRET = "a secret of both";

for (const way of doors) {
  Deno.test(`providers (${way}): added, listed, changed, tested and removed; the secret comes from a file`, async () => {
    await using provider = await standIn();
    await using desk = await openDoors({
      KEYDESK_OUTBOUND: provider.host,
      KEYDESK_PUBLIC_URL: "https://desk.example.org",
    });
    const call = desk[way];
    assert.match((await call("providers", "list")).stderr, /no identity provider yet/);
    const file = join(desk.folder, "secret");
    await Deno.writeTextFile(file, `${SECRET}\n`);
    const terms = ["--name", "Transit", "--client-id", "keydesk-console"];
    const words = ["providers", "add", provider.issuer, ...terms, "--secret-file", file];
    const added = await call(...words, "--group", "desk=portal:read,approve", "--creates-people");
    assert.equal(added.code, 0, added.stderr);
    assert.match(
      added.stdout,
      /^redirect URI +https:\/\/desk\.example\.org\/console\/from\/(\w+)\nback-channel logout URI +https:\/\/desk\.example\.org\/v1\/session\/provider\/\1\/logout\n$/,
    );
    const developers = await call(...words, "--for", "developers", "--json");
    assert.equal(developers.code, 0, developers.stderr);
    const [people, theirs] = linesOf((await call("providers", "list", "--json")).stdout);
    assert.deepEqual([people.for, theirs.for, people.has_secret], ["people", "developers", true]);
    const [group] = people.groups;
    assert.deepEqual([group.group, group.permissions], ["desk", ["portal:read", "approve"]]);
    const { id } = theirs;
    const refused = await call("providers", "change", id, "--group", "desk=approve");
    assert.match(refused.stderr, /a provider for developers has none/);
    const changed = await call("providers", "change", id, "--domain", "partner.example");
    assert.match(changed.stderr, /^Identity provider \w+ "Transit" is changed\.\n/);
    const shown = JSON.parse((await call("providers", "show", id, "--json")).stdout);
    assert.deepEqual([shown.name, shown.domains, shown.has_secret], [
      "Transit",
      ["partner.example"],
      true,
    ]);
    const changes = ["--preset", "keycloak", "--groups-path", "a", "--session-minutes", "none"];
    const filled = await call(
      "providers",
      "change",
      people.id,
      ...changes,
      "--recheck-minutes",
      "30",
    );
    assert.equal(filled.code, 0, filled.stderr);
    assert.match(
      filled.stderr,
      /Valid redirect URIs: https:\/\/desk\.example\.org\/console\/from\/\w+\n/,
    );
    const now = JSON.parse((await call("providers", "show", people.id, "--json")).stdout);
    assert.deepEqual(
      [
        now.preset,
        now.groups_drop_slash,
        now.groups_path,
        now.recheck_minutes,
        now.session_minutes,
      ],
      ["keycloak", true, ["a"], 30, null],
    );
    const back = ["--no-groups-path", "--issuer", provider.issuer];
    assert.equal((await call("providers", "change", people.id, ...back)).code, 0);
    const tested = await call("providers", "test", id);
    assert.deepEqual([tested.code, tested.stdout], [0, "1 keys, signs by ES256\n"]);
    const piped = ["providers", "change", id, "--secret-file", "-"];
    const known = way === "local"
      ? await keydesk(piped, desk.settings, "another secret\n")
      : await keydesk(
        [...piped, "--url", desk.server.url, "--token-file", desk.tokenFile],
        {},
        "another secret\n",
      );
    assert.equal(known.code, 0, known.stderr);
    const bare = await call("providers", "change", id, "--no-secret", "--no-domains");
    assert.equal(bare.code, 0, bare.stderr);
    const after = JSON.parse((await call("providers", "show", id, "--json")).stdout);
    assert.deepEqual([after.domains, after.has_secret], [[], false]);
    for (
      const wrong of [
        ["providers", "add", provider.issuer, ...terms],
        ["providers", "add", provider.issuer, "--secret-file", file],
        ["providers", "change", id],
        ["providers", "change", id, "--group", "desk=everything"],
      ]
    ) assert.equal((await call(...wrong)).code, 2, wrong.join(" "));
    const absent = await call(...words.slice(0, -1), `${file}-absent`);
    assert.match(absent.stderr, /secret-absent: /);
    assert.equal((await call("providers", "remove", id)).code, 0);
    const gone = await call("providers", "test", id);
    assert.match(gone.stderr, /there is no identity provider .* \(not_found\)/);
    for (const { stdout, stderr } of [added, developers, changed, tested]) {
      assert.ok(!`${stdout}${stderr}`.includes(SECRET));
    }
  });
}

Deno.test("providers: one that does not answer ends with 1, and says why", async () => {
  await using desk = await openDoors();
  const added = await keydesk(
    [
      "providers",
      "add",
      "https://login.example.org",
      "--name",
      "X",
      "--client-id",
      "x",
      "--no-secret",
    ],
    desk.settings,
  );
  assert.equal(added.code, 1);
  assert.match(added.stderr, /KEYDESK_OUTBOUND does not name login\.example\.org/);
});

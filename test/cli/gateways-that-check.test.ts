/**
 * `keydesk gateways` of those that check each call, on the local store beside its server, and on
 * that server.
 */
import assert from "node:assert/strict";
import { doors, linesOf, openDoors } from "../support/doors.ts";

for (const way of doors) {
  Deno.test(`gateways that check (${way}): added, listed, and removed by name`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    const none = await call("gateways", "list");
    assert.equal(none.stderr, "There is no gateway.\n");
    const added = await call(
      "gateways",
      "add",
      "edge-1",
      "--kind",
      "nginx",
      "--silent-minutes",
      "60",
    );
    assert.match(
      added.stderr,
      /^Gateway [0-9a-f]{24} "edge-1" is added\. Its file: keydesk gateways file edge-1\n$/,
    );
    const [door] = linesOf((await call("gateways", "list", "--json")).stdout);
    assert.deepEqual(
      [door.name, door.kind, door.silent_minutes, door.state],
      ["edge-1", "nginx", 60, "waiting"],
    );
    assert.match(
      (await call("gateways", "list")).stdout,
      /^NAME .*\nedge-1 +checks +.*waiting .* never /,
    );
    const taken = await call("gateways", "add", "edge-1");
    assert.deepEqual([taken.code, taken.stdout], [1, ""]);
    assert.match(taken.stderr, /Another gateway has this name/);
    assert.equal((await call("gateways", "add", "edge-2", "--silent-minutes", "x")).code, 2);
    const changed = await call("gateways", "change", "edge-1", "--silent-minutes", "5", "--json");
    assert.equal(JSON.parse(changed.stdout).silent_minutes, 5);
    assert.equal((await call("gateways", "change", "edge-1")).code, 2);
    const words = ["--listen", "127.0.0.1:8080", "--api-address", "10.0.0.7:9000", "--api", "x"];
    const files = [...words, "--keydesk", "desk:3000"];
    const first = await call("gateways", "file", "edge-1", ...files);
    assert.match(first.stdout, /^upstream keydesk-auth-edge-1 \{\n {2}server desk:3000;$/m);
    assert.match(first.stdout, /^ {2}listen 127\.0\.0\.1:8080;$/m);
    assert.doesNotMatch(first.stdout, /\$\{|Fill in/);
    assert.match(first.stderr, /^Save it as keydesk-edge-1\.conf .*keydesk-edge-1\.server/);
    assert.match(first.stderr, /^nginx -t && nginx -s reload$/m);
    const part = ["--part", "keydesk-edge-1.server"];
    const second = (await call("gateways", "file", "edge-1", ...files, ...part)).stdout;
    assert.match(second, /Bearer \$\{DESK_CREDENTIAL\}/);
    assert.match(second, /Fill in.*\n# {3}DESK_CREDENTIAL .*\n\n/);
    assert.equal((await call("gateways", "file", "edge-1", "--listen", "a b:1")).code, 2);
    assert.equal((await call("gateways", "file", "edge-1", "--part", "x")).code, 2);
    assert.match(
      (await call("gateways", "file", "nobody")).stderr,
      /there is no gateway nobody \(not_found\)/,
    );
    assert.equal(
      (await call("gateways", "remove", "Edge-1")).stderr,
      "Gateway Edge-1 is removed: its calls count as other.\n",
    );
    assert.match((await call("gateways", "remove", "edge-1")).stderr, /not_found/);
  });
}

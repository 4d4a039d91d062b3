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
    const file =
      (await call("gateways", "file", "edge-1", ...words, "--keydesk", "desk:3000")).stdout;
    const text = await Deno.readTextFile(
      new URL("../../docs/gateways/nginx.conf", import.meta.url),
    );
    const expected = text.replaceAll("${GATEWAY_ADDRESS}", "127.0.0.1:8080")
      .replaceAll("${API_ADDRESS}", "10.0.0.7:9000").replaceAll("${API_ID}", "x")
      .replaceAll("${DESK_ADDRESS}", "desk:3000").replaceAll("${GATEWAY_NAME}", "edge-1");
    assert.equal(file, expected);
    assert.match(file, /Bearer \$\{DESK_CREDENTIAL\}/);
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

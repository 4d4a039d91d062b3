/** `keydesk apis` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { doors, linesOf, openDoors } from "../support/doors.ts";

for (const way of doors) {
  Deno.test(`apis (${way}): listed, shown, and who sees them is set`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    const [first] = linesOf((await call("apis", "list", "--json")).stdout);
    assert.equal(first.visibility, "signed_in");
    const set = (...words: string[]) => call("apis", "visibility", first.id, ...words);
    const invited = ["--invited", "Example.org", "--invited", "ann@example.net"];
    const made = await set("invited", ...invited, "--invited-tag", "partner", "--json");
    assert.equal(made.code, 0, made.stderr);
    const { visibility, invited: who, invited_tags } = JSON.parse(made.stdout);
    assert.deepEqual([visibility, who, invited_tags], [
      "invited",
      ["example.org", "ann@example.net"],
      ["partner"],
    ]);
    const open = await set("public");
    assert.match(open.stdout + open.stderr, / is seen by everyone\.\n/);
    const shown = JSON.parse((await call("apis", "show", first.id, "--json")).stdout);
    assert.deepEqual([shown.visibility, shown.invited], ["public", who]);
    const wrong = await set("nobody");
    assert.notEqual(wrong.code, 0);
  });
}

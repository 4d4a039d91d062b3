/** What commands that are declared (src/cli/noun.ts) say where there is nothing, or too little. */
import assert from "node:assert/strict";
import { doors, openDoors } from "../support/doors.ts";

const wrong = "keydesk: expected the id of a delivery, or --channel with --after\n";

/** Words, and the exit code and standard error that follow; nothing goes to standard output. */
const ROWS: readonly (readonly [words: string, code: number, said: string])[] = [
  ["gateways show City", 1, "keydesk: there is no gateway City (not_found)\n"],
  ["gateways keys City --json", 1, "keydesk: there is no gateway City (not_found)\n"],
  ["gateways remove edge-1", 1, "keydesk: there is no gateway edge-1 (not_found)\n"],
  ["roles show City", 1, "keydesk: there is no role City (not_found)\n"],
  ["plans activate City", 1, "there is no plan City (not_found)\nkeydesk: 1 of 1 not activated\n"],
  ["deliveries replay", 2, wrong],
  ["deliveries replay one --channel two --after 2026-03-01", 2, wrong],
  ["gateways change edge-1", 2, "keydesk: say what changes: see keydesk gateways change --help\n"],
  ["delegation show", 0, "You have no delegate, and are no one's.\n"],
  ["channels list", 0, "There is no notification channel yet.\n"],
  ["channels list --json", 0, "There is no notification channel yet.\n"],
  ["logs denied --key ffffffff", 0, "No call was denied.\n"],
];

for (const way of doors) {
  Deno.test(`declared (${way}): what is absent is named, and what does not go together is refused`, async () => {
    await using desk = await openDoors();
    for (const [words, code, stderr] of ROWS) {
      assert.deepEqual(await desk[way](...words.split(" ")), { code, stdout: "", stderr }, words);
    }
    const added = await desk[way](
      "gateways",
      "add",
      "City",
      "--kind",
      "haproxy",
      "--connection",
      "map",
      "--socket",
      "fetched",
    );
    assert.equal(added.code, 0, added.stderr);
    const { stderr } = await desk[way]("gateways", "now", "City", "--key", "nothing");
    assert.equal(stderr, "keydesk: there is no key nothing (not_found)\n");
  });
}

/**
 * The rehearsal of examples/moving: clients call and a portal works while Keydesk takes over and
 * the original is killed.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { rehearse } from "../../../examples/moving/rehearse.ts";
import { tableOf } from "../../../examples/moving/tally.ts";
import { repository, temporaryFolder } from "../../support/command.ts";
import { effort } from "../../support/effort.ts";

const KEYDESK = [
  Deno.execPath(),
  "run",
  "-A",
  "--no-prompt",
  join(repository, "src/cli/main.ts"),
];

/** From before the first plan until the original is gone. */
const PHASES = 8;

Deno.test("moving in: rehearsed with callers at the door, none of whom is refused or left unanswered", async () => {
  await using folder = await temporaryFolder();
  const size = effort > 1
    ? { developers: 1000, callers: 16, calls: 5000 }
    : { developers: 30, callers: 4, calls: 50 };
  const made = await rehearse(folder.path, KEYDESK, size, () => {});
  assert.deepEqual(made.troubles, []);
  for (const rows of [made.calls, made.portal]) {
    assert.equal(rows.length, PHASES);
    for (const { phase, calls, answered, refused, unanswered } of rows) {
      assert.ok(calls > 0 && calls === answered, phase);
      assert.deepEqual([refused, unanswered], [0, 0], phase);
    }
  }
  // One in ten ordinary keys has 32 bits, and one of the odd ones has no plan.
  assert.equal(made.rotated, size.developers / 10 + 1);
  for (const { kind, missing } of made.verified) assert.equal(missing, 0, kind);
  if (effort > 1) {
    const { calls, closedMs, portal } = made;
    const [all, pages] = [calls, portal].map((rows) => rows.reduce((n, row) => n + row.calls, 0));
    const gap = Math.max(...calls.map(({ gapMs }) => gapMs));
    console.log(
      `rehearsal: ${all} calls and ${pages} of the portal, refused 0, unanswered 0, longest gap ` +
        `${gap.toFixed(0)} ms, pages closed for ${closedMs.toFixed(0)} ms`,
    );
    console.log(tableOf("callers", calls));
  }
});

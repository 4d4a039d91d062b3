/**
 * The rehearsals of examples/moving: clients call and a portal works while Keydesk takes over and
 * the original is killed; and both run until the gateway can go.
 */
import assert from "node:assert/strict";
import { rehearseDay } from "../../../examples/moving/day.ts";
import { tableOf } from "../../../examples/moving/tally.ts";
import { rehearseWeek } from "../../../examples/moving/week.ts";
import { reportOfWeek } from "../../../examples/moving/week-report.ts";
import { temporaryFolder } from "../../support/command.ts";
import { effort } from "../../support/effort.ts";
import { mainModule } from "../../support/program.ts";

const KEYDESK = [
  Deno.execPath(),
  "run",
  "-A",
  "--no-prompt",
  mainModule,
];

/** From before the first plan until the original is gone. */
const PHASES = 8;

Deno.test("moving in: rehearsed with callers at the door, none of whom is refused or left unanswered", async () => {
  await using folder = await temporaryFolder();
  const size = effort > 1
    ? { developers: 1000, callers: 16, calls: 5000 }
    : { developers: 30, callers: 4, calls: 50 };
  const made = await rehearseDay(folder.path, KEYDESK, size, () => {});
  assert.deepEqual(made.problems, []);
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

Deno.test("moving in: rehearsed over days in which both run, from the import until the gateway is gone, and back", async () => {
  await using folder = await temporaryFolder();
  const size = effort > 1
    ? { days: 7, developers: 330, callers: 8 }
    : { days: 4, developers: 14, callers: 4 };
  const week = await rehearseWeek(folder.path, size, () => {});
  for (const { promise, isKept, seen } of week.promises) assert.ok(isKept, `${promise}: ${seen}`);
  assert.equal(week.promises.length, 10);
  assert.equal(week.days.length, size.days);
  // Each form came by its way: these by an import, those by learning, and all are right in the end.
  for (const { form, holders, imported, home } of week.forms) {
    assert.equal(home, holders, form);
    if (form === "murmur32" || form === "chosen") assert.equal(imported, 0, form);
    else if (form !== "sha256") assert.equal(imported, holders, form);
  }
  assert.deepEqual(week.forms.map(({ form }) => form).sort(), [...FORMS].sort());
  if (effort > 1) console.log(`week rehearsal: ${reportOfWeek(week).replaceAll("\n", " ")}`);
});

const FORMS = ["chosen", "murmur128", "murmur32", "murmur64", "sha256", "unhashed"];

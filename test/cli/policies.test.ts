/** `keydesk policies` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { doors, linesOf, openDoors } from "../support/doors.ts";

interface Shown {
  plan: string | null;
  outcome: string;
  not_by_filer: boolean;
  expires_after_days: number | null;
  remind_before_days: number | null;
  steps: { name: string; need: number; role: string | null }[];
}

for (const way of doors) {
  Deno.test(`policies (${way}): set for a plan and by default, checked, shown, removed`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    const [{ name: plan }] = linesOf((await call("plans", "list", "--json")).stdout);
    const [before, ...none] = linesOf((await call("policies", "list", "--json")).stdout) as Shown[];
    assert.deepEqual([before?.plan, before?.outcome, none.length], [null, "catalogue", 0]);
    const byDefault = await call(
      "policies",
      "set",
      "default",
      "--outcome",
      "one",
      "--not-by-filer",
      "--expires-after",
      "30",
      "--remind-before",
      "3",
      "--json",
    );
    assert.equal(byDefault.code, 0, byDefault.stderr);
    const { not_by_filer, expires_after_days, remind_before_days } = JSON.parse(byDefault.stdout);
    assert.deepEqual([not_by_filer, expires_after_days, remind_before_days], [true, 30, 3]);
    const steps = ["--outcome", "steps", "--step", "Data:9:role=approver", "--step", "Platform:1"];
    const checked = await call("policies", "check", plan, ...steps, "--json");
    assert.equal(checked.code, 0, checked.stderr);
    assert.match(JSON.parse(checked.stdout).lacks[0], /^steps\[0\]\.need: 9 of 0/);
    const lacking = await call("policies", "set", plan, ...steps);
    assert.equal(lacking.code, 1);
    assert.match(lacking.stderr, /policy_unfulfillable/);
    const set = await call("policies", "set", plan, "--outcome", "steps", "--step", "Platform:1");
    assert.equal(set.stderr, `The policy of ${plan} is set. Requests that wait keep theirs.\n`);
    const [, own] = linesOf((await call("policies", "list", "--json")).stdout) as Shown[];
    assert.deepEqual(own?.steps.map(({ name, need }) => [name, need]), [["Platform", 1]]);
    assert.match((await call("policies", "list")).stdout, /Platform:1\n/);
    assert.match((await call("policies", "show", plan)).stdout, /steps +Platform:1/);
    assert.equal(
      (await call("policies", "remove", plan)).stderr,
      `For ${plan} the default holds.\n`,
    );
    const shown = JSON.parse((await call("policies", "show", plan, "--json")).stdout) as Shown;
    assert.deepEqual([shown.plan, shown.outcome], [null, "one"]);
    for (
      const wrong of [
        ["policies", "set", plan],
        ["policies", "set", plan, "--outcome", "steps", "--step", "Platform"],
        ["policies", "remove", "default"],
      ]
    ) assert.notEqual((await call(...wrong)).code, 0, wrong.join(" "));
  });
}

/** `-o json` and `-o yaml`, of every command that has `--json`. */
import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import { completionTree } from "../../src/cli/completion-tree.ts";
import { textOf } from "../../src/cli/forms.ts";
import { createProgram } from "../../src/cli/program.ts";
import { type DeskWithDoors, openDoors } from "../support/doors.ts";

/** The values of a stream of YAML documents, as other programs read it. */
function valuesIn(text: string, version: "1.1" | "1.2" = "1.2"): unknown[] {
  return [...parseAllDocuments(text, { version, strict: true })].map((one) => {
    assert.deepEqual(one.errors, []);
    return one.toJS();
  });
}

/** The id of a list's first row. */
async function firstOf(desk: DeskWithDoors, noun: string): Promise<string> {
  const { stdout } = await desk.local(noun, "list", "--limit", "1", "--json");
  return JSON.parse(stdout).id;
}

Deno.test("forms: every command with --json has both, tables have wide too, and shells know them", async () => {
  const tree = completionTree(await createProgram());
  const valuesOf = (path: string) =>
    tree.find((one) => one.path.join(" ") === path)?.options
      .find(({ long }) => long === "--output")?.values;
  for (const { path, options } of tree) {
    const has = (name: string) => options.some(({ long }) => long === name);
    assert.equal(has("--output"), has("--json"), path.join(" "));
  }
  for (const list of ["requests list", "token list", "certs list", "context list"]) {
    assert.deepEqual(valuesOf(list), ["json", "yaml", "wide"]);
  }
  for (const other of ["requests show", "plans edit", "seed", "doctor", "audit verify"]) {
    assert.deepEqual(valuesOf(other), ["json", "yaml"]);
  }
});

Deno.test("forms: -o json is --json, and -o yaml has the same values", async () => {
  await using desk = await openDoors();
  // Else the server removes old rows between two of the commands.
  const purged = await desk.local("purge", "--yes");
  assert.equal(purged.code, 0, purged.stderr);
  const [request = ""] = await desk.pending();
  const [plan, developer] = [await firstOf(desk, "plans"), await firstOf(desk, "developers")];
  const commands = [
    ["requests", "list"],
    ["requests", "show", request],
    ["plans", "list"],
    ["plans", "show", plan],
    ["developers", "list", "--limit", "3"],
    ["developers", "tag", developer, "--tag", "one"],
    ["keys", "list"],
    ["certs", "list"],
    ["token", "list"],
    ["people", "list"],
    ["roles", "list"],
    ["logs", "denied"],
    ["gateways", "list"],
    ["audit", "verify"],
    ["purge", "--dry-run"],
    ["upgrade", "--dry-run"],
    ["check"],
  ];
  for (const words of commands) {
    const [asJson, json, yaml] = [
      await desk.local(...words, "--json"),
      await desk.local(...words, "-o", "json"),
      await desk.local(...words, "--output=yaml"),
    ];
    assert.deepEqual(json, asJson, words.join(" "));
    const lines = asJson.stdout.trimEnd().split("\n").filter((line) => line !== "");
    const values = lines.map((line) => JSON.parse(line));
    assert.deepEqual([yaml.code, yaml.stderr], [asJson.code, asJson.stderr]);
    assert.equal(asJson.code, 0, asJson.stderr);
    assert.deepEqual(valuesIn(yaml.stdout), values, words.join(" "));
    assert.equal(yaml.stdout.match(/^---$/gm)?.length ?? 0, values.length);
  }
  const wrong = await desk.local("seed", "-o", "wide");
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /Allowed choices are json, yaml/);
});

Deno.test("forms: an issued key is in the answer in each form, and alone without one", async () => {
  await using desk = await openDoors();
  const [plan, developer] = [await firstOf(desk, "plans"), await firstOf(desk, "developers")];
  const issue = ["keys", "issue", developer, plan];
  const { stdout, stderr } = await desk.remote(...issue, "-o", "yaml");
  const [issued] = valuesIn(stdout) as { RawKey: string }[];
  assert.match(issued?.RawKey ?? "", /^\S{20,}$/, stderr);
  const ids = (await desk.pending()).slice(0, 2);
  const approved = await desk.remote("requests", "approve", ...ids, "-o", "yaml");
  assert.equal(valuesIn(approved.stdout).length, 2, approved.stderr);
});

Deno.test("forms: text stays text in YAML 1.1 and 1.2, whatever it looks like", async () => {
  const texts = [
    ...["yes", "no", "on", "null", "~", "1e3", "0x1f", "012", "12:30:45", "2001-01-01", "", " a "],
    ...["- a", "a: b", "# a", "a\nb\n", "a\u2028b", "\u0000", "---", "é", "%", "!x", "&x", "*x"],
  ];
  const value = { texts, number: 1.5, none: null, yes: true, deep: { a: [{ b: [] }] } };
  const text = await textOf([value, value], "yaml");
  for (const version of ["1.1", "1.2"] as const) {
    assert.deepEqual(valuesIn(text, version), [value, value]);
  }
});

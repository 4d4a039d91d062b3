/** The table of conditions at gateways names tests that are there. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../support/command.ts";
import { conditions } from "../support/granted-keys.ts";

Deno.test("docs: every cell of the table of conditions names a test that is there", async () => {
  const text = await Deno.readTextFile(join(repository, "docs/verification.md"));
  const [, section = ""] = text.split("## Keys with conditions");
  const lines = (section.split("\n## ")[0] ?? "").split("\n");
  const [head = "", , ...rows] = lines.filter((line) => line.startsWith("|"));
  const doors = cellsOf(head).slice(1);
  assert.deepEqual(doors.map((door) => door.toLowerCase().replaceAll("`", "")), [
    "post /v1/keys/verify",
    "nginx, caddy, haproxy, envoy",
    "traefik",
    "plugin of tyk gateway",
    "post /oauth/introspect",
  ]);
  assert.equal(rows.length, conditions.length);
  const named = new Map<string, string[]>();
  for (const line of lines) {
    const [, letter = "", file = "", name = ""] = /^- \((\w)\) `([^`]+)`: “([^”]+)”/.exec(line) ??
      [];
    if (letter !== "") named.set(letter, [file, name]);
  }
  const used = new Set<string>();
  for (const row of rows) {
    const [condition = "", ...cells] = cellsOf(row);
    assert.equal(cells.length, doors.length, condition);
    for (const cell of cells) {
      const letter = /\((\w)\)$/.exec(cell)?.[1] ?? "";
      assert.ok(named.has(letter), `${condition}: “${cell}” names no test`);
      used.add(letter);
    }
  }
  assert.deepEqual([...used].sort(), [...named.keys()].sort());
  for (const [letter, [file = "", name = ""]] of named) {
    const code = await Deno.readTextFile(join(repository, file));
    // Tests on both engines have the beginning of their names in one place.
    const own = name.replace(/^conditions at gateways: /, "");
    assert.ok(code.includes(own), `(${letter}): ${file} has no test “${name}”`);
  }
});

function cellsOf(row: string): string[] {
  return row.split("|").slice(1, -1).map((cell) => cell.trim());
}

/**
 * docs/contributing/asvs.md has every requirement, each with an answer, and every test that it
 * names is there.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository } from "../support/command.ts";

const page = await Deno.readTextFile(join(repository, "docs/contributing/asvs.md"));

interface Row {
  id: string;
  level: string;
  status: string;
  answer: string;
  tests: { file: string; name: string }[];
}

const rows: Row[] = page.split("\n").filter((line) => /^\| \d+\.\d+\.\d+ /.test(line)).map(
  (line) => {
    const [id = "", level = "", , status = "", answer = "", tests = ""] = line.slice(1, -1)
      .split(/(?<!\\)\|/).map((cell) => cell.trim());
    const named = [...tests.matchAll(/`([^`]+)`: “([^”]+)”/g)];
    return {
      id,
      level,
      status,
      answer,
      tests: named.map(([, file = "", name = ""]) => ({ file, name: name.replaceAll("\\|", "|") })),
    };
  },
);

/**
 * Requirements of levels 1 and 2, by section: of 5.0.0 each section numbers them from 1, without
 * those of level 3.
 */
const SECTIONS =
  `1.1:1-2 1.2:1-9 1.3:1-11 1.4:1-3 1.5:1-2 2.1:1-3 2.2:1-3 2.3:1-4 2.4:1 3.2:1-2 3.3:1-4
  3.4:1-6 3.5:1-5 3.7:1-2 4.1:1-3 4.2:1 4.3:1-2 4.4:1-4 5.1:1 5.2:1-3 5.3:1-2 5.4:1-3 6.1:1-3 6.2:1-12
  6.3:1-4 6.4:1-4 6.5:1-5 6.6:1-3 6.8:1-4 7.1:1-3 7.2:1-4 7.3:1-2 7.4:1-5 7.5:1-2 7.6:1-2 8.1:1-2 8.2:1-3
  8.3:1 8.4:1 9.1:1-3 9.2:1-4 10.1:1-2 10.2:1-2 10.3:1-4 10.4:1-11 10.5:1-5 10.6:1-2 10.7:1-3 11.1:1-2
  11.2:1-3 11.3:1-3 11.4:1-4 11.5:1 11.6:1 12.1:1-3 12.2:1-2 12.3:1-4 13.1:1 13.2:1-5 13.3:1-2 13.4:1-5
  14.1:1-2 14.2:1-4 14.3:1-3 15.1:1-3 15.2:1-3 15.3:1-7 16.1:1 16.2:1-5 16.3:1-4 16.4:1-3 16.5:1-3 17.1:1
  17.2:1-4 17.3:1-2`;

Deno.test("asvs: every requirement of levels 1 and 2 has its row, in order and once", () => {
  const wanted = SECTIONS.split(/\s+/).flatMap((section) => {
    const [name, numbers = ""] = section.split(":");
    const [from = 1, to = from] = numbers.split("-").map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => `${name}.${from + i}`);
  });
  assert.deepEqual(rows.map(({ id }) => id), wanted);
  const levels = Map.groupBy(rows, ({ level }) => level);
  assert.deepEqual([levels.get("1")?.length, levels.get("2")?.length], [70, 183]);
});

Deno.test("asvs: what is met names a test, everything else its reason, and the numbers are right", () => {
  const statuses = ["met", "does not apply", "operator", "**not met**"];
  for (const { id, status, answer, tests } of rows) {
    assert.ok(statuses.includes(status), `${id}: ${status}`);
    assert.ok(status === "met" ? tests.length > 0 : answer.length > 3, id);
  }
  const count = (wanted: string) => rows.filter(({ status }) => status === wanted).length;
  const [met, not, left, gaps] = statuses.map(count);
  const sentence =
    `Of ${rows.length} requirements ${met} are met, ${not} do not apply, ${left} are the ` +
    `operator's, ${gaps} are not met.`;
  assert.ok(page.includes(sentence), sentence);
  const told = /## Not met, the worst first\n([^#]*)/.exec(page)?.[1] ?? "";
  for (const { id, status } of rows) {
    if (status === "**not met**") assert.ok(told.includes(id), `${id} is not among the gaps`);
  }
});

/** How `testRefusals` names its test, behind the feature. */
const REFUSALS = ": each refusal says what it should, and changes nothing";

Deno.test("asvs: every test that the table names is there under its name", async () => {
  const texts = new Map<string, string>();
  const missing: string[] = [];
  for (const { id, tests } of rows) {
    for (const { file, name } of tests) {
      if (!texts.has(file)) {
        texts.set(file, await Deno.readTextFile(join(repository, file)).catch(() => ""));
      }
      // As it is written: names of several tests are templates, and rows of refusals are one test
      // of their feature.
      const refusing = name.endsWith(REFUSALS) ? name.slice(0, -REFUSALS.length) : undefined;
      const isThere = refusing === undefined
        ? ['"', "`"].some((quote) =>
          texts.get(file)?.includes(`${quote}${name.replaceAll(quote, `\\${quote}`)}${quote}`)
        )
        : texts.get(file)?.includes(`testRefusals("${refusing}"`);
      if (!isThere) missing.push(`${id}: ${file}: ${name}`);
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(texts.size > 50);
});

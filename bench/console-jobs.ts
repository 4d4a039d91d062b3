/**
 * What the main jobs cost before the console: `deno run -A bench/console-jobs.ts [--write]`. In
 * Chromium, by real keys and clicks, each job at a desk of its own: keys, letters typed, clicks,
 * calls of the server and seconds. Prints a table; `--write` puts it into bench/JOBS.md. The jobs
 * are those of `system/console/work`, which tests do in Firefox. About three minutes;
 * `node console/build.js` first.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Counted, tableOf } from "../system/console/hands.ts";
import {
  twentyByKeys,
  twentyInBulk,
  twentyMixed,
  twoHundredByKeys,
  twoHundredInBulk,
} from "../system/console/work/decisions.ts";
import { doWork, type Work } from "../system/console/work/desk.ts";
import { firstKey, leakedKey, rotatedKey } from "../system/console/work/keys.ts";
import {
  addedColleague,
  auditorsHour,
  replacedCertificate,
  whoAndWhy,
} from "../system/console/work/others.ts";
import { startBrowser } from "../system/support/browser.ts";
import { repository, run } from "../test/support/command.ts";
import { quietness, roundsOf, wordsOf } from "./machine.ts";

const { values } = parseArgs({
  options: { write: { type: "boolean" }, rounds: { type: "string", default: "3" } },
});

const works: readonly Work[] = [
  firstKey,
  twentyByKeys,
  twentyInBulk,
  twentyMixed,
  twoHundredByKeys,
  twoHundredInBulk,
  leakedKey,
  rotatedKey,
  replacedCertificate,
  whoAndWhy,
  addedColleague,
  auditorsHour,
];

/** Each job of a work, with the round of the median time. */
async function measure(work: Work): Promise<Counted[]> {
  // Two hundred decisions are many rounds already.
  const rounds = work === twoHundredByKeys ? 1 : roundsOf(values.rounds);
  const all: Counted[][] = [];
  await using browser = await startBrowser();
  for (let round = 0; round < rounds; round++) all.push((await doWork(browser, work)).jobs);
  return (all[0] ?? []).map((_, index) => {
    const times = all.flatMap((jobs) => jobs[index] ?? []).sort((a, b) => a.seconds - b.seconds);
    const median = times[Math.floor(times.length / 2)];
    if (!median) throw new Error(work.job);
    return median;
  });
}

const counted: Counted[] = [];
for (const work of works) {
  const jobs = await measure(work);
  console.error(tableOf(jobs).split("\n").slice(2).join("\n").trim());
  counted.push(...jobs);
}
const paths = works.map(({ job, path }) => `- **${job}:** ${path}.`).join("\n");
const when = new Date().toISOString().slice(0, 10);
const text = `${when}, ${wordsOf(quietness(), Number(values.rounds))}.\n\n${
  tableOf(counted)
}\n## The shortest paths\n\n${paths}\n`;
console.log(text);

if (values.write) {
  const file = join(repository, "bench/JOBS.md");
  const page = await Deno.readTextFile(file);
  const [start, end] = ["<!-- counted -->\n", "<!-- end -->"];
  const before = page.slice(0, page.indexOf(start) + start.length);
  const after = page.slice(page.indexOf(end));
  await Deno.writeTextFile(file, `${before}\n${text}\n${after}`);
  const { code, stderr } = await run([Deno.execPath(), "fmt", "--quiet", file]);
  if (code !== 0) throw new Error(stderr);
}

/**
 * Rehearses a move with a stand-in of the original, in both ways: in one day, and over a week in
 * which both run. `--help` says the rest.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rehearseDay } from "./day.ts";
import { tableOf } from "./tally.ts";
import { FEWEST_DAYS, rehearseWeek } from "./week.ts";
import { reportOfWeek } from "./week-report.ts";

const HELP =
  `Rehearses a move, with a stand-in of the original that is filled with keys of every form.

  npx deno run -A examples/moving/rehearse.ts

The day: import, switch-over, and the original is killed, while callers and a portal go on.
The week: import, both run, keys that can't be imported are learned, the meter says when the gateway
can go, plans are switched over, the gateway goes, and comes back. A week lasts about a minute.

  --only day|week     one of the two
  --days 7            how many days the week has, ${FEWEST_DAYS} at the least
  --developers 200    how many ordinary developers there are
  --callers 8         how many call at once
  --calls 1000        calls of each phase of the day, at the least
  --sources interfaces  the day reads dashboard and gateway in place of export files
  --keydesk "…"       another Keydesk for the day, such as "npx keydesk"
  --keep folder       keeps stores, exports and reports
  --help

Ends with 1 where a call was refused or not answered that should not be, or a promise was broken.`;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    days: { type: "string", default: "7" },
    developers: { type: "string", default: "200" },
    callers: { type: "string", default: "8" },
    calls: { type: "string", default: "1000" },
    keydesk: {
      type: "string",
      default: `node ${fileURLToPath(new URL("../../bin/keydesk.js", import.meta.url))}`,
    },
    sources: { type: "string", default: "files" },
    keep: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const { only, keep } = values;
const keydesk = values.keydesk.split(" ");
const size = {
  developers: Number(values.developers),
  callers: Number(values.callers),
  calls: Number(values.calls),
  days: Number(values.days),
};
if (values.help) console.log(HELP);
else if (only !== undefined && only !== "day" && only !== "week") {
  console.error("--only: expected day or week");
  process.exitCode = 2;
} else if (!(size.days >= FEWEST_DAYS)) {
  console.error(`--days: expected ${FEWEST_DAYS} or more`);
  process.exitCode = 2;
} else await rehearseAll();

async function rehearseAll(): Promise<void> {
  const folder = keep ?? await mkdtemp(join(tmpdir(), "keydesk-rehearsal-"));
  const say = (line: string) => console.error(`${line} …`);
  const within = async (name: string) => {
    const path = join(folder, name);
    await mkdir(path, { recursive: true });
    return path;
  };
  let isKept = true;
  try {
    if (only !== "week") isKept = await day(await within("day"), say) && isKept;
    if (only !== "day") {
      const week = await rehearseWeek(await within("week"), size, say);
      console.log(`While both run\n\n${reportOfWeek(week)}`);
      isKept = week.promises.every((one) => one.isKept) && isKept;
    }
  } catch (error) {
    console.error(`BROKEN: ${error instanceof Error ? error.message : error}`);
    isKept = false;
  } finally {
    if (keep === undefined) await rm(folder, { recursive: true });
  }
  process.exitCode = isKept ? 0 : 1;
}

async function day(folder: string, say: (line: string) => void): Promise<boolean> {
  const sources = values.sources === "interfaces" ? "interfaces" : "files";
  const made = await rehearseDay(folder, keydesk, size, say, sources);
  console.log(
    `In one day\n\n${tableOf("callers", made.calls)}\n\n${tableOf("portal", made.portal)}\n`,
  );
  const { closedMs, rotated, verified, problems } = made;
  const objects = verified.reduce((sum, { there }) => sum + there, 0);
  console.log(`Keys replaced there, since they can't come: ${rotated}.`);
  console.log(`Verified: ${objects} objects stand here as they stood there.`);
  console.log(
    `The portal's pages that change something were closed for ${closedMs.toFixed(0)} ms.`,
  );
  if (keep !== undefined) console.log(`The report: ${join(folder, "report.html")}`);
  for (const problem of problems) console.log(problem);
  console.log("");
  return problems.length === 0;
}

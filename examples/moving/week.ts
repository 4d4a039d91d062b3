/**
 * A move over days in which both run, in fast motion: from the first import until the gateway is
 * gone, and back. Keys that can't be imported are learned while their holders call, the meter is
 * read each day, and plans are switched over one by one.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PASSPHRASE } from "./certificates.ts";
import { writeExports } from "./exports.ts";
import { ids } from "./fill.ts";
import { type Move, opensAt, startMove } from "./week-move.ts";
import { until } from "./week-desk.ts";
import { type Form, formsOf, type Keeper } from "./week-keys.ts";

/** How long and how large it is. */
export interface WeekSize {
  days: number;
  developers: number;
  callers: number;
}

/** What the meter said of a whole day. */
export interface DayOfWeek {
  date: string;
  what: string;
  here: number;
  there: number;
  /** Calls that the gateway let in and Keydesk would have refused. */
  differed: number;
  learned: number;
  neverSeen: number;
}

/** What was promised, and what was seen of it. */
export interface Kept {
  promise: string;
  isKept: boolean;
  seen: string;
}

/** What came of it. */
export interface Week {
  days: DayOfWeek[];
  /** By form: holders, how many of their keys an import brought, and how many opened at the end. */
  forms: { form: Form; holders: number; imported: number; home: number }[];
  /** Of keys that nobody knew, to the gateway. */
  questions: number;
  promises: Kept[];
  /** What `keydesk import migration-report` prints when the week is over. */
  meter: string;
}

/** Once no call of so many days was decided there or differed, the meter says that all is safe. */
const SAFE_DAYS = 92;
/** Days of a week on which something happens, which needs the day behind it too. */
const NEW_KEYS = 1;
const DIFFERENCE = 2;
const REVOKED = 3;
/** The fewest days. */
export const FEWEST_DAYS = 4;

/** Rehearses in a folder, which afterwards holds store and exports; says each step to `say`. */
export async function rehearseWeek(
  folder: string,
  { days, ...size }: WeekSize,
  say: (line: string) => void,
): Promise<Week> {
  await using move = await startMove(folder, size);
  const { desk, keepers, gateway } = move;
  const phase = async (name: string, act: () => Promise<void>) => {
    say(name);
    move.tally.begin(name);
    await act();
  };
  const told: DayOfWeek[] = [];
  const callers = () => move.keepers.filter(({ calls, opens }) => calls && opens);

  await phase("import", async () => {
    await move.calls(callers());
    const plan = { _id: ids.unknownPlan, name: "Named by a key alone" };
    await desk.call("POST", "/api/portal/policies", plan);
    await importFrom(move, folder);
    for (const one of keepers) one.imported = await isKnown(move, one);
  });
  await phase("the gateway is added, and teaches", async () => {
    await gateway.add();
    await move.door.switchTo(move.observed);
  });
  let home = 0;
  for (let day = 1; day <= days; day++) {
    await phase(`day ${day}`, async () => {
      const what: string[] = [];
      const some = callers().filter((_, n) => day === days || n % 3 === day % 3);
      await move.calls(some);
      if (day === NEW_KEYS) what.push(await newKeys(move));
      if (day === DIFFERENCE) what.push(await difference(move, some));
      if (day === REVOKED) what.push(await revoked(move));
      if (day === REVOKED + 1) what.push(await endedThere(move, folder));
      if (day === days) what.push(await replaced(move));
      await move.meterShowsAll();
      told.push({ ...await move.goAhead(1), what: what.join("; ") });
    });
  }
  const learned = await gateway.learned();
  await phase("what was never seen", async () => await neverSeen(move, folder));
  const meter = await desk.commandThere("import", "migration-report");
  await phase("plans are switched over", async () => await switched(move, callers()));
  await phase(`${SAFE_DAYS} days later`, async () => {
    await move.goAhead(SAFE_DAYS);
    await move.calls(callers());
    const { keys, safe_plans, plans } = await desk.call("GET", "/v1/migration");
    move.promise(
      "switching off is safe for every key and plan",
      keys.safe === keys.all && safe_plans === plans.length,
      `${keys.safe} of ${keys.all} keys, ${safe_plans} of ${plans.length} plans`,
    );
  });
  await phase("the gateway is gone", async () => {
    await gateway.learnNoMore();
    await move.door.switchTo(move.takesOver);
    await gateway.stop();
    for (const one of move.keepers) one.home = await opensAt(move.door, one) === one.opens;
    home = move.keepers.filter((one) => one.home && one.opens).length;
    const all = move.keepers.filter(({ opens }) => opens).length;
    move.promise("every key opens without the gateway", home === all, `${home} of ${all}`);
  });
  await phase("and comes back", async () => {
    gateway.start();
    await move.door.switchTo(move.observed);
    await move.decide("gateway");
    await move.calls(move.keepers.filter(({ opens }) => opens));
    await move.meterShowsAll();
  });
  const closed = move.keepers.filter(({ opens }) => !opens);
  const opened = [];
  for (const one of closed) if (await opensAt(move.door, one)) opened.push(one);
  move.promise(
    "what was revoked at either side opens nowhere",
    closed.length > 0 && opened.length === 0 && closed.every((one) => one.home),
    `${opened.length} of ${closed.length} open`,
  );
  const unknown = keepers.filter(({ imported }) => !imported).length;
  move.promise(
    "every key that could not come was learned",
    learned === unknown,
    `${learned} of ${unknown}`,
  );
  const questions = await desk.figure("keydesk_lazy_migration_questions_total");
  return {
    days: told,
    forms: formsOf(move.keepers),
    questions,
    promises: move.promises(),
    meter,
  };
}

async function importFrom({ desk, original }: Move, folder: string): Promise<void> {
  const exports = join(folder, "export");
  const passphrase = join(folder, "passphrase");
  await mkdir(exports, { recursive: true });
  await writeExports(original, exports);
  await writeFile(passphrase, PASSPHRASE, { mode: 0o600 });
  const nextYear = `${new Date().getUTCFullYear() + 1}-12-31`;
  const words = ["--files", exports, "--passphrase-file", passphrase, "--murmur-until", nextYear];
  await desk.command("import", "tyk", "run", ...words);
}

/** Whether Keydesk knows a key by itself; nothing is counted by it. */
async function isKnown({ desk }: Move, { key }: Keeper): Promise<boolean> {
  return (await desk.call("POST", "/v1/keys/check", { key })).key_id !== null;
}

/** Keys that are issued there meanwhile are learned at their first call. */
async function newKeys(move: Move): Promise<string> {
  const fresh = await Promise.all([0, 1].map((n) => move.issueThere(ids.developer(n))));
  move.keepers.push(...fresh);
  await move.calls(fresh);
  const known = await Promise.all(fresh.map((one) => isKnown(move, one)));
  move.promise("keys issued there meanwhile come home", !known.includes(false), `${known.length}`);
  return "2 keys issued there";
}

/** A plan is changed here by mistake: the meter shows it, and it is mended. */
async function difference(move: Move, some: readonly Keeper[]): Promise<string> {
  const { desk, observed: { told } } = move;
  const path = `/api/portal/policies/${ids.plan(1)}`;
  const { access_rights } = await desk.call("GET", path);
  const [one] = some;
  if (!one) throw new Error("nobody calls");
  const differed = () => told.differed.get("wrong_api") ?? 0;
  await desk.call("PUT", path, { access_rights: { elsewhere: access_rights.weather } });
  await until(async () => {
    await move.calls([one]);
    return differed() > 0;
  }, "a difference");
  await move.calls(some);
  await move.meterShowsAll();
  const { data: [shown] } = await desk.call("GET", "/v1/migration/differences?limit=1");
  await desk.call("PUT", path, { access_rights });
  const before = differed();
  await until(async () => {
    const then = differed();
    await move.calls([one]);
    return differed() === then;
  }, "the end of a difference");
  const last = differed();
  await move.calls(some);
  move.promise(
    "a difference is shown with its reason, and refuses nobody; mended, it is gone",
    shown?.in_keydesk === "wrong_api" && differed() === last && before > 1,
    `${last} calls that would have been refused: ${shown?.in_keydesk}`,
  );
  return `a plan was wrong here for ${last} calls`;
}

/** A key that came and one that was learned are revoked at either side. */
async function revoked(move: Move): Promise<string> {
  const { desk, gateway } = move;
  const of = (isImported: boolean) =>
    move.keepers.filter(({ imported, form, calls, opens }) =>
      calls && opens && imported === isImported && form === (isImported ? "sha256" : "murmur32")
    );
  const [cameHere, cameThere] = of(true);
  const [learnedHere, learnedThere] = of(false);
  const here = [cameHere, learnedHere].filter((one) => one !== undefined);
  const there = [cameThere, learnedThere].filter((one) => one !== undefined);
  await move.calls([...here, ...there]);
  for (const one of [...here, ...there]) one.opens = false;
  for (const { key } of here) {
    const { key_id } = await desk.call("POST", "/v1/keys/check", { key });
    await desk.call("POST", `/v1/keys/${key_id}/revoke`, { reason: "rehearsed" });
  }
  for (const { key } of there) await gateway.revoke(key);
  // What is revoked here is ended there.
  await until(async () => {
    const open = await Promise.all(here.map((one) => opensAt(move.door, one)));
    return !open.includes(true);
  }, "keys that were revoked here");
  return `${here.length} keys revoked here, ${there.length} there`;
}

/** What ended there ends here: what was learned by itself, what came by the next import's list. */
async function endedThere(move: Move, folder: string): Promise<string> {
  const { desk } = move;
  const ended = async () => {
    const closed = move.keepers.filter(({ opens }) => !opens);
    const answers = closed.map(({ key }) => desk.call("POST", "/v1/keys/check", { key }));
    return (await Promise.all(answers)).filter(({ reason }) => reason === "revoked").length;
  };
  await until(async () => await ended() >= 3, "a learned key that was revoked there");
  await importFrom(move, folder);
  const report = JSON.parse(await desk.command("import", "tyk", "report", "--format", "json"));
  const gone = report.findings.filter(({ code }: { code: string }) => code === "gone_there");
  // Else a key that opens there would be missing there.
  const isOne = gone.length === 1;
  for (const { id } of isOne ? gone : []) {
    await desk.call("POST", `/v1/keys/${id}/revoke`, { reason: "It is gone there." });
  }
  // A server hears of it within the second.
  await until(async () => await ended() === 4, "keys that were revoked there").catch(() => {});
  const all = await ended();
  move.promise(
    "what was revoked there ends here, and nothing else is gone there",
    all === 4 && isOne,
    `${all} of 4, ${gone.length} found gone by an import`,
  );
  return `${gone.length} found gone there by an import, and revoked`;
}

/** Keys that open there and are never learned get others in their place. */
async function replaced(move: Move): Promise<string> {
  await move.calls(move.keepers.filter(({ calls, opens }) => calls && opens));
  let count = 0;
  for (const one of move.keepers) {
    if (!one.opens || await isKnown(move, one)) continue;
    const { key, form } = await move.issueThere(one.developer_id || ids.developer(0));
    Object.assign(one, { key, form });
    await move.calls([one]);
    count++;
  }
  return `${count} keys replaced there, since they can neither come nor be learned`;
}

async function neverSeen(move: Move, folder: string): Promise<void> {
  const { desk } = move;
  const quiet = move.keepers.filter(({ calls }) => !calls);
  const { keys } = await desk.call("GET", "/v1/migration");
  const file = join(folder, "never-seen.jsonl");
  await desk.commandThere("import", "migration-report", "--mails", file);
  const mails = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  const named = new Set(mails.flatMap((line) => JSON.parse(line).keys));
  const answers = quiet.map(({ key }) => desk.call("POST", "/v1/keys/check", { key }));
  const missing = (await Promise.all(answers)).filter(({ key_id }) => !named.has(key_id));
  move.promise(
    "keys never seen are named, and mails to their holders drafted",
    quiet.length > 0 && missing.length === 0 && keys.never_seen >= quiet.length,
    `${keys.never_seen} keys, ${mails.length} mails, none sent`,
  );
}

/** One plan is switched over, back, and over again; then the others. */
async function switched(move: Move, callers: readonly Keeper[]): Promise<void> {
  const { desk, observed: { told } } = move;
  const alone: Keeper[] = [];
  for (const one of callers) {
    const { plans } = await desk.call("POST", "/v1/keys/check", { key: one.key });
    if (plans.length === 1) alone.push(one);
  }
  const seen: string[] = [];
  let isKept = true;
  for (const decided of ["keydesk", "gateway", "keydesk"] as const) {
    await move.decide(decided, [ids.plan(1)]);
    const side = decided === "keydesk" ? "here" : "there";
    const before = told[side];
    await move.calls(alone);
    const calls = told[side] - before;
    isKept &&= calls === alone.length;
    seen.push(`${calls} of ${alone.length} ${decided}`);
  }
  await move.decide("keydesk");
  await move.meterShowsAll();
  const rows = await move.rowsOfSwitches();
  move.promise(
    "a switch counts both ways for every call behind it, and is one row of the audit log",
    isKept && rows === move.switches,
    `${seen.join(", ")}; ${move.switches} switches, ${rows} rows`,
  );
}

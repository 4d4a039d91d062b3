/**
 * What else the machine did while something was measured. A load average counts the bench itself;
 * this tells what others took. Each bench imports it, and its last line says the rounds and whether
 * the machine was quiet.
 */
import { readdirSync, readFileSync } from "node:fs";

/** The most that others may take of the processors while it is called quiet. */
const MOST_OF_OTHERS = 0.1;

/** Processor time in ticks since the machine started. */
export interface Ticks {
  /** Of all processors, idle or not. */
  readonly all: number;
  /** In which programs ran, or another machine had the processor. */
  readonly busy: number;
  /** Of this program and what it has started. */
  readonly own: number;
}

/** How much others took, from 0 to 1. */
export interface Quietness {
  readonly others: number;
  readonly isQuiet: boolean;
}

/** The last ticks of each process of ours, the ended ones among them, by its number and start. */
const ours = new Map<string, number>();

/** How often is looked: what ends in between has what it took before. */
const LOOK_MS = 250;

const began = look();
let rounds = 0;

/** The number of rounds, which the last line names. */
export function roundsOf(count: string | number): number {
  return rounds = Number(count);
}

/** What others took between two looks. */
export function quietnessOf(before: Ticks, after: Ticks): Quietness {
  const all = after.all - before.all;
  const taken = after.busy - before.busy - (after.own - before.own);
  const others = all === 0 ? 0 : Math.max(0, taken / all);
  return { others, isQuiet: others <= MOST_OF_OTHERS };
}

/** What others took since this bench began. */
export function quietness(): Quietness {
  return quietnessOf(began, look());
}

/** What others take from now on, for so long. */
export async function quietnessFor(ms: number): Promise<Quietness> {
  const before = look();
  await new Promise((resolve) => setTimeout(resolve, ms));
  return quietnessOf(before, look());
}

/** Rounds and quietness in words. */
export function wordsOf({ others, isQuiet }: Quietness, rounds: number): string {
  const counted = rounds === 0 ? "" : `${rounds} ${rounds === 1 ? "round" : "rounds"}, `;
  const kind = isQuiet ? "quiet" : "loaded";
  return `${counted}${kind}: others took ${Math.round(others * 100)} % of the processors`;
}

/** The words of this bench. Throws on a loaded machine: its figures are kept nowhere. */
export function quietWords(): string {
  const found = quietness();
  if (!found.isQuiet) {
    throw new Error(`${wordsOf(found, rounds)}; figures of a quiet machine alone are written`);
  }
  return wordsOf(found, rounds);
}

/** The present count, by /proc. */
export function look(): Ticks {
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0] =
    readFileSync("/proc/stat", "utf8").split("\n")[0]?.split(/\s+/).slice(1).map(Number) ?? [];
  // Interrupts are nobody's: those of the bench's own connections are among them.
  const busy = user + nice + system + steal;
  return { all: busy + idle + wait + irq + soft, busy, own: ownTicks() };
}

/**
 * A browser's processes end without anybody who waits for them, and their ticks with them: so each
 * is looked at while it runs.
 */
function ownTicks(): number {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap(processOf);
  const own = new Set([Deno.pid]);
  // A child may have a smaller number than its parent.
  for (let size = 0; size !== own.size;) {
    size = own.size;
    for (const { pid, parent } of processes) if (own.has(parent)) own.add(pid);
  }
  for (const { pid, key, ticks } of processes) if (own.has(pid)) ours.set(key, ticks);
  return ours.values().reduce((sum, ticks) => sum + ticks, 0);
}

function processOf(pid: string): { pid: number; key: string; parent: number; ticks: number }[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0] = fields.slice(11);
    const key = `${pid} ${fields[19]}`;
    return [{ pid: Number(pid), key, parent, ticks: user + system }];
  } catch {
    // It has ended.
    return [];
  }
}

if (Deno.mainModule.includes("/bench/")) {
  Deno.unrefTimer(setInterval(ownTicks, LOOK_MS));
  addEventListener("unload", () => console.log(wordsOf(quietness(), rounds)));
}

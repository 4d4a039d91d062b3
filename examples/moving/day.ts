/**
 * A move in one day: from the first plan to the day when the original is gone. The stand-in is
 * filled and serves, callers and a portal work with it without pause, Keydesk takes over, and the
 * stand-in is killed.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PASSPHRASE } from "./certificates.ts";
import { askGateway, askKeydesk, type Door, openDoor } from "./door.ts";
import { ids, ORG } from "./fill.ts";
import { hashOf } from "./keys.ts";
import type { Holder } from "./original.ts";
import { Portal } from "./portal.ts";
import { type Keydesk, run, start } from "./processes.ts";
import { type Row, Tally } from "./tally.ts";

/** How large it is. */
export interface Size {
  developers: number;
  callers: number;
  /** The least of each phase; the portal makes a hundredth of them. */
  calls: number;
}

/** What the import reads. */
export type Sources = "files" | "interfaces";

/** What came of it. */
export interface Day {
  calls: Row[];
  portal: Row[];
  problems: string[];
  /** How long the portal's pages were closed. */
  closedMs: number;
  /** Keys whose holders got new ones, since the plan said that these can't come. */
  rotated: number;
  /** Each kind on both sides, as `keydesk import tyk verify --json` compares them. */
  verified: { kind: string; there: number; missing: number; there_sha256: string }[];
}

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Rehearses in a folder, which afterwards holds store, exports and report; says each step to `say`.
 */
export async function rehearseDay(
  folder: string,
  keydesk: Keydesk,
  size: Size,
  say: (line: string) => void,
  sources: Sources = "files",
): Promise<Day> {
  const exports = join(folder, "export");
  const secretFile = async (name: string, secret: string) => {
    const path = join(folder, name);
    await writeFile(path, secret, { mode: 0o600 });
    return path;
  };
  const env = { KEYDESK_DATA_DIR: join(folder, "data"), KEYDESK_ORG_ID: ORG, KEYDESK_PORT: "0" };
  await using original = await startOriginal(size.developers, exports);
  await using desk = await start([...keydesk, "serve"], {
    env: { ...env, KEYDESK_LOG_LEVEL: "error" },
    hears: "stderr",
    until: /listens on (\S+)/,
  });
  const command = async (...words: string[]) => {
    const ended = await run([...keydesk, ...words], env);
    if (ended.code !== 0) throw new Error(`keydesk ${words.join(" ")}: ${ended.stderr}`);
    return ended.stdout;
  };
  const tokenOf = async (name: string, allowed: string) =>
    (await command("token", "create", name, "--allow", allowed)).trim();
  const there = {
    ask: askGateway(original.gateway),
    portal: { url: original.dashboard, token: original.token },
  };
  const takesOver = {
    ask: askKeydesk(desk.said, await tokenOf("gateway", "verify")),
    portal: { url: desk.said, token: await tokenOf("portal", "portal:write,approve") },
  };
  await using door = openDoor(there);

  const calls = new Tally();
  const pages = new Tally();
  const holders: Holder[] = await (await fetch(`${original.dashboard}/stand-in/holders`)).json();
  const portal = new Portal(door.url, ids.plan(1), pages);
  const work = new Work(door, holders, portal, calls);
  const phase = async (name: string, act: () => Promise<void>) => {
    say(name);
    for (const tally of [calls, pages]) tally.begin(name);
    await act();
    while (calls.current.calls < size.calls || pages.current.calls < size.calls / 100) {
      await pause(20);
    }
  };
  const exportAgain = async () => {
    const response = await fetch(`${original.dashboard}/stand-in/export`, { method: "POST" });
    if (!response.ok) throw new Error(`the stand-in's export: ${await response.text()}`);
  };
  const nextYear = `${new Date().getUTCFullYear() + 1}-12-31`;
  const read = sources === "files"
    ? ["--files", exports, "--passphrase-file", await secretFile("passphrase", PASSPHRASE)]
    : [
      "--dashboard",
      original.dashboard,
      "--dashboard-token-file",
      await secretFile("dashboard", original.token),
      "--gateway",
      original.gateway,
      "--gateway-secret-file",
      await secretFile("gateway", original.secret),
    ];
  const importTyk = (verb: string, ...words: string[]) =>
    command("import", "tyk", verb, ...read, "--murmur-until", nextYear, ...words);

  let closedMs = 0;
  let rotated = 0;
  let verified: Day["verified"] = [];
  try {
    await phase("before", () => Promise.resolve(work.begin(size.callers)));
    await phase("plan", async () => {
      await exportAgain();
      await importTyk("plan");
    });
    await phase("first run", async () => {
      await importTyk("run");
    });
    await phase("keys that can't come are replaced there", async () => {
      const report = JSON.parse(await command("import", "tyk", "report", "--format", "json"));
      rotated = await work.rotate(new Set(refusedKeys(report)));
      // What keys name and nobody knows is made here, else they are told by each verify.
      const made = await fetch(`${desk.said}/api/portal/policies`, {
        method: "POST",
        headers: { authorization: await tokenOf("plans", "plans") },
        body: JSON.stringify({ _id: ids.unknownPlan, name: "Named by a key alone" }),
      });
      if (!made.ok) throw new Error(`a plan: ${await made.text()}`);
    });
    await phase("second run", async () => {
      await exportAgain();
      await importTyk("run");
    });
    const closed = performance.now();
    await phase("portal's pages closed, last run, verify", async () => {
      await work.closePages();
      await exportAgain();
      await importTyk("run");
      verified = JSON.parse(await importTyk("verify", "--json"));
    });
    await phase("switched over", async () => {
      await door.switchTo(takesOver);
      portal.isOpen = true;
      closedMs = performance.now() - closed;
    });
    await phase("the original is killed", async () => {
      await original.process.kill("SIGKILL");
    });
  } finally {
    await work.end();
  }
  await writeFile(
    join(folder, "report.html"),
    await command("import", "tyk", "report", "--format", "html"),
  );
  return {
    calls: calls.rows,
    portal: pages.rows,
    problems: [...calls.problems, ...pages.problems],
    closedMs,
    rotated,
    verified,
  };
}

async function startOriginal(developers: number, exports: string) {
  const words = [here("stand-in.ts"), "--developers", String(developers), "--exports", exports];
  const process = await start([Deno.execPath(), "run", "-A", ...words], {
    hears: "stdout",
    until: /(\{.*\})\n/,
  });
  const said: Record<"dashboard" | "gateway" | "token" | "secret", string> = JSON.parse(
    process.said,
  );
  const { dashboard, gateway, token, secret } = said;
  return {
    process,
    dashboard,
    gateway,
    token,
    secret,
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

interface Told {
  findings: { kind: string; id: string; code: string }[];
  differences: { code: string; how: string }[];
}

/** The hashes of keys that the report says can't come. */
function refusedKeys({ findings, differences }: Told): string[] {
  const refused = new Set(
    differences.filter(({ how }) => how === "refused").map(({ code }) => code),
  );
  return findings.filter(({ kind, code }) => kind === "key" && refused.has(code))
    .map(({ id }) => id);
}

const CALLS_EACH_MS = 10;
const PAGES_EACH_MS = 50;
/** The portal writes at each of so many turns. */
const WRITES_EACH = 5;

/** Callers and a portal at work until the end. */
class Work {
  #isOver = false;
  readonly #workers: Promise<void>[] = [];
  #turn: Promise<void> = Promise.resolve();
  #turns = 0;

  constructor(
    readonly door: Door,
    readonly holders: Holder[],
    readonly portal: Portal,
    readonly calls: Tally,
  ) {}

  begin(callers: number): void {
    for (let n = 0; n < callers; n++) this.#workers.push(this.#call(n, callers));
    this.#workers.push(this.#serve());
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#workers);
  }

  /** Nothing is changed by the portal any more, once this resolves. */
  async closePages(): Promise<void> {
    this.portal.isOpen = false;
    await this.#turn;
  }

  /**
   * Holders of keys with these hashes ask for new ones and call with those; gives how many they
   * were.
   */
  async rotate(hashes: ReadonlySet<string>): Promise<number> {
    let rotated = 0;
    for (const holder of this.holders) {
      if (!hashes.has(await hashOf(holder.key))) continue;
      const handed = await this.portal.hand(holder.developer_id);
      if (!handed) continue;
      holder.key = handed.key;
      rotated++;
    }
    return rotated;
  }

  /** Calls with one key after the other, of each so many that belong to this caller. */
  async #call(n: number, callers: number): Promise<void> {
    for (let i = n; !this.#isOver; i = i + callers < this.holders.length ? i + callers : n) {
      const holder = this.holders[i];
      if (!holder) return;
      await this.calls.count(n, `key ${i}`, async () => {
        const response = await fetch(`${this.door.url}/${holder.api_id}/`, {
          headers: { authorization: holder.key },
        });
        await response.body?.cancel();
        return response.status;
      });
      await pause(CALLS_EACH_MS);
    }
  }

  async #serve(): Promise<void> {
    while (!this.#isOver) {
      this.#turn = this.#serveOnce();
      await this.#turn;
      await pause(PAGES_EACH_MS);
    }
  }

  async #serveOnce(): Promise<void> {
    const { portal } = this;
    const n = this.#turns++;
    const known = ids.developer(0);
    await portal.read(known);
    if (!portal.isOpen || n % WRITES_EACH > 0) return;
    await portal.rename(known, "dev-0@example.org", `Renamed ${n}`);
    const developer_id = await portal.register(`new-${n}@example.org`);
    const handed = await portal.hand(developer_id);
    if (handed) this.holders.push({ ...handed, api_id: "weather" });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Keydesk in fast motion: a server whose clock can be set ahead, and its commands. */
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ORG } from "./fill.ts";
import { run, start } from "./processes.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Six o'clock. */
const MORNING_MS = DAY_MS / 4;
/** Whatever is waited for takes seconds. */
const PATIENCE_MS = 60_000;

/** A server, and what it is told. */
export interface Desk extends AsyncDisposable {
  readonly url: string;
  /** docs/gateways/observe.js. */
  readonly plugin: string;
  /** An answer, as JSON; throws where it is no 200. */
  // deno-lint-ignore no-explicit-any -- answers of many shapes
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** The same as somebody who has just signed in. */
  // deno-lint-ignore no-explicit-any -- as above
  callInPerson(method: string, path: string, body: unknown): Promise<any>;
  /** What the server counts under a name; 0: nothing. */
  figure(name: string): Promise<number>;
  /** What a command prints. Throws where it fails. */
  command(...words: string[]): Promise<string>;
  /** The same on the server, by its own clock. */
  commandThere(...words: string[]): Promise<string>;
  /** Sets its clock ahead by so many days more. */
  goAhead(days: number): Promise<void>;
}

/** Starts one that may call this host. */
export async function startDesk(folder: string, host: string): Promise<Desk> {
  const home = homeOfKeydesk();
  const source = join(home, "src/cli/main.ts");
  const program = existsSync(source) ? source : join(home, "dist/keydesk.js");
  const admin = crypto.randomUUID() + crypto.randomUUID();
  const aheadFile = join(folder, "ahead");
  const env = {
    KEYDESK_DATA_DIR: join(folder, "data"),
    KEYDESK_ORG_ID: ORG,
    REHEARSAL_AHEAD_FILE: aheadFile,
  };
  // It begins in the morning, so that no day ends but by being told.
  let aheadMs = untilMorningMs(Date.now());
  await writeFile(aheadFile, String(aheadMs));
  const ahead = fileURLToPath(new URL("ahead.ts", import.meta.url));
  const keydesk = [Deno.execPath(), "run", "-A", "--no-prompt", `--preload=${ahead}`, program];
  const server = await start([...keydesk, "serve"], {
    env: {
      ...env,
      KEYDESK_PORT: "0",
      KEYDESK_ADMIN_TOKEN: admin,
      KEYDESK_OUTBOUND: host,
      KEYDESK_LOG_LEVEL: "error",
    },
    hears: "stderr",
    until: /listens on (\S+)/,
  });
  const url = server.said;
  const command = async (more: Record<string, string>, words: string[]) => {
    const ended = await run([...keydesk, ...words], { ...env, ...more });
    if (ended.code !== 0) throw new Error(`keydesk ${words.join(" ")}: ${ended.stderr}`);
    return ended.stdout;
  };
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { authorization: admin },
  ) => {
    const response = await fetch(url + path, {
      method,
      headers,
      ...body === undefined ? {} : { body: JSON.stringify(body) },
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    return { text, cookie, date: Date.parse(response.headers.get("date") ?? "") };
  };
  const callInPerson = async (method: string, path: string, body: unknown) => {
    const { text, cookie } = await send("POST", "/v1/session", { access_token: admin }, {});
    const headers = { cookie, "x-csrf-token": JSON.parse(text).csrf_token };
    return JSON.parse((await send(method, path, body, headers)).text);
  };
  return {
    url,
    plugin: await readFile(join(home, "docs/gateways/observe.js"), "utf8"),
    call: async (method, path, body) => JSON.parse((await send(method, path, body)).text),
    callInPerson,
    figure: async (name) => {
      const { text } = await send("GET", "/metrics");
      return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
    },
    command: (...words) => command({}, words),
    commandThere: (...words) => command({ KEYDESK_URL: url, KEYDESK_TOKEN: admin }, words),
    goAhead: async (days) => {
      aheadMs += days * DAY_MS;
      const from = Date.now() + aheadMs;
      // Nobody reads half of it.
      await writeFile(`${aheadFile}.new`, String(aheadMs));
      await rename(`${aheadFile}.new`, aheadFile);
      await until(async () => (await send("GET", "/v1/migration")).date >= from - 1000);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function untilMorningMs(now: number): number {
  return (DAY_MS + MORNING_MS - now % DAY_MS) % DAY_MS;
}

/** Waits until it is so. Throws where that takes too long. */
export async function until(isSo: () => Promise<boolean>, what = "it"): Promise<void> {
  const began = performance.now();
  while (!await isSo()) {
    if (performance.now() - began > PATIENCE_MS) throw new Error(`${what}: waited in vain`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The folder that this file's clone is, else the package beside the folder that one is in. */
function homeOfKeydesk(): string {
  const clone = fileURLToPath(new URL("../../", import.meta.url));
  return existsSync(join(clone, "src/cli/main.ts")) ? clone : resolve("node_modules/keydesk");
}

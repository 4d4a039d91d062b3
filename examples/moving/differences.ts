/**
 * Makes a report with every kind of difference: moves the stand-in in three times, while things
 * change on both sides.
 *
 *   npx deno run -A examples/moving/differences.ts report.html
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { PASSPHRASE } from "./certificates.ts";
import { writeExports } from "./exports.ts";
import { filled, ids, ORG } from "./fill.ts";
import type { Original } from "./original.ts";
import { run, start } from "./processes.ts";

/** How many ordinary developers there are at the least. */
export const DEVELOPERS = 10;

/** The desk that is moved into. */
export interface Desk {
  /** A call of its interface, as its administrator; it must succeed. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Moves in what is there now; `database`: without the gateway's Redis. */
  move(what: "everything" | "database"): Promise<void>;
}

/** Moves in until every difference has been met. */
export async function meetEveryDifference(original: Original, desk: Desk): Promise<void> {
  const climate = { _id: ids.plan(2), id: "plan-climate", name: "Made here" };
  await desk.call("POST", "/api/portal/policies", climate);
  await desk.move("everything");

  // Changed on both sides, changed there and deleted here.
  const path = (n: number) => `/api/portal/developers/${ids.developer(n)}`;
  await desk.call("PUT", path(1), { email: "dev-1@example.org", fields: { Name: "Named here" } });
  await desk.call("DELETE", path(2));
  for (const n of [1, 2]) {
    original.changeDeveloper(ids.developer(n), { fields: { Name: "Named there" } });
  }
  // A key that was given to somebody else there, and one that was revoked.
  const [giver, taker] = [original.developer(ids.developer(4)), original.developer(ids.odd(3))];
  const [given = ""] = Object.keys(giver.keys);
  [taker.keys, giver.keys] = [giver.keys, {}];
  giver.subscriptions = {};
  const session = original.gateway.session(given);
  if (session) session.meta_data = { tyk_developer_id: taker.id };
  original.revoke(Object.keys(original.developer(ids.developer(6)).keys)[0] ?? "");
  await desk.move("everything");

  // A run in which Redis was forgotten. The odd keys stand in no map any more, so what was told of
  // them stays.
  Object.assign(original.developer(ids.odd(1)), { keys: {}, subscriptions: {} });
  await desk.move("database");
}

if (import.meta.main) {
  const [page = "report.html"] = process.argv.slice(2);
  const folder = await mkdtemp(join(tmpdir(), "keydesk-differences-"));
  const keydesk = ["node", fileURLToPath(new URL("../../bin/keydesk.js", import.meta.url))];
  const token = crypto.randomUUID() + crypto.randomUUID();
  const env = {
    KEYDESK_DATA_DIR: join(folder, "data"),
    KEYDESK_ORG_ID: ORG,
    KEYDESK_PORT: "0",
    KEYDESK_ADMIN_TOKEN: token,
    KEYDESK_LOG_LEVEL: "error",
  };
  const command = async (...words: string[]) => {
    const ended = await run([...keydesk, ...words], env, folder);
    if (ended.code !== 0) throw new Error(`keydesk ${words.join(" ")}: ${ended.stderr}`);
    return ended.stdout;
  };
  try {
    const original = await filled(DEVELOPERS);
    await writeFile(join(folder, "passphrase"), PASSPHRASE);
    await using server = await start([...keydesk, "serve"], {
      env,
      hears: "stderr",
      until: /listens on (\S+)/,
    });
    await meetEveryDifference(original, {
      call: async (method, path, body) => {
        const response = await fetch(server.said + path, {
          method,
          headers: { authorization: token },
          ...body === undefined ? {} : { body: JSON.stringify(body) },
        });
        if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
        return await response.json();
      },
      move: async (what) => {
        const exports = join(folder, "export");
        await rm(exports, { recursive: true, force: true });
        await mkdir(exports);
        await writeExports(original, exports, what);
        await command(
          "import",
          "tyk",
          "run",
          "--files",
          "export",
          "--passphrase-file",
          "passphrase",
        );
      },
    });
    await writeFile(page, await command("import", "tyk", "report", "--format", "html"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Makes the stores that test/whole/old-rows reads, with the code of another checkout:
 *
 *     deno run -A tools/old-stores.ts <checkout> <name> <postgres://… of an empty database>
 *
 * The checkout's `npm ci` has run; pg_dump is of the server's version or a later one. They are
 * written into test/whole/old-rows/stores/<name>.
 */
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { run, startServerProcess, temporaryFolder } from "../test/support/command.ts";
import { fillStore, importedKeys } from "../test/support/fill-store.ts";
import { standIn } from "../test/support/identity-provider.ts";
import { OLD_ADMIN, OLD_SEALING_KEY, type OldStore, STORES } from "../test/support/old-stores.ts";

const [checkout, name, database] = Deno.args;
if (!checkout || !name || !database) throw new Error("expected <checkout> <name> <postgres://…>");
const keydesk = [Deno.execPath(), "run", "-A", "--no-prompt", join(checkout, "src/cli/main.ts")];
const target = join(STORES, name);
await Deno.mkdir(target, { recursive: true });
await using folder = await temporaryFolder();
const imports = join(folder.path, "keys.jsonl");
await Deno.writeTextFile(imports, importedKeys.map((one) => JSON.stringify(one)).join("\n"));
const TAKING_ALL = ["--allow-murmur", "--murmur-until", "2099-01-01"];
const common = {
  KEYDESK_DATA_DIR: join(folder.path, "data"),
  KEYDESK_ADMIN_TOKEN: OLD_ADMIN,
  KEYDESK_SEALING_KEY: OLD_SEALING_KEY,
};

/** Starts the checkout on these settings, fills its store and stops it. */
async function filled(settings: Record<string, string>): Promise<OldStore> {
  await using provider = await standIn();
  const called = { ...settings, KEYDESK_OUTBOUND: provider.host };
  await using server = await startServerProcess(called, { program: keydesk, cwd: checkout });
  const keys = await fillStore({ url: server.url, admin: OLD_ADMIN, provider });
  await succeed([...keydesk, "keys", "import", ...TAKING_ALL, imports], settings);
  return { filled_at: new Date().toISOString(), keys };
}

async function succeed(command: string[], env: Record<string, string> = {}): Promise<string> {
  const { code, stdout, stderr } = await run(command, { env, cwd: checkout });
  if (code !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
  return stdout;
}

const sqlite = await filled(common);
const copy = join(folder.path, "copy.db");
await succeed([...keydesk, "backup", copy], common);
await Deno.writeFile(join(target, "sqlite.db.gz"), gzipSync(await Deno.readFile(copy)));

const postgres = await filled({ ...common, KEYDESK_DATABASE_URL: database });
const options = ["--inserts", "--rows-per-insert=100", "--no-owner", "--no-privileges"];
const dump = await succeed(["pg_dump", ...options, database]);
// Words for psql, which the driver does not know.
const sql = dump.replaceAll(/^\\(un)?restrict .*\n/gm, "");
await Deno.writeFile(join(target, "postgres.sql.gz"), gzipSync(sql));

const told = JSON.stringify({ sqlite, postgres }, null, 2);
await Deno.writeTextFile(join(target, "filled.json"), `${told}\n`);
console.log(`written: ${target}`);

/** The programs that call a server by a client that was made: each does the same. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { repository, startServerProcess, temporaryFolder } from "../../test/support/command.ts";
import { npmTools, sources, succeeded } from "./tools.ts";

/** What clients are made of. */
export const DOCUMENT = join(repository, "openapi-3.1.json");

const CREDENTIAL = "generators-administrator-0123456789abcdef";

/**
 * Compiles a client strictly with a program that uses it, by the compiler that a generator's
 * packages bring, and runs that. `from`: where the folders of programs and packages are.
 */
export async function walksInNode(
  folder: string,
  name: string,
  generator: string,
  from = sources,
): Promise<void> {
  const packages = await npmTools(generator, from);
  await Deno.symlink(packages, join(folder, "node_modules"));
  await Deno.copyFile(join(from, "typescript", `${name}.ts`), join(folder, "walk.ts"));
  await succeeded([
    join(packages, ".bin/tsc"),
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--lib",
    "es2022,dom,dom.iterable",
    "--outDir",
    "made",
    "walk.ts",
  ], { cwd: folder });
  await walks(["node", join(folder, "made/walk.js")]);
}

/**
 * Runs a program that asks a server for a key, approves the request, has the key verified, and is
 * refused an absent request.
 */
export async function walks(
  program: readonly string[],
  env: Record<string, string> = {},
): Promise<void> {
  await using server = await seededServer();
  const { url, plan, folder } = server;
  const desk = { DESK_URL: url, DESK_CREDENTIAL: CREDENTIAL, DESK_PLAN: plan };
  const said = await succeeded(program, {
    cwd: folder,
    env: { ...desk, DESK_DOCUMENT: DOCUMENT, ...env },
  });
  assert.equal(said.trimEnd(), `dev-ada ${plan} true 404`);
}

/** A server with a plan, the access token that opens all of it, and a folder of its own. */
export async function seededServer() {
  await using stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await temporaryFolder());
  const settings = { KEYDESK_DATA_DIR: folder, KEYDESK_ADMIN_TOKEN: CREDENTIAL };
  const { url } = stack.use(await startServerProcess(settings));
  const headers = { authorization: CREDENTIAL };
  const body = JSON.stringify({ name: "Weather" });
  const created = await fetch(`${url}/v1/plans`, { method: "POST", headers, body });
  const { id: plan } = await created.json();
  const whole = stack.move();
  return {
    url,
    credential: CREDENTIAL,
    plan,
    folder,
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  };
}

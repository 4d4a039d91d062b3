/** What benchmarks of a desk that is not filled beforehand put into it. */
import type { Server } from "./processes.ts";

/** Calls a server as its administrator, and gives what it answers. Throws what is no success. */
export async function asAdministrator(
  { url }: Pick<Server, "url">,
  dataDir: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const authorization = (await Deno.readTextFile(`${dataDir}/administrator-credential`)).trim();
  const answer = await fetch(url + path, {
    method,
    headers: { authorization, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** Makes a plan. */
export async function planOf(
  server: Pick<Server, "url">,
  dataDir: string,
  plan: { id: string; name: string; auth_type?: string },
): Promise<void> {
  await asAdministrator(server, dataDir, "POST", "/v1/plans", plan);
}

/** Imports keys, members as a line of an import has them. */
export async function importKeys(dataDir: string, keys: readonly object[]): Promise<void> {
  const file = `${dataDir}.keys.jsonl`;
  await Deno.writeTextFile(file, `${keys.map((key) => JSON.stringify(key)).join("\n")}\n`);
  const { success, stderr } = await new Deno.Command("node", {
    args: ["bin/keydesk.js", "keys", "import", file],
    env: { KEYDESK_DATA_DIR: dataDir },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

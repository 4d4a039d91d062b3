import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startServerHere } from "./server-here.ts";

/**
 * Leaves the demo of a folder without its gateway, denied calls, channel, leak and portal: tests
 * set up their own, and begin where there is none.
 */
export async function clearAround(folder: string): Promise<void> {
  await removeAround(folder);
  using db = new DatabaseSync(join(folder, "keydesk.db"));
  for (
    const table of ["refusals", "deliveries", "delivery_attempts", "leaks", "api_visibilities"]
  ) {
    db.exec(`delete from ${table}`);
  }
}

async function removeAround(folder: string): Promise<void> {
  await using server = await startServerHere({ KEYDESK_DATA_DIR: folder });
  const authorization = (await Deno.readTextFile(join(folder, "administrator-credential"))).trim();
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(new URL(path, server.url), {
      method,
      headers: { authorization },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer = await response.json();
    assert.ok(response.ok, JSON.stringify(answer));
    return answer;
  };
  for (const list of ["gateways", "channels"]) {
    for (const { id } of (await call("GET", `/v1/${list}`)).data) {
      await call("DELETE", `/v1/${list}/${id}`);
    }
  }
  await call("PUT", "/v1/developer-pages", { enabled: false });
}

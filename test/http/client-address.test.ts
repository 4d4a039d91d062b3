/** The address of a real connection, and of a real proxy before it. */
import assert from "node:assert/strict";
import { openListeningDesk } from "../support/raw-http.ts";

const PATH = "/api/portal/requests?p=1";

/** The statuses of wrong credentials over one connection, each with its own `X-Forwarded-For`. */
async function statusesOf(settings: Record<string, string>): Promise<number[]> {
  // No time passes, in which one attempt more would be let through.
  const now = Date.now();
  await using desk = await openListeningDesk(settings, "sqlite", { now: () => now });
  using connection = await desk.connect();
  const statuses: number[] = [];
  for (let i = 0; i < 40; i++) {
    const lines = [
      "Host: desk.test",
      `Authorization: wrong ${i}`,
      `X-Forwarded-For: 198.51.100.${i}`,
    ];
    await connection.send([`GET ${PATH} HTTP/1.1`, ...lines, "", ""].join("\r\n"));
    statuses.push((await connection.answer())?.status ?? 0);
  }
  await connection.send(desk.head("GET", PATH));
  assert.equal((await connection.answer())?.status, 200);
  return statuses;
}

Deno.test("wire: the connection's address is limited, whatever it says of itself", async () => {
  const statuses = await statusesOf({});
  assert.deepEqual(statuses.slice(0, 21), Array(21).fill(401));
  assert.deepEqual(statuses.slice(21), Array(19).fill(429));
});

Deno.test("wire: a trusted proxy's connection carries the addresses of many", async () => {
  const statuses = await statusesOf({ KEYDESK_TRUSTED_PROXIES: "127.0.0.1,::1" });
  assert.deepEqual(statuses, Array(40).fill(401));
});

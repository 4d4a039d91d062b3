import assert from "node:assert/strict";
import { openListeningDesk } from "../support/raw-http.ts";

Deno.test("wire: 400 connections that send their heads a byte at a time disturb nobody", async () => {
  await using desk = await openListeningDesk();
  const whole = desk.head("GET", "/healthz");
  const slow = await Promise.all(Array.from({ length: 400 }, () => desk.connect()));
  try {
    for (let at = 0; at < 20; at++) {
      await Promise.all(slow.map((connection) => connection.send(whole.slice(at, at + 1))));
      // Answered between their bytes: nobody waits for them.
      using other = await desk.connect();
      await other.send(desk.head("GET", "/api/portal/requests"));
      assert.equal((await other.answer())?.status, 200);
    }
    // They are heard out all the same.
    for (const connection of slow.slice(0, 50)) {
      await connection.send(whole.slice(20));
      assert.equal((await connection.answer())?.status, 200);
    }
  } finally {
    for (const connection of slow) connection.close();
  }
});

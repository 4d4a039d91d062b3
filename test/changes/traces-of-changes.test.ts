/**
 * Every change leaves its audit row and its message in the same transaction; what was refused
 * leaves none.
 */
import assert from "node:assert/strict";
import { sha256 } from "../../src/kernel/sha256.ts";
import { testOnEngines } from "../support/desk.ts";
import {
  approvalOf,
  approve,
  create,
  pathOf,
  smallRequest,
  update,
} from "../support/key-requests.ts";
import { auditRows, outbox } from "../support/stored.ts";

const HEADERS = { "idempotency-key": "0123456789abcdef" };

testOnEngines(
  "traces: create, update, approve and delete leave one row and one message each",
  async (desk) => {
    const id = await create(desk, smallRequest());
    await update(desk, id, smallRequest());
    const { RawKey } = await approve(desk, id, { headers: HEADERS });
    await desk.send("DELETE", pathOf(id));
    const expected = ["created", "updated", "approved", "deleted"].map((verb) =>
      `key_request.${verb}`
    );
    const auditLog = await auditRows(desk);
    assert.deepEqual(auditLog.map((event) => event.action).sort(), [...expected].sort());
    assert.ok(auditLog.every((event) => event.object_id === id));
    const approved = auditLog.find((event) => event.action === "key_request.approved");
    assert.deepEqual(JSON.parse(approved?.detail ?? ""), {
      key_id: sha256(RawKey),
      plans: ["plan-weather"],
      by_user: "dev-ada",
    });
    const messages = await outbox(desk);
    assert.deepEqual(messages.map((message) => message.topic).sort(), [...expected].sort());
    assert.ok(messages.every((message) => message.object_id === id));
  },
);

testOnEngines("traces: what is refused, repeated or read leaves none", async (desk) => {
  const id = await create(desk, smallRequest({ key: "never-issued" }));
  const issued = await create(desk, smallRequest());
  await approve(desk, issued, { headers: HEADERS });
  const before = [await auditRows(desk), await outbox(desk)];
  const body = smallRequest({ by_user: "dev-bob" });
  await approve(desk, issued, { headers: HEADERS });
  const refused = [
    await desk.send("PUT", approvalOf(id)),
    await desk.send("PUT", approvalOf(issued)),
    await desk.send("UPDATE", pathOf(issued), { body }),
    await desk.send("UPDATE", pathOf("absent"), { body }),
    await desk.send("DELETE", pathOf("absent")),
    await desk.send("POST", "/api/portal/requests", { body: {} }),
    await desk.send("POST", "/api/portal/requests", { body, credential: await desk.token([]) }),
  ];
  assert.deepEqual(refused.map((answer) => answer.status), [400, 400, 400, 404, 404, 400, 403]);
  assert.deepEqual([await auditRows(desk), await outbox(desk)], before);
});

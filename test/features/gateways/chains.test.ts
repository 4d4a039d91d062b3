/** Files with certificates that a gateway does not take. */
import assert from "node:assert/strict";
import { add } from "../../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { issue as issueKey } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { issue } from "../certificates/support/issue.ts";

async function rowOf(desk: TestDesk, gateway_id: string, id: string) {
  const { data } = await call(desk, "GET", `/v1/gateways/${gateway_id}/keys`);
  return data.find(({ key_id }: { key_id: string }) => key_id === id);
}

testOnEngines("gateways: members of a chain that are over stay here", async (desk) => {
  await using door = standIn(desk.org_id);
  await plansOf(desk);
  const authority = { authority: true, subject: { CN: "over" } };
  const over = issue({ ...authority, days: -1 });
  const leaf = issue({ issuer: over, subject: { CN: "leaf" } });
  const pem = [leaf.certificate, over.certificate, leaf.key].join("\n");
  const id = await add(desk, pem);
  const { chain_length } = await call(desk, "GET", `/v1/certificates/${id}`);
  assert.equal(chain_length, 2);
  assert.throws(() => door.gateway.addCertificate(pem), /expired/);
  const gateway_id = await addGateway(desk, door, { certificates: true });
  await provision(engineOf(desk, door));
  assert.equal((await rowOf(desk, gateway_id, id))?.state, "delivered");
  const stands = door.gateway.certificate(id) ?? "";
  assert.equal(stands.match(/BEGIN CERTIFICATE/g)?.length, 1);
});

testOnEngines("gateways: a file that is refused holds up no key", async (desk) => {
  await using door = standIn(desk.org_id);
  await plansOf(desk);
  const gateway_id = await addGateway(desk, door, { certificates: true });
  const engine = engineOf(desk, door);
  await provision(engine);
  const message = "Certificate can't be stored";
  door.instead = (request) =>
    request.method === "POST" && request.url.includes("/tyk/certs")
      ? Response.json({ status: "error", message }, { status: 403 })
      : undefined;
  const id = await add(desk, issue({}).certificate);
  await engine.turn();
  const { key_id } = await issueKey(desk, ["plan-free"]);
  await provision(engine);
  assert.deepEqual(await keyThere(desk, key_id), ["delivered", ""]);
  assert.equal((await call(desk, "GET", `/v1/gateways/${gateway_id}`)).failure, "");
  const row = await rowOf(desk, gateway_id, id);
  assert.match(row?.reason, /403 Certificate can't be stored/);
});

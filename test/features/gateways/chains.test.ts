/** Files with certificates that a gateway does not take. */
import assert from "node:assert/strict";
import { Gateway } from "../../../examples/moving/gateway.ts";
import { add } from "../../support/certificates.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, keyThere, plansOf, provision } from "../../support/gateways.ts";
import { issue as issueKey } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { issue } from "../certificates/support/issue.ts";
import { newKey } from "../certificates/support/keys.ts";

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

Deno.test("gateways: the stand-in refuses files of certificates as the gateway does", () => {
  const gateway = new Gateway("0".repeat(24));
  const authority = issue({ authority: true, subject: { CN: "authority" } });
  for (const kind of ["rsa", "P-256", "ed25519"]) {
    const key = newKey(kind);
    const leaf = issue({ issuer: authority, subject: { CN: `leaf ${kind}` }, key });
    const refused = (parts: readonly string[], why: RegExp) =>
      assert.throws(() => gateway.addCertificate(parts.join("\n")), why);
    refused([leaf.certificate, leaf.key, authority.key], /multiple private keys/);
    refused([leaf.certificate, leaf.key, leaf.key], /multiple private keys/);
    refused([authority.certificate, leaf.certificate, leaf.key], /does not match/);
    // Without a key the first one counts, whichever it is.
    assert.equal(
      gateway.addCertificate([leaf.certificate, authority.certificate].join("\n")).length,
      88,
    );
    gateway.removeCertificate(gateway.certificates()[0] ?? "");
    const id = gateway.addCertificate([leaf.key, leaf.certificate].join("\n"));
    refused([leaf.certificate, leaf.key], /already exists/);
    gateway.removeCertificate(id);
  }
  const text = btoa("no key at all");
  const open = `-----BEGIN PUBLIC KEY-----\n${text}\n-----END PUBLIC KEY-----\n`;
  assert.match(gateway.addCertificate(open), /^0{24}[0-9a-f]{64}$/);
  assert.ok(gateway.hasUnreadCertificate());
});

testOnEngines("gateways: a leaf that does not come first is brought as the first", async (desk) => {
  await using door = standIn(desk.org_id);
  await plansOf(desk);
  const authority = issue({ authority: true, subject: { CN: "authority" }, key: newKey("rsa") });
  const leaf = issue({ issuer: authority, subject: { CN: "leaf" } });
  const pem = [authority.certificate, leaf.certificate, leaf.key].join("\n");
  assert.throws(() => door.gateway.addCertificate(pem), /does not match/);
  const id = await add(desk, pem);
  const gateway_id = await addGateway(desk, door, { certificates: true });
  await provision(engineOf(desk, door));
  assert.equal((await rowOf(desk, gateway_id, id))?.state, "delivered");
  assert.equal(door.gateway.certificate(id)?.match(/BEGIN CERTIFICATE/g)?.length, 2);
});

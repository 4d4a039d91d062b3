/** Certificates at the original's gateway: brought with their private keys, deleted, read back. */
import assert from "node:assert/strict";
import { add, addBundle, CERTS } from "../../support/certificates.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, plansOf, provision } from "../../support/gateways.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import { movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { issue } from "../certificates/support/issue.ts";
import { newKey } from "../certificates/support/keys.ts";
import { callInPerson } from "../../support/sign-in.ts";

const clock = movableClock();
const withKey = ({ certificate, key }: ReturnType<typeof issue>) => `${certificate}\n${key}`;

testOnEngines(
  "gateways: certificates are brought with chain and private key, deleted there, and read back",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const early = issue({});
    const early_id = await add(desk, withKey(early));
    const id = await addGateway(desk, door, { certificates: true });
    const engine = engineOf(desk, door);
    await provision(engine);
    // One from before it stands there too.
    const there = (one: string) => door.gateway.certificate(one);
    const stands = async (one: string) => {
      await provision(engine);
      const { data } = await call(desk, "GET", `/v1/gateways/${id}/keys`);
      const row = data.find(({ key_id }: { key_id: string }) => key_id === one);
      return [row?.object, row?.state, row?.reason];
    };
    assert.deepEqual(await stands(early_id), ["certificate", "delivered", ""]);
    assert.match(there(early_id) ?? "", /BEGIN CERTIFICATE[^]*BEGIN PRIVATE KEY/);

    const plain = issue({});
    const plain_id = await add(desk, plain.certificate);
    assert.deepEqual(await stands(plain_id), ["certificate", "delivered", ""]);
    assert.doesNotMatch(there(plain_id) ?? "", /PRIVATE/);
    // Its private key comes later.
    await add(desk, withKey(plain));
    assert.deepEqual(await stands(plain_id), ["certificate", "delivered", ""]);
    assert.match(there(plain_id) ?? "", /BEGIN PRIVATE KEY/);

    // While its Redis is away a 404 means nothing.
    const answer = await desk.send("DELETE", `${CERTS}/${plain_id}`);
    await answer.body?.cancel();
    door.gateway.redisIsAway = true;
    await engine.turn();
    door.gateway.redisIsAway = false;
    await engine.giveBack();
    const next = engineOf(desk, door);
    await provision(next);
    const row = (await call(desk, "GET", `/v1/gateways/${id}/keys?state=gone`)).data[0];
    assert.deepEqual([row.key_id, there(plain_id)], [plain_id, undefined]);
    assert.ok(!desk.logLines.join("").includes("PRIVATE KEY"));

    // A wiped Redis gets them again; what was put right there by hand is told.
    door.gateway.loseRecords();
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`, { whole: true });
    await provision(next);
    assert.match(there(early_id) ?? "", /BEGIN PRIVATE KEY/);
    clock.at += 15_001;
    door.gateway.removeCertificate(early_id);
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`, { whole: true });
    await provision(next);
    const [diverged] = (await call(desk, "GET", `/v1/gateways/${id}/keys?state=diverged`)).data;
    assert.deepEqual([diverged?.key_id, diverged?.reason], [early_id, "it is not there"]);
    await call(desk, "POST", `/v1/gateways/${id}/now`);
    await provision(next);
    assert.ok(there(early_id));
    // With the gateway's end they go, too.
    await call(desk, "DELETE", `/v1/gateways/${id}?keys=end`);
    for (let n = 0; n < 4; n++) {
      await next.turn();
      clock.at += 15_001;
    }
    assert.equal(there(early_id), undefined);
    assert.deepEqual((await call(desk, "GET", "/v1/gateways")).data, []);
  },
  { clock },
);

testOnEngines(
  "gateways: a certificate that the gateway takes in no form is stuck, and its reason says why",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const id = await addGateway(desk, door, { certificates: true });
    const engine = engineOf(desk, door);
    const files: readonly [file: string, reason: string][] = [
      [withKey(issue({ key: newKey("ed448") })), "refused_there key_kind"],
      [issue({ key: newKey("secp256k1") }).certificate, "refused_there curve"],
      [withKey(issue({ key: newKey("rsa-pss") })), "refused_there key_kind"],
      [withKey(issue({ key: newKey("brainpoolP256r1") })), "refused_there curve"],
      [issue({ key: newKey("ed448"), subject: { CN: "alone" } }).certificate, ""],
      [issue({ key: newKey("rsa-pss"), subject: { CN: "alone" } }).certificate, ""],
      [withKey(issue({ key: newKey("P-384") })), ""],
    ];
    for (const [file, reason] of files) {
      const one = await add(desk, file);
      await provision(engine);
      const { data } = await call(desk, "GET", `/v1/gateways/${id}/keys`);
      const row = data.find(({ key_id }: { key_id: string }) => key_id === one);
      assert.deepEqual([row?.state, row?.reason], [reason === "" ? "delivered" : "stuck", reason]);
      assert.equal(door.gateway.certificate(one) === undefined, reason !== "");
    }
  },
  { clock },
);

testOnEngines(
  "gateways: a key whose request names a certificate is pinned to it there, which stands before it",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const certificate = await add(desk, issue({}).certificate);
    const keyOf = async (named: string) => {
      const sent = smallRequest({ for_plan: "plan-free", apply_policies: ["plan-free"] });
      const { RawKey } = await approve(desk, await create(desk, { ...sent, certificate: named }));
      return { RawKey, key_id: sha256(RawKey) };
    };
    const id = await addGateway(desk, door, { certificates: true });
    const engine = engineOf(desk, door);
    const pinned = await keyOf(certificate);
    const free = await keyOf("no certificate of ours");
    await provision(engine);
    const there = ({ key_id }: { key_id: string }) => door.gateway.session(key_id);
    assert.deepEqual([there(pinned)?.certificate, there(free)?.certificate], [
      certificate,
      undefined,
    ]);
    // Taken off there by hand, it is told.
    delete there(pinned)?.certificate;
    await call(desk, "POST", `/v1/gateways/${id}/reconcile`, { whole: true });
    await provision(engine);
    const { data } = await call(desk, "GET", `/v1/keys/${pinned.key_id}/gateways`);
    assert.deepEqual([data[0].state, data[0].reason], [
      "diverged",
      `opens more there: certificate none there, ${certificate} here`,
    ]);
    // It stays through a suspension.
    await call(desk, "POST", `/v1/keys/${pinned.key_id}/suspend`, { reason: "for now" });
    await provision(engine);
    await call(desk, "POST", `/v1/keys/${pinned.key_id}/resume`, { reason: "again" });
    await provision(engine);
    assert.equal(there(pinned)?.certificate, certificate);
  },
);

testOnEngines(
  "gateways: unless it was chosen no certificate and no private key leaves the desk",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const made = issue({});
    const kept = await add(desk, withKey(made));
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door);
    await provision(engine);
    await addBundle(desk, issue({}).certificate);
    await provision(engine);
    assert.ok(!door.calls.some((one) => one.includes("/tyk/certs")));
    // Chosen later all are brought; switched off again, they stay, and what is deleted meanwhile
    // is deleted once it is on.
    const body = { name: "City", url: door.url };
    const choose = async (certificates: boolean) => {
      await callInPerson(desk, "PUT", `/v1/gateways/${id}`, { ...body, certificates });
      await provision(engine);
      return door.gateway.certificates().includes(kept);
    };
    assert.deepEqual([await choose(true), await choose(false)], [true, true]);
    await (await desk.send("DELETE", `${CERTS}/${kept}`)).body?.cancel();
    assert.deepEqual([await choose(false), await choose(true)], [true, false]);
  },
  { clock },
);

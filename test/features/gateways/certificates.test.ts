/** Certificates at the original's gateway: keys are pinned to them, none is brought there. */
import assert from "node:assert/strict";
import { openSession } from "../../../src/storage/open-session.ts";
import { add, CERTS } from "../../support/certificates.ts";
import { locationOf } from "../../../src/open-server.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { testOnEngines } from "../../support/desk.ts";
import { standIn } from "../../support/gateway.ts";
import { addGateway, engineOf, plansOf, provision } from "../../support/gateways.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import { issue as issueKey, movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { issue } from "../../../packages/x509/test/support/issue.ts";

const clock = movableClock();
const withKey = ({ certificate, key }: ReturnType<typeof issue>) => `${certificate}\n${key}`;

testOnEngines(
  "gateways: a key whose request names a certificate is pinned to it there",
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
  "gateways: no certificate is brought or deleted there, whatever earlier code left to be done",
  async (desk) => {
    await using door = standIn(desk.org_id);
    await plansOf(desk);
    const made = await add(desk, withKey(issue({})));
    const id = await addGateway(desk, door, { certificates: true });
    const engine = engineOf(desk, door);
    await provision(engine);
    const stands = door.gateway.addCertificate(issue({}).certificate);
    const session = await openSession(locationOf(desk.config));
    for (const key_id of [made, stands]) {
      await session.exec(`insert into provisioned_keys (org_id, gateway_id, key_id, object, wanted,
        done, state, reason, since, due_at, urgency, tries, remote_id, held, delivered_at)
        values ('${desk.org_id}', '${id}', '${key_id}', 'certificate', 1, 0, 'waiting', '',
        '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 0, 0, '${key_id}', '', null)`);
    }
    await session.exec(`update gateways set filled_to = 'certificate ffff'`);
    await session.close();
    const { key_id } = await issueKey(desk, ["plan-free"]);
    await provision(engine);
    assert.ok(door.gateway.session(key_id), "the keys are compared from the first one on");
    await (await desk.send("DELETE", `${CERTS}/${made}`)).body?.cancel();
    await provision(engine);
    assert.deepEqual(door.gateway.certificates(), [stands]);
    assert.ok(!door.calls.some((one) => one.includes("/tyk/certs")));
    const { data } = await call(desk, "GET", `/v1/gateways/${id}/keys?state=gone`);
    const left = data.map((one: { key_id: string }) => one.key_id);
    assert.deepEqual(left.sort(), [made, stands].sort());
  },
  { clock },
);

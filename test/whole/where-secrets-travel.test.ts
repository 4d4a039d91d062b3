/** The table of SECURITY.md: to which address each secret goes, and to no other one. */
import assert from "node:assert/strict";
import { sealedTables } from "../../src/maintenance/sealing-keys/reseal.store.ts";
import { type TestDesk, testOnEngines } from "../support/desk.ts";
import { add as addCertificate } from "../support/certificates.ts";
import { issue as issueCertificate } from "../../packages/x509/test/support/issue.ts";
import { standIn } from "../support/gateway.ts";
import { addGateway, engineOf, plansOf, provision } from "../support/gateways.ts";
import { redisStandIn } from "../support/gateway-redis.ts";
import { recheckDue } from "../../src/features/people/identity-providers/recheck.ts";
import {
  addProvider,
  enter,
  reach,
  standIn as provider,
  TERMS,
} from "../support/identity-provider.ts";
import { issue } from "../support/keys.ts";
import { call } from "../support/people.ts";
import { addChannel, deliver, engineOf as deliveryEngine, receiver } from "../support/receiver.ts";
import { bySession, callInPerson, signIn } from "../support/sign-in.ts";

/** The rows of the table: what is sealed where, where it goes, and what becomes of it. */
async function rowsOfTable(): Promise<{ of: string[]; goes: string; changes: string }[]> {
  const text = await Deno.readTextFile(new URL("../../SECURITY.md", import.meta.url));
  const [, below = ""] = text.split("### Where secrets travel");
  const lines = (below.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) => {
    const [, of = "", , goes = "", changes = ""] = line.split("|").map((cell) => cell.trim());
    const isRedis = of.includes("(Redis)");
    const names = [...of.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => isRedis ? "redis" : name);
    return { of: names, goes, changes };
  });
}

/** By sealed table: its address is changed without the secret; throws where that goes there. */
const walks: Readonly<Record<string, (desk: TestDesk) => Promise<void>>> = {
  gateways: async (desk) => {
    await using door = standIn(desk.org_id);
    await using other = standIn(desk.org_id);
    await plansOf(desk);
    const id = await addGateway(desk, door);
    const engine = engineOf(desk, door, other);
    await provision(engine);
    const { host } = door;
    const elsewhere = [`https://${host}`, other.url, `${door.url}/below`, `${door.url}/?a=b`];
    for (const url of elsewhere) {
      const answer = await desk.send("PUT", `/v1/gateways/${id}`, { body: { name: "City", url } });
      assert.equal(answer.status, 400, url);
      assert.match((await answer.json()).detail, /^secret: needed/);
    }
    // The same address, written in another way, is no other one.
    const same = { name: "City", url: `http://${host.toUpperCase()}/` };
    await call(desk, "PUT", `/v1/gateways/${id}`, same);
    let seen = "";
    other.instead = ({ headers }) => {
      seen += headers.get("x-tyk-authorization") ?? "";
      return undefined;
    };
    const secret = "another-secret";
    await callInPerson(desk, "PUT", `/v1/gateways/${id}`, {
      name: "City",
      url: other.url,
      secret,
    });
    await provision(engine);
    assert.ok(seen.startsWith(secret) && !seen.includes(door.secret));
  },
  redis: async (desk) => {
    await using door = standIn(desk.org_id);
    await using redis = redisStandIn(door.gateway.records);
    await using other = redisStandIn(new Map());
    await plansOf(desk);
    redis.password = "what-opens-it";
    const more = { redis_url: redis.url, redis_password: redis.password };
    const id = await addGateway(desk, door, more);
    const { url } = door;
    const moved = { name: "City", url, redis_url: other.url };
    await callInPerson(desk, "PUT", `/v1/gateways/${id}`, moved);
    await issue(desk, ["plan-free"]);
    await provision(engineOf(desk, door, redis, other));
    assert.ok(!JSON.stringify(other.commands).includes("what-opens-it"));
  },
  provisioning_secrets: async (desk) => {
    await using door = standIn(desk.org_id);
    await using other = standIn(desk.org_id);
    await plansOf(desk);
    const id = await addGateway(desk, door);
    await provision(engineOf(desk, door));
    const { url, secret } = other;
    await call(desk, "PUT", `/v1/gateways/${id}`, { name: "City", url, secret });
    await issue(desk, ["plan-free"]);
    await provision(engineOf(desk, door, other));
    assert.deepEqual(other.calls, []);
  },
  certificate_files: async (desk) => {
    await using door = standIn(desk.org_id);
    const { certificate, key } = issueCertificate({});
    await addCertificate(desk, `${certificate}\n${key}`);
    await addGateway(desk, door, { certificates: true });
    await provision(engineOf(desk, door));
    assert.ok(door.calls.length > 0);
    assert.ok(!door.calls.some((one) => one.includes("/tyk/certs")));
  },
  delivery_targets: async (desk) => {
    await using one = receiver();
    await using other = receiver();
    const { id, secret } = await addChannel(desk, one);
    await call(desk, "PUT", `/v1/channels/${id}`, { name: "Portal", url: other.url });
    await call(desk, "POST", "/v1/plans", { name: "Tides" });
    await deliver(deliveryEngine(desk));
    assert.ok(other.taken.length > 0);
    const heard = JSON.stringify(other.all);
    assert.ok(!heard.includes(secret) && !heard.includes(secret.replace("whsec_", "")));
  },
  identity_providers: async (desk) => {
    await using one = await provider();
    await using other = await provider();
    const { client_secret, ...terms } = TERMS;
    const made = { issuer: one.issuer, ...terms, client_secret };
    reach(desk, one.host, other.host);
    const { id } = await call(desk, "POST", "/v1/identity-providers", made);
    const body = { ...terms, issuer: other.issuer };
    const answer = await desk.send("PUT", `/v1/identity-providers/${id}`, { body });
    assert.equal(answer.status, 400);
    assert.match((await answer.json()).detail, /^client_secret: needed/);
    assert.deepEqual(other.asked, []);
  },
  mail_servers: async (desk) => {
    reach(desk, "mail.example.org:465", "other.example.org:465");
    const settings = { host: "mail.example.org", user: "keydesk" };
    await callInPerson(desk, "PUT", "/v1/server/mail", { ...settings, password: "sesame" });
    const browser = await signIn(desk, { credential: desk.admin });
    const other = { ...settings, host: "other.example.org" };
    const answer = await bySession(desk, browser, "PUT", "/v1/server/mail", other);
    assert.equal(answer.status, 400);
    assert.match((await answer.json()).detail, /^password: needed/);
    const way = await desk.app.ctx.mail();
    assert.deepEqual([way?.server.host, way?.server.auth?.pass], ["mail.example.org", "sesame"]);
  },
  provider_grants: async (desk) => {
    await using one = await provider();
    await using other = await provider();
    one.lies = { refreshes: true };
    const id = await addProvider(desk, one, { recheck_minutes: 5 });
    reach(desk, one.host, other.host);
    await enter(desk, one, id, { sub: "grace", groups: ["desk"] });
    const body = { ...TERMS, issuer: other.issuer };
    const answer = await desk.send("PUT", `/v1/identity-providers/${id}`, { body });
    assert.equal(answer.status, 409);
    await answer.body?.cancel();
    const { ctx } = desk.app;
    const later = { ...ctx, clock: { now: () => Date.now() + 3_600_000 } };
    await recheckDue(later);
    assert.ok(one.asked.filter((path) => path === "/token").length === 2);
    assert.deepEqual(other.asked, []);
  },
};

Deno.test("secrets: the table has each column that is sealed, once, and each that goes to an address of people's is walked", async () => {
  const rows = await rowsOfTable();
  const named = rows.flatMap(({ of }) => of).filter((one) => !/^(KEYDESK_|redis$)/.test(one));
  assert.deepEqual(named.toSorted(), [...sealedTables].sort());
  for (const { of, goes, changes } of rows) {
    assert.ok(of.length > 0 && goes !== "" && changes !== "", of.join());
    // What is mailed, answered or goes nowhere is sent to no address that somebody sets for it.
    if (/^(by mail|in answers|once to|nowhere(?!: signatures)|to that server)/.test(goes)) continue;
    if (of.some((one) => one === "trail_keys" || one.startsWith("KEYDESK_"))) continue;
    assert.ok(of.some((one) => Object.hasOwn(walks, one)), `${of.join()} is walked`);
  }
});

for (const [table, walk] of Object.entries(walks)) {
  testOnEngines(
    `secrets: what is sealed in ${table} goes to no address that it was not written for`,
    walk,
  );
}

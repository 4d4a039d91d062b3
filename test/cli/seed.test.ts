/** `keydesk seed`. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { Client } from "../../src/client/client.ts";
import {
  getClassicKeyRequest,
  listClassicKeyRequests,
} from "../../src/features/key-requests/key-requests.operations.ts";
import { makeDemo } from "../../src/maintenance/seed/demo.ts";
import { seedTransaction } from "../../src/maintenance/seed/seed.transactions.ts";
import {
  keydesk,
  keydeskProcess,
  startServerProcess,
  temporaryFolder,
} from "../support/command.ts";
import { testOnEngines } from "../support/desk.ts";

const counts = {
  developers: 12,
  plans: 6,
  catalogue_entries: 6,
  key_requests: { pending: 21, issued: 23, declined: 6 },
  keys_by_hand: 12,
  certificates: 17,
};

Deno.test("seed: an empty folder becomes a desk with 50 requests that the server shows", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  const seeded = await keydesk(["seed"], settings);
  assert.equal(seeded.code, 0, seeded.stderr);
  assert.equal(
    seeded.stdout.replace(/[\d,]+(?= calls)/, "N"),
    "12 developers\n6 plans\n6 catalogue entries\n" +
      "50 key requests: 21 pending, 23 issued, 6 declined\n" +
      "12 keys issued by hand\n17 certificates\nN calls of two months\n",
  );
  assert.match(seeded.stderr, /keydesk serve\n.*administrator-credential\nTry:\n {2}curl /);
  const credential = await Deno.readTextFile(join(folder.path, "administrator-credential"));
  assert.ok(!seeded.stderr.includes(credential.trim()));

  await using server = await startServerProcess(settings);
  const client = new Client({ baseUrl: server.url, credential: credential.trim() });
  const { Data } = await client.call(listClassicKeyRequests, {});
  assert.equal(Data.length, 44);
  assert.equal(Data.filter((one) => one.approved).length, 23);
  assert.equal(new Set(Data.map((one) => one.by_user)).size, 12);
  const declined = await client.call(listClassicKeyRequests, { query: { declined: true } });
  assert.equal(declined.Data.length, 6);
});

Deno.test("seed: --json prints the counts and the organisation", async () => {
  await using folder = await temporaryFolder();
  const { stdout, stderr } = await keydesk(["seed", "--json"], { KEYDESK_DATA_DIR: folder.path });
  const { org_id, calls, ...rest } = JSON.parse(stdout);
  assert.match(org_id, /^[0-9a-f]{24}$/);
  assert.deepEqual(rest, counts);
  assert.ok(Number.isInteger(calls) && calls > 1_000_000, stdout);
  assert.equal(stderr, "");
});

Deno.test("seed: a second time is refused with exit code 1 and changes nothing", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  assert.equal((await keydesk(["seed"], settings)).code, 0);
  const { code, stdout, stderr } = await keydesk(["seed"], settings);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^keydesk: The organisation has 50 key requests already\. .*\n$/);
});

Deno.test("seed: it fills the organisation of a running server and keeps its access token", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_ADMIN_TOKEN: "admin-".repeat(6) };
  await using server = await startServerProcess(settings);
  const client = new Client({ baseUrl: server.url, credential: settings.KEYDESK_ADMIN_TOKEN });
  assert.deepEqual((await client.call(listClassicKeyRequests, {})).Data, []);
  assert.equal((await keydesk(["seed"], settings)).code, 0);
  const { Data, Pages } = await client.call(listClassicKeyRequests, { query: { p: 1 } });
  assert.deepEqual([Data.length, Pages], [10, 5]);
});

Deno.test("seed: an organisation with one request of its own is refused", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path, KEYDESK_ADMIN_TOKEN: "admin-".repeat(6) };
  await using server = await startServerProcess(settings);
  const response = await fetch(`${server.url}/api/portal/requests`, {
    method: "POST",
    headers: { authorization: settings.KEYDESK_ADMIN_TOKEN },
    body: '{"by_user":"u","for_plan":"p"}',
  });
  assert.equal((await response.json()).Status, "OK");
  const { code, stderr } = await keydesk(["seed"], settings);
  assert.equal(code, 1);
  assert.match(stderr, /^keydesk: The organisation has 1 key request already\. /);
});

testOnEngines("seed: the demo is what the interface would have made of it", async (desk) => {
  const now = Date.now();
  const demo = makeDemo(desk.org_id, now);
  await desk.app.ctx.storage.commit(seedTransaction, demo);
  const client = desk.client(desk.admin);
  const { Data } = await client.call(listClassicKeyRequests, {});
  const times = Data.map((one) => Date.parse(one.date_created));
  assert.deepEqual(times, [...times].sort((a, b) => b - a));
  assert.ok(times.every((time) => time < now && time > now - 37 * 24 * 60 * 60 * 1000));
  for (const one of Data) {
    const shown = await client.call(getClassicKeyRequest, { params: { id: one.id } });
    const { keys, oauth_clients = {} } = shown.portal_developer;
    const isOauth = shown.catalogue_entry.auth_type === "oauth";
    assert.equal(shown.oauth_info !== undefined, isOauth);
    assert.notEqual(shown.portal_developer.email, "");
    if (!shown.approved) continue;
    assert.ok(Object.values(keys).some((plans) => plans.includes(shown.for_plan)));
    assert.equal(shown.for_plan in oauth_clients, isOauth);
  }
  const declined = await client.call(listClassicKeyRequests, { query: { declined: true, p: 1 } });
  assert.deepEqual([declined.Data.length, declined.Pages], [6, 1]);
});

testOnEngines(
  "seed: it is the desk of the README's picture, with what ends and what is called",
  async (desk) => {
    const now = Date.now();
    const demo = makeDemo(desk.org_id, now);
    await desk.app.ctx.storage.commit(seedTransaction, demo);
    const get = async (path: string) => await (await desk.send("GET", path)).json();
    const { keys, certificates } = await get("/v1/insight/expiries");
    assert.equal(keys.bins.reduce((sum: number, n: number) => sum + n, keys.expired), 11);
    assert.deepEqual([keys.expired, keys.within_30_days, keys.within_90_days], [1, 3, 2]);
    assert.equal(certificates.expired, 1);
    assert.deepEqual(
      certificates.next.map(({ name }: { name: string }) => name),
      [
        "hooks.riverline.example",
        "kettlequay.partners.riverline.example",
        "nordlys.partners.riverline.example",
        "tabellone.partners.riverline.example",
      ],
    );
    assert.equal(certificates.due.within_30_days, 2);
    assert.equal(certificates.authorities.all, 2);

    // Whoever asks in the picture has one key, which has a name.
    const amara = demo.developers.find(({ email }) => email.startsWith("amara@"));
    const { data } = await get(`/v1/keys?developer=${amara?.id}`);
    assert.deepEqual(
      data.map(({ name, state, plans }: { name: string; state: string; plans: string[] }) => [
        name,
        state,
        demo.plans.find(({ id }) => id === plans[0])?.name,
      ]),
      [["Counter screens", "active", "Partner"]],
    );

    // One source for each figure: what the desk counts is what its keys were called with.
    const { total } = await get("/v1/usage?last=month");
    assert.ok(total.success > 0);
    const plans = await Promise.all(
      demo.plans.map(({ id }) => get(`/v1/usage?last=month&plan=${id}`)),
    );
    assert.equal(plans.reduce((sum, { total }) => sum + total.success, 0), total.success);
    assert.ok(plans.filter(({ total }) => total.success > 0).length > 3);
    const reasons = total.reasons.reduce(
      (sum: number, one: { calls: number }) => sum + one.calls,
      0,
    );
    assert.ok(total.error > 0);
    assert.equal(reasons, total.error);

    // A quota has left what the key's calls since its period began did not take.
    for (const { key_id, plan_id, period, used } of demo.calls.quotas) {
      const from = new Date(period).toISOString().slice(0, 10);
      const counted = (await get(`/v1/usage?key=${key_id}&from=${from}`)).total.success;
      const first = (await get(`/v1/usage?key=${key_id}&from=${from}&to=${from}`)).total.success;
      assert.ok(used <= counted && used >= counted - first, `${key_id}: ${used} of ${counted}`);
      const plan = demo.plans.find(({ id }) => id === plan_id);
      assert.ok(used < JSON.parse(plan?.document ?? "").quota_max, key_id);
    }
    assert.ok(demo.calls.quotas.length > 10);

    // All calls came through its gateway, and each that was denied is there, as far as it is kept.
    const atGateway = (await get("/v1/usage?last=month&gateway=edge")).total;
    assert.deepEqual([atGateway.hits, atGateway.error], [total.hits, total.error]);
    const { data: [edge] } = await get("/v1/gateways");
    assert.deepEqual([edge.name, edge.connection, edge.last_call_at !== null], [
      "edge",
      "checks",
      true,
    ]);
    for (const { key_id } of demo.calls.quotas) {
      const counted = (await get(`/v1/usage?key=${key_id}&last=month`)).total.error;
      const { data } = await get(`/v1/denied-calls?key=${key_id}&limit=100`);
      assert.ok(data.length === Math.min(100, counted), `${key_id}: ${data.length} of ${counted}`);
    }

    // One delivery failed, one key was found in public, and two APIs are documented.
    const states = (await get("/v1/deliveries")).data.map(({ state }: { state: string }) => state);
    assert.deepEqual(states.toSorted(), ["dead", "delivered", "delivered", "delivered"]);
    const leaked = (await get("/v1/keys?leaked=true")).data;
    assert.deepEqual(leaked.map(({ state }: { state: string }) => state), ["active"]);
    assert.equal((await get("/v1/developer-pages")).enabled, true);

    const declined = await get("/v1/key-requests?state=declined");
    for (const { decided_at, reason, decided_by } of declined.data) {
      assert.ok(Date.parse(decided_at) <= now && reason !== "" && decided_by !== null);
    }
  },
);

Deno.test("seed: its certificates are signed by its authorities, whose keys nobody has", () => {
  const { certificates } = makeDemo("5f1a2b3c4d5e6f7081920000", Date.now());
  const all = certificates.map(({ entry }) =>
    new X509Certificate(Buffer.from(entry.certificate, "base64"))
  );
  const [root, partners, ...leaves] = all;
  assert.ok(root && partners);
  assert.ok(root.ca && root.verify(root.publicKey));
  assert.ok(partners.ca && partners.checkIssued(root) && partners.verify(root.publicKey));
  for (const leaf of leaves) {
    assert.ok(!leaf.ca && leaf.checkIssued(partners) && leaf.verify(partners.publicKey));
    assert.equal(leaf.checkHost(leaf.subject.split("CN=")[1] ?? ""), leaf.subject.split("CN=")[1]);
  }
  assert.ok(certificates.every(({ entry }) => entry.private_key === null));
});

testOnEngines("seed: an approval of a pending request works as anywhere", async (desk) => {
  const demo = makeDemo(desk.org_id, Date.now());
  await desk.app.ctx.storage.commit(seedTransaction, demo);
  const pending = demo.requests.find((one) => one.state === "pending")?.draft.columns.id ?? "";
  const issued = demo.requests.find((one) => one.state === "issued")?.draft.columns.id ?? "";
  const declined = demo.requests.find((one) => one.state === "declined")?.draft.columns.id ?? "";
  const approve = async (id: string) =>
    (await desk.send("PUT", `/api/portal/requests/approve/${id}`)).status;
  assert.equal(await approve(pending), 200);
  assert.equal(await approve(pending), 400);
  assert.equal(await approve(issued), 400);
  assert.equal(await approve(declined), 404);
});

testOnEngines("seed: a refused demo leaves nothing behind", async (desk) => {
  const demo = makeDemo(desk.org_id, Date.now());
  const [first] = demo.developers;
  assert.ok(first);
  // The last step that can fail: two developers with one address.
  const doubled = { ...demo, developers: [...demo.developers, { ...first, id: "another" }] };
  await assert.rejects(desk.app.ctx.storage.commit(seedTransaction, doubled), /already/);
  await desk.app.ctx.storage.commit(seedTransaction, demo);
});

Deno.test("seed: the same moment gives the same demo, secrets apart", () => {
  const now = Date.parse("2026-03-10T09:00:00Z");
  const plain = () => {
    const { requests, keys, certificates, calls, channel, leaks, ...rest } = makeDemo(
      "5f1a2b3c4d5e6f7081920000",
      now,
    );
    return {
      ...rest,
      channel: { ...channel, secret: "" },
      leaks: leaks.map(({ url, at }) => ({ url, at })),
      requests: requests.map(({ attempt: _, ...request }) => request),
      keys: keys.map(({ attempt: _, ...key }) => key),
      certificates: certificates.map(({ entry, ...one }) => ({
        ...one,
        names: entry.renewal_names,
      })),
      calls: calls.rows.filter(({ kind }) => kind !== "key"),
    };
  };
  assert.deepEqual(plain(), plain());
});

Deno.test("seed: two at once leave one demo", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: folder.path };
  const both = await Promise.all([1, 2].map(() => keydeskProcess(["seed"], settings)));
  assert.deepEqual(both.map((one) => one.code).sort(), [0, 1], JSON.stringify(both));
  const { stderr } = await keydesk(["seed"], settings);
  assert.match(stderr, /^keydesk: The organisation has 50 key requests already/);
});

/**
 * Channels as their owners meet them: what is refused, what is missing to reach them, tests, and
 * what was given up.
 */
import assert from "node:assert/strict";
import { GIVEN_UP_MS } from "../../../src/features/notifications/delivery.ts";
import { unknownPattern } from "../../../src/features/notifications/channels.contract.ts";
import { PurgeTime } from "../../../src/maintenance/retention/purge-time.ts";
import { keepPurgeTime } from "../../../src/maintenance/retention/retention.transactions.ts";
import { startPurger } from "../../../src/maintenance/retention/purger.ts";
import { engines, openTestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { movableClock } from "../../support/keys.ts";
import { call } from "../../support/people.ts";
import { addChannel, deliver, engineOf, receiver, verified } from "../../support/receiver.ts";

const HOUR = 3_600_000;

Deno.test("patterns: one that no topic fits is refused with the nearest", () => {
  for (const known of ["*", "key_request.*", "key.revoked", "channel.tested"]) {
    assert.equal(unknownPattern(known), undefined, known);
  }
  const nearest = (pattern: string) => unknownPattern(pattern)?.replace(/^.* is /, "");
  assert.equal(nearest("key_request.aproved"), "key_request.approved");
  assert.equal(nearest("kyes.*"), "keys.*");
  assert.equal(nearest("key.xxxxxxxx"), "key.*");
  assert.match(unknownPattern("weather.rain") ?? "", /the reference lists every topic/);
});

testOnEngines("channels: a URL is kept as it is called, however it was spelt", async (desk) => {
  const one = "https://portal.example.org/hook?to=a%20b";
  const spelt = [
    one,
    "HTTPS://Portal.EXAMPLE.org:443/hook?to=a b",
    "  https://portal.example.org/x/../hook?to=a b#part\n",
    "https:\\\\portal.example.org\\hook?to=a%20b",
  ];
  for (const url of spelt) {
    const { id, url: kept } = await call(desk, "POST", "/v1/channels", { name: "n", url });
    assert.equal(kept, one, url);
    const path = `/v1/channels/${id}`;
    await call(desk, "PUT", path, { name: "n", url: "http://0x7f.1:80" });
    assert.equal((await call(desk, "GET", path)).url, "http://127.0.0.1/");
  }
});

for (const engine of engines) {
  Deno.test(`${engine}: channels: they say what KEYDESK_OUTBOUND has to name before they can be reached`, async () => {
    const environment = { KEYDESK_OUTBOUND: "portal.example.org,127.0.0.1:8443" };
    await using desk = await openTestDesk(engine, { environment });
    const named = {
      "https://portal.example.org/hook": null,
      "https://portal.example.org:8443/hook": "portal.example.org:8443",
      "https://OTHER.example.org./hook": "other.example.org",
      "http://127.0.0.1:8443/": null,
      "http://[::1]:8443/": "[::1]:8443",
    };
    for (const [url, missing] of Object.entries(named)) {
      const made = await call(desk, "POST", "/v1/channels", { name: "n", url });
      assert.equal(made.missing_outbound, missing, url);
      const path = `/v1/channels/${made.id}`;
      assert.equal((await call(desk, "GET", path)).missing_outbound, missing);
      for (const word of ["pause", "resume", "rotate"]) {
        assert.equal((await call(desk, "POST", `${path}/${word}`)).missing_outbound, missing);
      }
      const url2 = "https://third.example.org/";
      const changed = await call(desk, "PUT", path, { name: "n", url: url2 });
      assert.equal(changed.missing_outbound, "third.example.org");
      const { data } = await call(desk, "GET", "/v1/channels?limit=1");
      assert.equal(data[0].missing_outbound, "third.example.org");
    }
  });

  Deno.test(`${engine}: channels: a test is sent at once, signed, and is no delivery`, async () => {
    await using portal = receiver();
    const environment = { KEYDESK_OUTBOUND: portal.host };
    await using desk = await openTestDesk(engine, { environment });
    const { id, secret } = await addChannel(desk, portal, { topics: ["plan.*"] });
    const path = `/v1/channels/${id}/test`;
    const taken = await call(desk, "POST", path);
    assert.deepEqual([taken.ok, taken.status, taken.answer, taken.error], [true, 200, "told", ""]);
    const [test] = portal.taken;
    assert.ok(test);
    assert.deepEqual(verified(test, secret), test.json);
    assert.deepEqual([test.json.type, test.json.data.id], ["channel.tested", id]);
    // Paused or failing, it says what is answered; nothing is counted.
    await call(desk, "POST", `/v1/channels/${id}/pause`);
    portal.answer = () => 503;
    const refused = await call(desk, "POST", path);
    assert.deepEqual([refused.ok, refused.status, refused.answer], [false, 503, "told"]);
    const channel = await call(desk, "GET", `/v1/channels/${id}`);
    assert.deepEqual([channel.state, channel.failures, channel.failing_since], ["paused", 0, null]);
    assert.deepEqual((await call(desk, "GET", "/v1/deliveries")).data, []);
    const { data } = await call(desk, "GET", "/v1/audit-log?action=channel.tested");
    assert.deepEqual(data.map((one: { detail: unknown }) => one.detail), [
      { ok: false, status: 503 },
      { ok: true, status: 200 },
    ]);
    const elsewhere = await call(desk, "POST", "/v1/channels", {
      name: "n",
      url: "https://portal.example.org/hook",
    });
    const denied = await call(desk, "POST", `/v1/channels/${elsewhere.id}/test`);
    assert.deepEqual([denied.ok, denied.status], [false, 0]);
    assert.match(denied.error, /portal\.example\.org is not named in KEYDESK_OUTBOUND/);
  });

  Deno.test({
    name:
      `${engine}: deliveries: what was given up is counted by channel, and retention tells what it drops`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using portal = receiver();
      await using other = receiver();
      const clock = movableClock();
      await using desk = await openTestDesk(engine, { clock });
      const { id } = await addChannel(desk, portal, { topics: ["key_request.*"] });
      await addChannel(desk, other, { topics: ["key_request.*"] });
      const nothing = { dead: 0, dead_by_channel: [], waiting: 0, waiting_by_channel: [] };
      assert.deepEqual(await call(desk, "GET", "/v1/deliveries/counts"), nothing);
      const request = await create(desk, smallRequest());
      // Others succeed, so the channel is not paused.
      portal.answer = ({ json }) => json.data.id === request ? 503 : 200;
      const engineNow = engineOf(desk);
      const until = clock.at + GIVEN_UP_MS + 3 * HOUR;
      for (; clock.at < until; clock.at += HOUR) {
        await create(desk, smallRequest());
        await deliver(engineNow);
      }
      const counts = await call(desk, "GET", "/v1/deliveries/counts");
      assert.deepEqual(counts, {
        ...nothing,
        dead: 1,
        dead_by_channel: [{ channel_id: id, dead: 1, status: 503, error: "" }],
      });
      const { admin } = await desk.otherOrganisation();
      const foreign = await call(desk, "GET", "/v1/deliveries/counts", undefined, admin);
      assert.deepEqual(foreign, nothing);
      clock.at += 100 * 24 * HOUR;
      const { storage, problems } = desk.app.ctx;
      // As a server keeps it that has run all the while.
      await storage.commit(keepPurgeTime, { until: clock.now() });
      const retention = {
        audit_events: 0,
        outbox_events: 90,
        deliveries: 90,
        claims: 0,
        usage_hours: 0,
        usage_days: 0,
      };
      const isTold = () => problems.current().some(({ name }) => name === "dead_letters_purged");
      const purger = startPurger({ storage, problems, clock }, retention, {
        restMs: 20,
        time: new PurgeTime(() => clock.now()),
      });
      try {
        await eventually("the alarm", isTold);
        const [told] = problems.current().filter(({ name }) => name === "dead_letters_purged");
        assert.match(told?.reason ?? "", /^1 messages that were given up/);
        const { data } = await call(desk, "GET", "/v1/audit-log?action=retention.purged&limit=100");
        const dead = data.map((one: { detail: { dead?: number } }) => one.detail.dead ?? 0);
        assert.equal(dead.reduce((all: number, n: number) => all + n, 0), 1);
        assert.deepEqual(await call(desk, "GET", "/v1/deliveries/counts"), nothing);
        // A day on which none goes ends the alarm.
        clock.at += 24 * HOUR;
        await eventually("its end", () => !isTold());
      } finally {
        purger.stop();
      }
    },
  });
}

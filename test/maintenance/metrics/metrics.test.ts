/** What Prometheus is told: where, to whom, by which names, and what never stands in it. */
import assert from "node:assert/strict";
import { NEVER } from "../../../src/features/gateways/canary.ts";
import { noteCanaryRun } from "../../../src/features/gateways/canary.transactions.ts";
import { toTimestamp } from "../../../src/kernel/clock.ts";
import { JobEngine } from "../../../src/features/jobs/job-engine.ts";
import { serveMetrics, Watch } from "../../../src/maintenance/metrics/watch.ts";
import { StoreQuestions } from "../../../src/maintenance/metrics/store-metrics.ts";
import { scrubTurn } from "../../../src/maintenance/damage/scrub.ts";
import { openTestDesk, type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { addChannel, deliver, engineOf, receiver } from "../../support/receiver.ts";
import { add, asn1Time, made } from "../../support/certificates.ts";
import { openListeningDesk, RawConnection } from "../../support/raw-http.ts";
import { tamper } from "../../support/damage.ts";
import { issueKnown } from "../../support/verification.ts";
import { approve, create, smallRequest } from "../../support/key-requests.ts";
import { known } from "../../support/known-parties.ts";
import { callInPerson } from "../../support/sign-in.ts";

/** The samples of a text in Prometheus' format, by the name with its labels. */
function samplesOf(text: string): Map<string, number> {
  return new Map(
    text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

async function scrape(desk: TestDesk, accept?: string): Promise<Response> {
  const credential = await desk.token(["metrics"]);
  return await desk.send("GET", "/metrics", { credential, headers: accept ? { accept } : {} });
}

async function scraped(desk: TestDesk): Promise<Map<string, number>> {
  const response = await scrape(desk);
  assert.equal(response.status, 200);
  return samplesOf(await response.text());
}

testOnEngines(
  "metrics: an access token with `metrics` gets them, whoever else asks finds nothing",
  async (desk) => {
    const others = await desk.token([
      "portal:write",
      "certs:write",
      "plans",
      "approve",
      "verify",
      "secrets",
      "audit",
      "admin",
      "operator",
    ]);
    const told = async (path: string, method: string, credential: string | null) => {
      const response = await desk.send(method, path, { credential });
      const { "x-request-id": _, ...headers } = Object.fromEntries(response.headers);
      return { status: response.status, headers, body: await response.text() };
    };
    const right = await desk.token(["metrics"]);
    const { admin: foreign } = await desk.otherOrganisation();
    for (
      const [method, credential] of [
        ...["GET", "HEAD", "POST", "OPTIONS", "DELETE"].flatMap((one) =>
          [null, others, foreign, "wrong"].map((credential) => [one, credential] as const)
        ),
        ["POST", right] as const,
        ["OPTIONS", right] as const,
      ]
    ) {
      const hidden = await told("/metrics", method, credential);
      assert.equal(hidden.status, 404);
      assert.deepEqual(
        hidden,
        await told("/nowhere", method, credential),
        `${method} ${credential}`,
      );
    }
    assert.equal((await told("/metrics", "GET", right)).status, 200);
    const head = await told("/metrics", "HEAD", right);
    assert.deepEqual([head.status, head.body], [200, ""]);
    assert.equal((await told("/v1/people", "GET", right)).status, 403);
  },
);

testOnEngines(
  "metrics: calls are counted by route, method and status, and no value is told",
  async (desk) => {
    const created = await desk.send("POST", "/api/portal/requests", { body: smallRequest({}) });
    const { Message: id } = await created.json();
    for (let i = 0; i < 2; i++) await (await desk.send("GET", `/api/portal/requests/${id}`)).text();
    await (await desk.send("GET", "/somewhere/else")).text();
    await (await desk.send("GET", "/v1/people", {
      credential: "a-secret-guess",
      from: "192.0.2.1",
    })).text();
    await (await desk.send("PROPFIND", `/api/portal/requests/${id}`)).text();
    const text = await (await scrape(desk)).text();
    const samples = samplesOf(text);
    const calls = (method: string, route: string, status: number) =>
      samples.get(
        `keydesk_http_requests_total{method="${method}",route="${route}",status="${status}"}`,
      );
    assert.equal(calls("GET", "/api/portal/requests/{id}", 200), 2);
    assert.equal(calls("POST", "/api/portal/requests", 200), 1);
    assert.equal(calls("GET", "-", 404), 1);
    assert.equal(calls("other", "/api/portal/requests/{id}", 405), 1);
    // How long they took is told by route and method alone.
    const took = 'keydesk_http_request_duration_seconds_count{method="GET",route="/v1/people"}';
    assert.equal(samples.get(took), 1);
    assert.doesNotMatch(text, /keydesk_http_request_duration_seconds\w*\{[^}]*status/);
    assert.equal(samples.get('keydesk_failed_sign_ins_total{area="access"}'), 1);
    for (
      const value of [
        id,
        desk.org_id,
        desk.admin,
        "a-secret-guess",
        "192.0.2.1",
        "somewhere",
        "PROPFIND",
      ]
    ) {
      assert.ok(!text.includes(value), value);
    }
  },
);

testOnEngines("metrics: what waits, what was approved and verified is counted", async (desk) => {
  const body = smallRequest({ date_created: "2026-01-01T00:00:00Z" });
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    const created = await desk.send("POST", "/api/portal/requests", { body });
    ids.push((await created.json()).Message);
  }
  const other = await desk.otherOrganisation();
  await (await desk.send("POST", "/api/portal/requests", { body, credential: other.admin })).text();
  const approved = await desk.send("PUT", `/api/portal/requests/approve/${ids[0]}`);
  const { RawKey } = await approved.json();
  assert.ok(RawKey);
  const again = await desk.send("PUT", `/api/portal/requests/approve/${ids[0]}`);
  assert.notEqual(again.status, 200);
  await again.text();
  for (const key of [RawKey, "no-such-key"]) {
    await (await desk.send("POST", "/v1/keys/verify", { body: { key } })).text();
  }
  const samples = await scraped(desk);
  assert.equal(samples.get("keydesk_store_up"), 1);
  assert.equal(samples.get("keydesk_pending_requests"), 3);
  const age = samples.get("keydesk_oldest_pending_request_age_seconds") ?? 0;
  const expected = (Date.now() - Date.parse("2026-01-01T00:00:00Z")) / 1000;
  assert.ok(Math.abs(age - expected) < 3600, `${age} ${expected}`);
  assert.equal(samples.get("keydesk_approvals_total"), 1);
  assert.equal(samples.get('keydesk_changes_total{outcome="refused"}'), 1);
  assert.equal(samples.get('keydesk_verifications_total{verdict="unknown"}'), 1);
  const verdicts = [...samples].filter(([name]) => name.startsWith("keydesk_verifications_total"));
  assert.equal(verdicts.reduce((sum, [, n]) => sum + n, 0), 2);
  assert.equal(samples.get('keydesk_queue_length{queue="search"}'), 4);
  assert.equal(samples.get('keydesk_queue_length{queue="commit"}'), 0);
  const kept = samples.get('keydesk_changes_total{outcome="kept"}');
  assert.equal(samples.get("keydesk_commit_duration_seconds_count"), kept);
  if (desk.engine === "sqlite") {
    assert.ok((samples.get("keydesk_wal_bytes") ?? 0) > 0);
    assert.ok((samples.get("keydesk_flush_duration_seconds_count") ?? 0) > 0);
    assert.ok(!samples.has("keydesk_pool_connections_max"));
  } else {
    assert.equal(samples.get("keydesk_pool_connections_max"), desk.config.DATABASE_POOL);
    assert.ok(!samples.has("keydesk_wal_bytes"));
  }
});

testOnEngines(
  "metrics: every approval counts, whoever decides, and nothing but approvals",
  async (desk) => {
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push(await create(desk, smallRequest()));
    const [older, v1, ...others] = await known(desk, ...ids);
    await (await desk.send("PUT", `/api/portal/requests/approve/${older}`)).text();
    await (await desk.send("POST", `/v1/key-requests/${v1}/approve`, { body: {} })).text();
    const jobs = new JobEngine(desk.app.ctx);
    // The second meets two that are decided, and the last declines one.
    for (
      const body of [
        { kind: "approve", ids: others.slice(0, 2) },
        { kind: "approve", ids: others.slice(0, 3) },
        { kind: "decline", ids: others.slice(3) },
      ]
    ) {
      const started = await desk.send("POST", "/v1/jobs", { body });
      assert.equal(started.status, 200, await started.text());
      while ((await jobs.turn()).worked);
    }
    const samples = await scraped(desk);
    assert.equal(samples.get("keydesk_approvals_total"), 5);
    assert.equal(samples.get("keydesk_pending_requests"), 0);
  },
);

testOnEngines("metrics: each has a number once there was something to tell", async (desk) => {
  await create(desk, smallRequest());
  await (await desk.send("POST", "/v1/keys/verify", { body: { key: "no-such-key" } })).text();
  desk.app.ctx.metrics?.loopDelay.add(1);
  await desk.app.ctx.storeClock.now();
  const text = await (await scrape(desk)).text();
  const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = ""]) => name);
  const told = new Set([...text.matchAll(/^([a-z_]+)[{ ]/gm)].map(([, name = ""]) => name));
  const silent = names.filter((name) => !told.has(name) && !told.has(`${name}_count`));
  // Nothing is wrong, no gateway was tried, no round of the scrub has begun, nobody listens, and
  // the audit log has no stream; the rest is the other engine's.
  const none = [
    "keydesk_canary_seconds",
    "keydesk_damages",
    "keydesk_http_connections",
    "keydesk_http_connections_max",
    "keydesk_scrub_round_timestamp_seconds",
    "keydesk_audit_stream_behind_total",
    "keydesk_audit_stream_rows_total",
    "keydesk_audit_stream_waiting",
    "keydesk_audit_stream_writes_total",
    "keydesk_problem",
  ];
  const others = desk.engine === "sqlite"
    ? [
      "keydesk_clock_ahead_seconds",
      "keydesk_pool_connections",
      "keydesk_pool_connections_max",
      "keydesk_pool_waiting",
    ]
    : [
      "keydesk_flush_duration_seconds",
      "keydesk_last_checkpoint_timestamp_seconds",
      "keydesk_wal_bytes",
    ];
  assert.deepEqual(silent.sort(), [...none, ...others].sort());
});

Deno.test("metrics: connections that clients have open are told, and how many there may be", async () => {
  await using desk = await openListeningDesk();
  const told = async () => {
    const samples = await scraped(desk);
    return ["", "_max"].map((end) => samples.get(`keydesk_http_connections${end}`));
  };
  const [open, most = 0] = await told();
  assert.equal(open, 0);
  assert.ok(most > 100, String(most));
  using one = await desk.connect();
  using other = await desk.connect();
  for (const connection of [one, other]) {
    await connection.send(desk.head("GET", "/healthz"));
    assert.equal((await connection.answer())?.status, 200);
  }
  assert.deepEqual(await told(), [2, most]);
  other.close();
  await eventually("its place to be free", async () => (await told())[0] === 1);
});

testOnEngines("metrics: what the scrub finds is told, and that it is a problem", async (desk) => {
  const { ctx } = desk.app;
  await issueKnown(desk);
  await tamper(desk, "update credentials set state = 'suspended'");
  for (let turn = 0; turn < 3; turn++) await scrubTurn(ctx, "one", 24 * 60 * 60 * 1000);
  await ctx.damages.refresh();
  const samples = await scraped(desk);
  const damages = [...samples].filter(([name]) => name.startsWith("keydesk_damages"));
  assert.deepEqual(damages, [['keydesk_damages{object="key"}', 1]]);
  assert.equal(samples.get('keydesk_problem{problem="damage_found",stops="nothing"}'), 1);
  const round = samples.get("keydesk_scrub_round_timestamp_seconds") ?? 0;
  assert.ok(Math.abs(Date.now() / 1000 - round) < 3600, String(round));
});

testOnEngines("metrics: messages, their tries and channels are counted", async (desk) => {
  await using portal = receiver();
  const { id } = await addChannel(desk, portal, { topics: ["key_request.created"] });
  const engine = engineOf(desk);
  await create(desk, smallRequest());
  await deliver(engine);
  portal.answer = () => new Response("no", { status: 500 });
  await create(desk, smallRequest());
  await deliver(engine);
  const paused = await desk.send("POST", `/v1/channels/${id}/pause`);
  assert.equal(paused.status, 200);
  await paused.text();
  await create(desk, smallRequest());
  const samples = await scraped(desk);
  const count = (outcome: string) =>
    samples.get(`keydesk_delivery_duration_seconds_count{outcome="${outcome}"}`);
  assert.deepEqual([count("delivered"), count("failed")], [1, 1]);
  assert.equal(samples.get('keydesk_channels{state="paused"}'), 1);
  assert.equal(samples.get('keydesk_channels{state="active"}'), 0);
  assert.equal(samples.get('keydesk_queue_length{queue="deliveries"}'), 1);
  // The third request, and what comes with it.
  assert.ok((samples.get('keydesk_queue_length{queue="fan_out"}') ?? 0) > 0);
  const age = samples.get('keydesk_queue_oldest_item_age_seconds{queue="deliveries"}') ?? -1;
  assert.ok(age >= 0 && age < 3600, String(age));
  assert.equal(samples.get("keydesk_failed_deliveries"), 0);
});

let behindMs = 0;

testOnEngines("metrics: certificates are counted by their end, each in one band", async (desk) => {
  const day = 24 * 60 * 60 * 1000;
  // What has ended can't be added.
  behindMs = 20 * day;
  const ends: Record<string, number> = {
    expired: -10,
    within_7_days: 3,
    within_30_days: 20,
    within_90_days: 60,
    later: 400,
  };
  for (const days of [...Object.values(ends), 30.5]) {
    await add(desk, made({ cn: `ends in ${days}`, to: asn1Time(Date.now() + days * day) }));
  }
  behindMs = 0;
  const [from, to] = [50, 5].map((days) => asn1Time(Date.now() + days * day));
  await add(desk, made({ cn: "ends before it begins", from, to }));
  const samples = await scraped(desk);
  const bands = [...samples].filter(([name]) => name.startsWith("keydesk_certificates"))
    .map(([name, n]) => [/band="(\w+)"/.exec(name)?.[1], n]);
  assert.deepEqual(Object.fromEntries(bands), {
    expired: 1,
    within_7_days: 1,
    within_30_days: 1,
    within_90_days: 2,
    later: 1,
    never: 0,
    invalid: 1,
  });
}, { clock: { now: () => Date.now() - behindMs } });

testOnEngines(
  "metrics: names, types and labels are those of the page, and none is missing there",
  async (desk) => {
    const text = await (await scrape(desk)).text();
    const types = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
    );
    const page = await Deno.readTextFile(new URL("../../../docs/metrics.md", import.meta.url));
    const rows = [...page.matchAll(/^\| `((?:keydesk|process)_\w+)` *\| (\w+) *\|([^|]*)\|/gm)];
    const documented = new Map(rows.map(([, name = "", type = ""]) => [name, type]));
    assert.deepEqual([...documented].sort(), [...types].sort());
    const labels = new Map(rows.map(([, name = "", , words = ""]) => [
      name,
      [...words.matchAll(/`(\w+)`/g)].map(([, word]) => word).sort(),
    ]));
    for (const [, series = "", inner = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
      const name = types.has(series) ? series : series.replace(/_(bucket|sum|count)$/, "");
      const found = [...inner.matchAll(/(\w+)="/g)].map(([, label]) => label)
        .filter((label) => label !== "le").sort();
      assert.deepEqual(found, labels.get(name), name);
    }
  },
);

testOnEngines("metrics: the format is the one that is asked for", async (desk) => {
  const usual = await scrape(desk);
  assert.equal(usual.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.match(await usual.text(), /^# TYPE keydesk_changes_total counter$/m);
  const prometheus = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.2";
  for (let i = 0; i < 2; i++) {
    const open = await scrape(desk, prometheus);
    const type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    assert.equal(open.headers.get("content-type"), type);
    const text = await open.text();
    assert.match(text, /^# TYPE keydesk_changes counter$/m);
    assert.match(text, /^keydesk_changes_total\{/m);
    assert.ok(text.endsWith("# EOF\n"));
  }
  const refusing = await scrape(desk, "application/openmetrics-text;q=0, text/plain");
  assert.match(refusing.headers.get("content-type") ?? "", /^text\/plain/);
  await refusing.text();
});

for (const [setting, value] of [["KEYDESK_METRICS", "off"], ["KEYDESK_REUSE_PORT", "true"]]) {
  const environment = { [setting ?? ""]: value ?? "" };
  Deno.test(`metrics: with ${setting} the main port has none`, async () => {
    await using desk = await openTestDesk("sqlite", { environment });
    const response = await scrape(desk);
    assert.equal(response.status, 404);
    await response.text();
  });
}

Deno.test("metrics: a store that is away leaves its figures out, and says so", async () => {
  const desk = await openTestDesk("sqlite");
  const { ctx, underWay } = desk.app;
  const failing = { ...ctx.storage.reader, row: () => Promise.reject(new Error("away")) };
  const watch = new Watch({
    underWay,
    ctx: { ...ctx, storage: { ...ctx.storage, reader: failing } },
  });
  const answer = await watch.answer(new Request("http://desk.test/metrics"));
  const samples = samplesOf(await answer.text());
  assert.equal(samples.get("keydesk_store_up"), 0);
  assert.ok(!samples.has("keydesk_pending_requests"));
  assert.ok(!samples.has('keydesk_queue_length{queue="search"}'));
  assert.equal(samples.get('keydesk_queue_length{queue="commit"}'), 0);
  assert.ok((samples.get("process_resident_memory_bytes") ?? 0) > 0);
  await desk[Symbol.asyncDispose]();
});

Deno.test("metrics: scrapes one after another ask the store once", async () => {
  await using desk = await openTestDesk("sqlite");
  const { reader } = desk.app.ctx.storage;
  let asked = 0;
  const counting = {
    ...reader,
    row: (...all: Parameters<typeof reader.row>) => (asked++, reader.row(...all)),
    rows: (...all: Parameters<typeof reader.rows>) => (asked++, reader.rows(...all)),
  } as typeof reader;
  const questions = new StoreQuestions(counting, Date.now);
  const answers = await Promise.all([questions.answer(), questions.answer()]);
  const once = asked;
  assert.ok(once > 0 && answers.every(({ isUp }) => isUp));
  await questions.answer();
  assert.equal(asked, once);
});

const ODD: readonly (readonly [string, string])[] = [
  ["/metrics", "["],
  ["/metrics", "a b"],
  ["/nothing", "a/metrics?"],
  ["http://x:99999999/metrics", "x"],
];

Deno.test("metrics: their own port serves them to everybody, and nothing else", async () => {
  await using desk = await openTestDesk("sqlite");
  const { ctx, underWay } = desk.app;
  const port = serveMetrics(
    { hostname: "127.0.0.1", port: 0 },
    new Watch({ ctx, underWay }),
    desk.app.refuse,
  );
  try {
    const url = `http://127.0.0.1:${port.address.port}`;
    const told = async (path: string, init?: RequestInit) => {
      const response = await fetch(url + path, init);
      return [response.status, await response.text()] as const;
    };
    const [status, text] = await told("/metrics");
    assert.equal(status, 200);
    assert.equal(samplesOf(text).get("keydesk_store_up"), 1);
    assert.deepEqual(await told("/metrics", { method: "HEAD" }), [200, ""]);
    assert.deepEqual(await told("/metrics", { method: "POST" }), [405, ""]);
    for (const path of ["/", "/healthz", "/v1/people"]) {
      assert.deepEqual(await told(path), [404, ""]);
    }
    // What makes no URL with its path is no failure of ours.
    for (const [path, host] of ODD) {
      using connection = await RawConnection.open(port.address);
      await connection.send(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      assert.equal((await connection.answer())?.status, 400, `${path} ${host}`);
    }
  } finally {
    await port.shutdown();
  }
});

testOnEngines(
  "metrics: keys that a gateway lacks are counted, and gateways that fail",
  async (desk) => {
    const gateway = { name: "City", connection: "synced", url: "http://127.0.0.1:9", secret: "s" };
    const { id } = await callInPerson(desk, "POST", "/v1/gateways", gateway);
    const { storage, clock } = desk.app.ctx;
    const run = (at: number, opened_ms: number, shut_ms: number) => {
      const { org_id } = desk;
      const place = { org_id, gateway_id: id, at: toTimestamp(at), name: "a" };
      const row = { ...place, state: "done", how: "read", opened_ms, shut_ms } as const;
      return storage.commit(noteCanaryRun, { run: row, now: clock.now() });
    };
    await run(clock.now() - 120_000, 9000, NEVER);
    await run(clock.now() - 60_000, 410, 6000);
    await approve(desk, await create(desk, smallRequest()));
    const samples = await scraped(desk);
    assert.equal(samples.get('keydesk_gateway_keys{state="waiting"}'), 1);
    assert.equal(samples.get('keydesk_gateway_keys{state="stuck"}'), 0);
    assert.equal(samples.get("keydesk_gateways_failing"), 0);
    assert.equal(samples.get('keydesk_canary_seconds{step="open"}'), 0.41);
    assert.equal(samples.get('keydesk_canary_seconds{step="shut"}'), 6);
    assert.equal(samples.get("keydesk_gateways_slow"), 1);
  },
);

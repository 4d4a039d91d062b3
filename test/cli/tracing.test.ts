/** What a collector of OpenTelemetry gets of a real server, and what it never gets. */
import assert from "node:assert/strict";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { eventually } from "../support/eventually.ts";
import { smallRequest } from "../support/key-requests.ts";
import {
  keydesk,
  repository,
  run,
  type ServerProcess,
  startServerProcess,
  temporaryFolder,
} from "../support/command.ts";
import { RawConnection } from "../support/raw-http.ts";
import { receiver } from "../support/receiver.ts";

const throughLauncher = ["node", join(repository, "bin/keydesk.js")];

/** Stands in for a collector: keeps all bytes that it gets. */
function collector() {
  const bodies: { path: string; text: string }[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      bodies.push({ path: new URL(request.url).pathname, text: await request.text() });
      return Response.json({});
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    bodies,
    spans: () => bodies.filter(({ path }) => path === "/v1/traces").flatMap(spansOf),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  facts: Record<string, unknown>;
}

/** Of an export in JSON, as OTLP says. */
function spansOf({ text }: { text: string }): Span[] {
  // deno-lint-ignore no-explicit-any -- the export as it came
  const { resourceSpans = [] }: any = JSON.parse(text);
  // deno-lint-ignore no-explicit-any -- likewise
  return resourceSpans.flatMap((one: any) => one.scopeSpans).flatMap((one: any) => one.spans).map(
    // deno-lint-ignore no-explicit-any -- likewise
    ({ attributes, ...span }: any) => ({
      ...span,
      facts: Object.fromEntries(
        // deno-lint-ignore no-explicit-any -- likewise
        attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]),
      ),
    }),
  );
}

/** What the sender of an export says of itself. */
function resourceOf({ text }: { text: string }): Record<string, string> {
  // deno-lint-ignore no-explicit-any -- the export as it came
  const { resourceSpans: [{ resource }] }: any = JSON.parse(text);
  return Object.fromEntries(
    // deno-lint-ignore no-explicit-any -- likewise
    resource.attributes.map(({ key, value }: any) => [key, value.stringValue]),
  );
}

/** Settings of a server that sends its spans to this collector. */
function telemetryTo(url: string): Record<string, string> {
  return {
    OTEL_DENO: "true",
    // What the surroundings say of these must not count.
    OTEL_DENO_TRACING: "true",
    OTEL_DENO_CONSOLE: "capture",
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_BSP_SCHEDULE_DELAY: "100",
  };
}

async function call(
  server: ServerProcess,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
) {
  const response = await fetch(server.url + path, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const HOST = "host-that-a-caller-made-up.example";
const METHOD = "METHOD-THAT-A-CALLER-MADE-UP";

Deno.test("traces: calls, commits, groups and deliveries are spans, and nothing that was sent is in them", async () => {
  await using folder = await temporaryFolder();
  await using collected = collector();
  await using portal = receiver();
  const admin = "an-access-token-that-nobody-else-may-read";
  const server = await startServerProcess({
    ...telemetryTo(collected.url),
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${collected.url}/v1/metrics`,
    KEYDESK_DATA_DIR: join(folder.path, "data"),
    KEYDESK_ADMIN_TOKEN: admin,
    KEYDESK_OUTBOUND: portal.host,
    KEYDESK_METRICS_PORT: "0",
  }, { program: throughLauncher });
  let ended: Awaited<ReturnType<ServerProcess["stop"]>> | undefined;
  const headers = { authorization: admin };
  const mail = "somebody.secret@mail.example.org";
  let key = "";
  let figures = "";
  try {
    const target = await call(server, "POST", "/v1/channels", {
      headers,
      body: { name: "Portal", url: portal.url, topics: ["key_request.*"] },
    });
    assert.equal(target.status, 200, target.text);
    const created = await call(server, "POST", "/api/portal/requests", {
      headers: { ...headers, traceparent: `00-${TRACE}-${CALLER}-01` },
      body: smallRequest({ portal_developer: { email: mail } }),
    });
    assert.equal(created.status, 200, created.text);
    const id = JSON.parse(created.text).Message;
    const approved = await call(server, "PUT", `/api/portal/requests/approve/${id}`, { headers });
    key = JSON.parse(approved.text).RawKey;
    const wrong = "a-wrong-access-token-with-a-secret";
    for (
      const [method, path, more] of [
        ["POST", "/v1/keys/verify", { headers, body: { key } }],
        ["GET", `/api/keys/${key}`, { headers }],
        ["GET", `/api/apis/api/keys/${key}?key=${key}`, { headers }],
        ["GET", `/api/portal/developers/email/${encodeURIComponent(mail)}`, { headers }],
        ["GET", `/v1/key-requests?q=${encodeURIComponent(mail)}`, { headers }],
        ["GET", `/v1/people?token=${wrong}`, { headers: { authorization: wrong } }],
        ["GET", `/nowhere/${wrong}/${mail}?${key}`, { headers: { cookie: `a=${key}` } }],
        ["POST", `/v1/developers`, { headers, body: { email: mail, fields: { use: key } } }],
        ["POST", `/console/${wrong}`, { body: { mail } }],
        ["DELETE", `/api/keys/${key}`, { headers }],
      ] as const
    ) await call(server, method, path, more);
    // The host of a call and its method are the caller's words too.
    const { hostname, port } = new URL(server.url);
    for (const [line, status] of [[`GET http://${HOST}/livez`, 200], [`${METHOD} /livez`, 405]]) {
      using connection = await RawConnection.open({ hostname, port: Number(port) });
      await connection.send(`${line} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
      assert.equal((await connection.answer())?.status, status);
    }
    const figuresUrl = /"url":"([^"]+\/metrics)"/.exec(server.stdout())?.[1] ?? "";
    figures = await (await fetch(figuresUrl)).text();
    await eventually("two messages are delivered", () => portal.taken.length >= 2);
    await eventually(
      "the span of a delivery",
      () => collected.spans().some(({ name }) => name === "delivery"),
    );
  } finally {
    ended = await server.stop();
  }
  const spans = collected.spans();
  const named = (name: string) => spans.filter((span) => span.name === name);
  const [create] = named("POST /api/portal/requests");
  assert.deepEqual([create?.traceId, create?.parentSpanId], [TRACE, CALLER]);
  assert.deepEqual(create?.facts, {
    "http.request.method": "POST",
    "http.route": "/api/portal/requests",
    // As OTLP writes an integer.
    "http.response.status_code": "200",
  });
  const commit = spans.find(({ facts }) => facts["keydesk.transaction"] === "key-requests.create");
  assert.deepEqual([commit?.traceId, commit?.parentSpanId], [TRACE, create?.spanId]);
  const group = named("group").find(({ parentSpanId }) => parentSpanId === commit?.spanId);
  assert.equal(group?.traceId, TRACE);
  // What the receiver was told of is the try itself.
  const told = portal.taken.map(({ headers }) => headers.traceparent?.split("-").slice(1, 3));
  for (const [traceId, spanId] of told as [string, string][]) {
    const delivery = named("delivery").find((span) => span.spanId === spanId);
    assert.deepEqual([delivery?.traceId, delivery?.facts["keydesk.channel"]], [traceId, "webhook"]);
  }
  assert.equal(named("GET /api/keys/{key}")[0]?.facts["http.route"], "/api/keys/{key}");
  assert.equal(named("GET -")[0]?.facts["error.type"], undefined);
  assert.equal(named("GET /v1/people")[0]?.facts["error.type"], "not_authorised");

  // Signs of life, looks and whatever else nobody called for: one of a hundred of each kind.
  const unasked = spans.filter(({ name, parentSpanId }) => name === "commit" && !parentSpanId);
  const kinds = unasked.map(({ facts }) => facts["keydesk.transaction"]);
  assert.deepEqual(kinds.length, new Set(kinds).size, kinds.join());
  const exported = collected.bodies.find(({ text }) => text.includes('"resourceSpans"'));
  const said = resourceOf(exported ?? assert.fail("no spans"));
  assert.equal(said["service.name"], "keydesk");
  assert.equal(said["service.version"], manifest.version);
  assert.match(said["service.instance.id"] ?? "", /^[0-9a-f-]{36}$/);

  const lines = ended.stdout.split("\n").filter((line) => line.includes('"request"'));
  assert.ok(lines.length > 0 && lines.every((line) => /"trace_id":"[0-9a-f]{32}"/.test(line)));
  assert.ok(lines.some((line) => line.includes(`"trace_id":"${TRACE}"`)));

  assert.ok(key.length > 20);
  for (
    const secret of [
      key,
      mail,
      encodeURIComponent(mail),
      admin,
      "a-wrong-access-token",
      HOST,
      METHOD,
    ]
  ) {
    for (const { path, text } of collected.bodies) assert.ok(!text.includes(secret), path);
    assert.ok(!figures.includes(secret) && figures.includes("keydesk_info"));
    assert.ok(!ended.stdout.includes(secret));
  }
  assert.deepEqual([...new Set(collected.bodies.map(({ path }) => path))], ["/v1/traces"]);
});

Deno.test("traces: a collector that can't be reached is told once, by log, figures and doctor", async () => {
  await using folder = await temporaryFolder();
  const settings = {
    // Nothing listens there.
    ...telemetryTo("http://127.0.0.1:1"),
    KEYDESK_DATA_DIR: join(folder.path, "data"),
    KEYDESK_METRICS_PORT: "0",
  };
  const server = await startServerProcess(settings, { program: throughLauncher });
  let figures = "";
  let ended: Awaited<ReturnType<ServerProcess["stop"]>> | undefined;
  try {
    await eventually(
      "a warning of the collector",
      () => server.stdout().includes("collector_unreachable"),
    );
    const figuresUrl = /"url":"([^"]+\/metrics)"/.exec(server.stdout())?.[1] ?? "";
    figures = await (await fetch(figuresUrl)).text();
    const tokenFile = join(settings.KEYDESK_DATA_DIR, "administrator-credential");
    const words = ["doctor", "--url", server.url, "--token-file", tokenFile];
    const fromAfar = await keydesk(words, {});
    assert.equal(fromAfar.code, 0, fromAfar.stderr);
    assert.match(fromAfar.stdout, /^warn +problems +collector_unreachable since /m);
  } finally {
    ended = await server.stop();
  }
  assert.match(figures, /^keydesk_problem\{problem="collector_unreachable",stops="nothing"\} 1$/m);
  const told = ended.stdout.split("\n").filter((line) => line.includes("collector"));
  assert.equal(told.length, 1, told.join("\n"));
  const { msg, reason } = JSON.parse(told[0] ?? "{}");
  assert.deepEqual([msg, reason], [
    "problem begins",
    "no connection to 127.0.0.1:1: it is refused",
  ]);
  const doctor = await run([...throughLauncher, "doctor"], {
    env: { ...settings, KEYDESK_PORT: "0" },
  });
  assert.match(doctor.stdout, /^warn +traces +spans are lost: no connection to 127\.0\.0\.1:1: /m);
});

Deno.test("traces: without the launcher a server does not start where the runtime would tell of URLs", async () => {
  await using folder = await temporaryFolder();
  await using collected = collector();
  const { OTEL_DENO_TRACING: _, ...settings } = telemetryTo(collected.url);
  const { code, stderr } = await keydesk(["serve"], {
    ...settings,
    KEYDESK_PORT: "0",
    KEYDESK_DATA_DIR: join(folder.path, "data"),
  });
  assert.notEqual(code, 0);
  assert.match(stderr, /OTEL_DENO_TRACING=false/);
});

/** Moving in by the interfaces of dashboard and gateway, alone and beside files. */
import assert from "node:assert/strict";
import { permissions } from "../../../src/contract/permissions.ts";
import type { ServerCall } from "../../../src/open-server.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { openDashboard } from "../../../src/maintenance/import/dashboard.ts";
import { openExportFiles } from "../../../src/maintenance/import/export-files.ts";
import type { Finding } from "../../../src/maintenance/import/findings.ts";
import { openGateway } from "../../../src/maintenance/import/gateway.ts";
import {
  type KindSummary,
  type MovingOptions,
  planMoving,
  runMoving,
  verifyMoving,
} from "../../../src/maintenance/import/import.service.ts";
import { reportAsHtml, reportAsJson, reportOf } from "../../../src/maintenance/import/report.ts";
import { type Source, SourceUnusable } from "../../../src/maintenance/import/source.ts";
import { together } from "../../../src/maintenance/import/sources.ts";
import { assertFailure } from "../../support/answers.ts";
import { made } from "../../support/certificates.ts";
import { temporaryFolder } from "../../support/command.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/keys.ts";
import { ids, makeExports, originalKey, writeExports } from "../../support/original-exports.ts";
import {
  type Oddities,
  type OriginalInterfaces,
  sessionOf,
  startInterfaces,
  UNREAD,
} from "../../support/original-interfaces.ts";

const OPTIONS: MovingOptions = { theirs: false, murmurUntil: null, passphrase: undefined };
const PAUSE = { pauseMs: 1 };

function operatorOf(desk: TestDesk): ServerCall {
  const { org_id } = desk;
  return { ...desk.app.ctx, principal: { org_id, user_id: "operator", token_id: "", permissions } };
}

function dashboardOf(there: OriginalInterfaces, pageByPage = false): Promise<Source> {
  const { dashboard: url, token: secret } = there;
  return openDashboard({ url, secret, allowPlain: false, pageByPage, ...PAUSE });
}

function gatewayOf({ gateway: url, secret }: OriginalInterfaces): Promise<Source> {
  return openGateway({ url, secret, allowPlain: false, ...PAUSE });
}

/**
 * Runs one of the works on a source, which is closed then; gives its rows by kind and what was
 * found.
 */
async function move<T extends { kind: string }>(
  desk: TestDesk,
  source: Source,
  work: (
    ctx: ServerCall,
    source: Source,
    options: MovingOptions,
    listener: Parameters<typeof planMoving>[3],
  ) => Promise<T[]>,
  options: Partial<MovingOptions> = {},
): Promise<{ by: Record<string, T>; found: string[] }> {
  const found: Finding[] = [];
  const listener = { read: () => {}, found: (one: Finding) => void found.push(one), isOver: false };
  try {
    const all = await work(operatorOf(desk), source, { ...OPTIONS, ...options }, listener);
    const by = Object.fromEntries(all.map((row) => [row.kind, row]));
    return { by, found: found.map(({ kind, code }) => `${kind} ${code}`).sort() };
  } finally {
    await source.close();
  }
}

function added(by: Record<string, KindSummary>): Record<string, number> {
  return Object.fromEntries(Object.entries(by).map(([kind, one]) => [kind, one.added]));
}

/** What is stored as found, `kind code detail`. */
async function reported(desk: TestDesk): Promise<string[]> {
  const report = await reportOf(desk.app.ctx.storage.reader, desk.org_id);
  const found: string[] = [];
  for await (const { kind, code, detail } of report.findings()) {
    found.push(`${kind} ${code} ${detail}`.trimEnd());
  }
  return found.sort();
}

testOnEngines(
  "moving in by interfaces: ids and texts that are no text are found, and the rest comes",
  async (desk) => {
    const exports = makeExports(desk.org_id, 1);
    const half = "\ud800";
    const hostile: Record<string, object> = {
      "/api/portal/catalogue": { apis: [{ documentation: half }, { documentation: ".." }] },
      "/api/portal/developers": {
        Data: [
          { _id: "nul", email: "nul@example.org", fields: { a: "\u0000" } },
          { _id: half, email: "half@example.org", fields: { a: half } },
        ],
        Pages: 1,
      },
      "/tyk/apis": [{ api_id: half, org_id: desk.org_id, use_oauth2: true }],
    };
    await using there = startInterfaces(exports, {
      certificates: [{ id: `${desk.org_id}${"a".repeat(63)}${half}` }],
      sessions: { [half]: sessionOf(desk.org_id), "a\u0000b": sessionOf(desk.org_id) },
      instead: (path) => {
        const answer = hostile[path.split("?")[0] ?? ""];
        return answer && new Response(JSON.stringify(answer));
      },
    });
    const source = together([await dashboardOf(there), await gatewayOf(there)]);
    const { by } = await move(desk, source, runMoving);
    assert.equal(by.plan?.added, 2);
    assert.equal(by.developer?.seen, 2);
    const unreadable = (await reported(desk)).flatMap((one) =>
      one.split(" unreadable holds a text")[1] ? [one.split(" ")[0]] : []
    );
    assert.deepEqual(unreadable, [
      "catalogue",
      "certificate",
      "developer",
      "developer",
      "documentation",
      "key",
    ]);
  },
);

testOnEngines(
  "moving in by interfaces: certificates are named one by one where their list gives no answer",
  async (desk) => {
    const id = (n: number) => desk.org_id + `${n}`.repeat(64);
    const exports = makeExports(desk.org_id, 1);
    await using there = startInterfaces(exports, {
      certificates: [
        { id: id(1), subject_cn: "leaf.example.org" },
        { id: id(2), subject_cn: UNREAD },
        { id: id(3), subject_cn: "other.example.org" },
      ],
    });
    const source = together([await dashboardOf(there), await gatewayOf(there)]);
    await move(desk, source, runMoving);
    const found = (await reported(desk)).filter((one) => one.startsWith("certificate"));
    assert.deepEqual(found.sort(), [
      "certificate certificate_without_pem",
      "certificate certificate_without_pem leaf.example.org",
      "certificate certificate_without_pem other.example.org",
    ]);
  },
);

testOnEngines(
  "moving in by interfaces: what was there is here, and GET alone was sent",
  async (desk) => {
    const exports = makeExports(desk.org_id, 5);
    const clients = [{ client_id: "client-two", secret: "secret-of-two", policy_id: ids.plan(2) }];
    await using there = startInterfaces(exports, {
      clients,
      certificates: [{ id: desk.org_id + "a".repeat(64), subject_cn: "leaf.example.org" }],
    });
    const sources = async () => together([await dashboardOf(there), await gatewayOf(there)]);
    const planned = await move(desk, await sources(), planMoving);
    const ran = await move(desk, await sources(), runMoving);
    const expected = {
      plan: 2,
      configuration: 1,
      catalogue: 1,
      documentation: 0,
      certificate: 0,
      developer: 5,
      client: 2,
      key: 5,
      request: 10,
    };
    assert.deepEqual(added(planned.by), expected);
    assert.deepEqual(added(ran.by), expected);
    assert.deepEqual(ran.by.client?.others, 1);
    assert.deepEqual(await reported(desk), [
      "certificate certificate_without_pem leaf.example.org",
      "client key_without_owner",
      ...Array.from({ length: 5 }, () => "developer no_password"),
    ]);
    // Decided there, so never to be approved again; and the key that opened there opens here.
    await assertFailure(
      await desk.send("PUT", `/api/portal/requests/approve/${ids.request(0)}`),
      "already_processed",
    );
    const key = originalKey(desk.org_id, 4);
    const verdict = await call<{ valid: boolean }>(desk, "POST", "/v1/keys/verify", {
      key,
      api_id: "api-1",
    });
    assert.equal(verdict.valid, true);
    const again = await move(desk, await sources(), runMoving);
    assert.deepEqual(Object.values(added(again.by)).filter((n) => n > 0), []);
    const { by } = await move(desk, await sources(), verifyMoving);
    for (const { kind, there_sha256, here_sha256, missing } of Object.values(by)) {
      assert.equal(there_sha256, here_sha256, kind);
      assert.equal(missing, 0, kind);
    }
    assert.deepEqual(there.calls.filter((one) => !one.startsWith("GET ")), []);
  },
);

testOnEngines(
  "moving in by interfaces: no token, secret or plain key stands anywhere",
  async (desk) => {
    const plain = originalKey(desk.org_id, 77);
    await using there = startInterfaces(makeExports(desk.org_id, 1), {
      sessions: { [plain]: sessionOf(desk.org_id) },
    });
    const told: string[] = [];
    const sources = async () => together([await dashboardOf(there), await gatewayOf(there)]);
    const { by, found } = await move(desk, await sources(), planMoving);
    told.push(JSON.stringify([by, found]));
    await move(desk, await sources(), runMoving);
    const report = await reportOf(desk.app.ctx.storage.reader, desk.org_id);
    for await (const piece of reportAsJson(report)) told.push(piece);
    for await (const piece of reportAsHtml(report)) told.push(piece);
    // A gateway that fails in the middle of everything says nothing of them either.
    await using failing = startInterfaces(makeExports(desk.org_id, 1), {
      sessions: { [plain]: sessionOf(desk.org_id) },
      instead: (path) =>
        path.startsWith("/tyk/keys/") ? new Response(plain, { status: 500 }) : undefined,
    });
    await assert.rejects(move(desk, await gatewayOf(failing), planMoving), (error) => {
      assert.ok(error instanceof SourceUnusable);
      told.push(error.message);
      return true;
    });
    const everything = told.join("\n") + desk.logLines.join("\n");
    for (const secret of [plain, encodeURIComponent(plain), there.token, there.secret]) {
      assert.ok(!everything.includes(secret));
    }
    const opened = await call<{ valid: boolean }>(desk, "POST", "/v1/keys/verify", {
      key: plain,
      api_id: "api-1",
    });
    assert.equal(opened.valid, true);
  },
);

for (const everything of ["first page", "refused"] as const) {
  testOnEngines(
    `moving in by interfaces: a dashboard whose p=-1 is ${everything} is read page by page`,
    async (desk) => {
      await using there = startInterfaces(makeExports(desk.org_id, 5), { everything });
      const { by } = await move(desk, await dashboardOf(there), planMoving);
      const { developer, request } = added(by);
      assert.deepEqual([developer, request], [5, 10]);
    },
  );
}

testOnEngines(
  "moving in by interfaces: a list that breaks off ends the work and says what helps",
  async (desk) => {
    await using there = startInterfaces(makeExports(desk.org_id, 5), { everything: "broken off" });
    await assert.rejects(
      move(desk, await dashboardOf(there), runMoving),
      /broke off; what came in stays in, run it again; --page-by-page/,
    );
    const { by } = await move(desk, await dashboardOf(there, true), runMoving);
    assert.equal((by.developer?.added ?? 0) + (by.developer?.same ?? 0), 5);
    assert.ok(there.calls.some((one) => one.includes("p=3")));
  },
);

testOnEngines(
  "moving in together: of what several sources know one counts, and the report says which and why",
  async (desk) => {
    await using folder = await temporaryFolder();
    // The export is of yesterday: since then a request was approved, and a developer was renamed.
    const yesterday = makeExports(desk.org_id, 3);
    await writeExports(folder.path, yesterday);
    const today = makeExports(desk.org_id, 3);
    const requests = today.collections.portal_key_requests as { approved: boolean }[];
    const [, waiting] = requests;
    assert.ok(waiting);
    waiting.approved = true;
    const [person] = today.collections.portal_developers as { fields: object }[];
    assert.ok(person);
    person.fields = { Name: "Renamed" };
    const pem = made({ cn: "leaf" });
    await Deno.writeTextFile(`${folder.path}/leaf.pem`, pem);
    const der = Uint8Array.fromBase64(pem.replace(/-----[^-]+-----|\s/g, ""));
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", der)).toHex();
    await using there = startInterfaces(today, { certificates: [{ id: desk.org_id + digest }] });
    const sources = async () =>
      together([
        await gatewayOf(there),
        await dashboardOf(there),
        await openExportFiles(folder.path),
      ]);
    const { by } = await move(desk, await sources(), runMoving);
    const host = new URL(there.dashboard).host;
    assert.deepEqual(by.developer?.sources, { [folder.path]: 3, [host]: 0 });
    assert.deepEqual(by.developer?.passed_over, { [folder.path]: 0, [host]: 3 });
    assert.deepEqual(by.request?.passed_over, { [folder.path]: 6, [host]: 0 });
    assert.deepEqual(by.certificate?.added, 1);
    // Passwords came along, and what was decided today is decided.
    const signIn = await desk.send("POST", "/api/portal/developers/verify_credentials", {
      body: { username: "dev-0@example.org", password: "correct horse" },
    });
    assert.equal(signIn.status, 200);
    await signIn.body?.cancel();
    await assertFailure(
      await desk.send("PUT", `/api/portal/requests/approve/${ids.request(1)}`),
      "already_processed",
    );
    assert.deepEqual(await reported(desk), [
      `developer sources_differ ${folder.path} counts, not ${host}`,
      `request sources_differ ${host} counts, not ${folder.path}`,
    ]);
    const report = await reportOf(desk.app.ctx.storage.reader, desk.org_id);
    const pages: string[] = [];
    for await (const piece of reportAsHtml(report)) pages.push(piece);
    assert.match(pages.join(""), /files before dashboard, since the database has passwords/);
    assert.match(pages.join(""), /dashboard before files, since what was decided/);
  },
);

testOnEngines(
  "moving in together: an interface alone takes nothing away that files brought",
  async (desk) => {
    await using folder = await temporaryFolder();
    await writeExports(folder.path, makeExports(desk.org_id, 1));
    await move(desk, await openExportFiles(folder.path), runMoving);
    await using there = startInterfaces(makeExports(desk.org_id, 1));
    const { by } = await move(desk, await dashboardOf(there), runMoving);
    assert.equal(by.developer?.replaced, 1);
    const found = await desk.send("GET", "/api/portal/developers/ssokey/sso-of-the-first");
    assert.equal(found.status, 200, await found.text());
    const signIn = await desk.send("POST", "/api/portal/developers/verify_credentials", {
      body: { username: "dev-0@example.org", password: "correct horse" },
    });
    assert.equal(signIn.status, 200, await signIn.text());
  },
);

/** Reads every document of a source, without a desk. */
async function drained(source: Source): Promise<number> {
  let n = 0;
  try {
    for (const kind of source.kinds) {
      for await (const _ of source.documents(kind)) n++;
    }
  } finally {
    await source.close();
  }
  return n;
}

const ORG = "5e9d9544a1dcd60001d0ed20";

async function gatewayThat(odd: Oddities): Promise<number> {
  await using there = startInterfaces(makeExports(ORG, 3), odd);
  return await drained(await gatewayOf(there));
}

Deno.test("moving in by interfaces: a gateway that lists no keys, or forgets them, is told what to turn on", async () => {
  const said = (answer: Response, path = "/tyk/keys") =>
    gatewayThat({ instead: (asked) => asked === path ? answer.clone() : undefined });
  await assert.rejects(
    said(Response.json({ message: "disabled" }, { status: 404 })),
    /enable_hashed_keys_listing/,
  );
  await assert.rejects(said(Response.json({ keys: null })), /lists no key.*Redis is away/);
  // Every session is 404: it is not believed.
  await assert.rejects(
    gatewayThat({
      instead: (path) =>
        path.startsWith("/tyk/keys/") ? Response.json({}, { status: 404 }) : undefined,
    }),
    /does not find keys that it lists/,
  );
  // One is gone beside others that are found: it is.
  const gone = sha256(originalKey(ORG, 1));
  const n = await gatewayThat({
    instead: (path) => path.includes(gone) ? Response.json({}, { status: 404 }) : undefined,
  });
  // Two keys, and an OAuth client of another organisation.
  assert.equal(n, 3);
});

Deno.test("moving in by interfaces: a busy server is asked again, and not for ever", async () => {
  const met = new Map<string, number>();
  const n = await gatewayThat({
    instead: (path) => {
      const times = (met.get(path) ?? 0) + 1;
      met.set(path, times);
      return times % 3 === 0 ? undefined : new Response(null, { status: times === 1 ? 503 : 429 });
    },
  });
  assert.equal(n, 4);
  await assert.rejects(
    gatewayThat({ instead: () => new Response(null, { status: 503 }) }),
    /HTTP 503$/,
  );
});

Deno.test("moving in by interfaces: a wrong secret, a redirect and a plain way are refused without a word of the secret", async () => {
  await using there = startInterfaces(makeExports(ORG, 1), {
    instead: (path) => path === "/tyk/keys" ? Response.redirect("http://127.0.0.1:1/") : undefined,
  });
  const { gateway: url } = there;
  const secret = "a-wrong-secret";
  await assert.rejects(
    openGateway({ url, secret, allowPlain: false, ...PAUSE }).then(drained),
    (error: Error) =>
      /HTTP 403.*--gateway-secret-file/.test(error.message) &&
      !error.message.includes(secret),
  );
  await assert.rejects(gatewayOf(there).then(drained), /redirect, which is not followed/);
  const place = { secret, allowPlain: false };
  await assert.rejects(
    async () => await openGateway({ ...place, url: "http://gateway.example" }),
    /reached by https:\/\/ alone/,
  );
  await assert.rejects(
    async () => await openGateway({ ...place, url: "https://x:hunter2@gateway.example" }),
    (error: Error) =>
      /--gateway-secret-file/.test(error.message) &&
      !error.message.includes("hunter2"),
  );
});

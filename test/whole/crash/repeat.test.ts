/**
 * Servers that are killed between a commit and its answer: who asks again with the same key finds
 * it done once.
 */
import assert from "node:assert/strict";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { made } from "../../support/certificates.ts";
import { type Engine, engines } from "../../support/desk.ts";
import { shortOr } from "../../support/effort.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";
import { Random } from "../../support/random.ts";

const KILLS = shortOr(2, 4);
const SEED = Number(Deno.env.get("CRASH_SEED") ?? "20260101");
const CREDENTIAL = "administrator-of-the-repeated-calls";
const PLAN = "plan-of-all";
const DEVELOPER = "developer-of-all";

for (const engine of engines) {
  Deno.test({
    name: `${engine}: a call repeated after a kill is answered as the first, and done once`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: () => withFolder((dataDir) => killAndRepeat(engine, dataDir)),
  });
}

async function killAndRepeat(engine: Engine, dataDir: string): Promise<void> {
  const random = new Random(SEED);
  const options = { dataDir, environment: await environmentOf(engine) };
  // The administrator's own, and what all calls name.
  const expected = new Map(
    ["access_token.created", "plan.created", "developer.created"].map((action) => [action, 1]),
  );
  let unanswered = 0;
  let server = await startServerProcess(options);
  try {
    await sent(server, makePlan(PLAN));
    await sent(server, makeDeveloper(DEVELOPER));
    for (let kill = 0; kill < KILLS; kill++) {
      const before = await doneIn(server);
      const calls = callsOf(kill);
      for (const { action } of calls) expected.set(action, (expected.get(action) ?? 0) + 1);
      const first = await sentUntilKilled(server, calls, 1 + random.below(calls.length - 2));
      await server[Symbol.asyncDispose]();
      server = await startServerProcess(options);
      const answered = first.filter((answer) => answer !== undefined).length;
      unanswered += sum(await doneIn(server)) - sum(before) - answered;
      for (const [n, call] of calls.entries()) {
        const again = await sent(server, call);
        assert.equal(first[n] ?? again, again, `${call.method} ${call.path}`);
        assert.equal(await sent(server, call), again);
      }
    }
    const done = await doneIn(server);
    assert.deepEqual(done, new Map([...expected].sort()));
    console.log(`${engine}, seed ${SEED}: ${KILLS} kills, ${unanswered} calls done but unanswered`);
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

interface RepeatedCall {
  method: string;
  path: string;
  body: string;
  headers: Record<string, string>;
  /** What the audit log says of it. */
  action: string;
}

/** A call of each kind, several times, each with a key of its own. */
function callsOf(round: number): RepeatedCall[] {
  return Array.from({ length: 5 }, (_, n) => `${round}-${n}`).flatMap((name) => [
    asked("/api/portal/requests", name),
    asked("/v1/key-requests", name),
    makeDeveloper(name),
    makePlan(name),
    { ...call(`/v1/plans`, { name: `v1 ${name}` }, name), action: "plan.created" },
    certificate(name),
    {
      ...call(`/api/portal/developers/${DEVELOPER}/keys`, { apply_policies: [PLAN] }, name),
      action: "key.issued",
    },
    { ...call("/v1/people", { name, permissions: ["audit"] }, name), action: "person.created" },
  ]);
}

function call(path: string, body: unknown, name: string) {
  const headers = { "idempotency-key": `${path} ${name} as often as it takes` };
  return { method: "POST", path, body: JSON.stringify(body), headers };
}

function asked(path: string, name: string): RepeatedCall {
  const body = { by_user: DEVELOPER, for_plan: PLAN, fields: { name } };
  return { ...call(path, body, name), action: "key_request.created" };
}

function makeDeveloper(name: string): RepeatedCall {
  const body = { id: name, email: `${name}@example.org` };
  return { ...call("/api/portal/developers", body, name), action: "developer.created" };
}

function makePlan(name: string): RepeatedCall {
  return { ...call("/api/portal/policies", { id: name, name }, name), action: "plan.created" };
}

function certificate(name: string): RepeatedCall {
  const form = `--cut\r\nContent-Disposition: form-data; name="data"; filename="a.pem"\r\n\r\n` +
    `${made({ cn: name })}\r\n--cut--\r\n`;
  const made_ = call("/api/certs", null, name);
  const headers = { ...made_.headers, "content-type": "multipart/form-data; boundary=cut" };
  return { ...made_, body: form, headers, action: "certificate.added" };
}

/** The answers that came before the server was killed, which was when so many had come. */
async function sentUntilKilled(
  server: ServerProcess,
  calls: readonly RepeatedCall[],
  answers: number,
): Promise<(string | undefined)[]> {
  let left = answers;
  return await Promise.all(calls.map(async (one) => {
    try {
      const text = await sent(server, one);
      if (--left === 0) server.kill("SIGKILL");
      return text;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return undefined;
    }
  }));
}

async function sent(
  { url }: ServerProcess,
  { method, path, body, headers }: RepeatedCall,
): Promise<string> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: CREDENTIAL, ...headers },
    body,
  });
  const text = await response.text();
  assert.equal(response.status, 200, `${method} ${path}: ${text}`);
  // What was made is shown as it stands: of a request, its developer and their others.
  return path === "/v1/key-requests" ? JSON.parse(text).id : text;
}

/** How often each was done, by the audit log. */
async function doneIn({ url }: ServerProcess): Promise<Map<string, number>> {
  const headers = { authorization: CREDENTIAL };
  const text = await (await fetch(`${url}/v1/audit-log/export`, { headers })).text();
  const done = new Map<string, number>();
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const { action } = JSON.parse(line);
    // What this reader left behind itself.
    if (action === "audit_log.exported") continue;
    done.set(action, (done.get(action) ?? 0) + 1);
  }
  return new Map([...done].sort());
}

function sum(done: ReadonlyMap<string, number>): number {
  return [...done.values()].reduce((all, count) => all + count, 0);
}

async function environmentOf(engine: Engine): Promise<Record<string, string>> {
  if (engine === "sqlite") return { KEYDESK_ADMIN_TOKEN: CREDENTIAL };
  return {
    KEYDESK_ADMIN_TOKEN: CREDENTIAL,
    KEYDESK_DATABASE_URL: await createMigrated(),
    KEYDESK_SEALING_KEY: newSealingKey().trim(),
  };
}

/** Several processes on one port: KEYDESK_REUSE_PORT. */
import assert from "node:assert/strict";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { type Engine, engines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { PATIENT_POSTGRES } from "../../support/patient-postgres.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";
import { headOf, RawConnection } from "../../support/raw-http.ts";

const TOKEN = "administrator-of-the-shared-port-test";
const REQUESTS = "/api/portal/requests";
/** The chance that so many connections all reach the same of two processes is none. */
const MOST_CONNECTIONS = 200;
/** What was committed is heeded by each process within this time. */
const HEEDED_MS = 1000;

interface SharedPort {
  readonly first: ServerProcess;
  readonly second: ServerProcess;
  /** Starts another process on the same port, with further settings. */
  start(settings?: Record<string, string>): Promise<ServerProcess>;
}

/** Two processes on one store and one port, which the first of them takes. */
async function withSharedPort(
  engine: Engine,
  test: (shared: SharedPort) => Promise<void>,
  settings: Record<string, string> = {},
): Promise<void> {
  await withFolder(async (dataDir) => {
    const environment: Record<string, string> = {
      KEYDESK_ADMIN_TOKEN: TOKEN,
      KEYDESK_REUSE_PORT: "true",
      KEYDESK_PROCESSES: "2",
      ...settings,
    };
    if (engine === "postgres") {
      Object.assign(environment, PATIENT_POSTGRES);
      environment.KEYDESK_DATABASE_URL = await createMigrated();
      environment.KEYDESK_SEALING_KEY = newSealingKey().trim();
    }
    await using first = await startServerProcess({ dataDir, environment });
    environment.KEYDESK_PORT = String(first.port);
    const start = (further: Record<string, string> = {}) =>
      startServerProcess({ dataDir, environment: { ...environment, ...further } });
    await using second = await start();
    await test({ first, second, start });
  });
}

function onSharedPort(
  promise: string,
  test: (shared: SharedPort) => Promise<void>,
  options: { settings?: Record<string, string>; on?: readonly Engine[] } = {},
): void {
  for (const engine of options.on ?? engines) {
    Deno.test({
      name: `shared port: ${engine}: ${promise}`,
      // Linux alone shares connections out.
      ignore: Deno.build.os !== "linux",
      sanitizeOps: false,
      sanitizeResources: false,
      fn: () => withSharedPort(engine, test, options.settings),
    });
  }
}

interface Answered {
  status: number;
  /** True: the server closes the connection behind it. */
  isLast: boolean;
  // deno-lint-ignore no-explicit-any -- whatever the server under test sends
  body: any;
}

/** One kept connection, and the process at its other end. */
class Kept implements Disposable {
  private constructor(private readonly raw: RawConnection, readonly pid: number) {}

  /** Connects to whichever process the system chooses; undefined where that one ended meanwhile. */
  static async open(server: ServerProcess): Promise<Kept | undefined> {
    const raw = await RawConnection.open(server);
    const told = await answerOf(raw, "GET", "/v1/server");
    if (told?.status === 200 && !told.isLast) return new Kept(raw, told.body.pid);
    raw.close();
    return undefined;
  }

  /** Undefined: the connection broke without an answer. */
  ask(method: string, path: string, body?: unknown): Promise<Answered | undefined> {
    return answerOf(this.raw, method, path, body);
  }

  [Symbol.dispose](): void {
    this.raw.close();
  }
}

async function answerOf(
  raw: RawConnection,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answered | undefined> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const length = `Content-Length: ${new TextEncoder().encode(text).length}`;
  await raw.send(headOf(TOKEN, method, path, length) + text);
  const answer = await raw.answer();
  return answer && {
    status: answer.status,
    isLast: answer.headers.get("connection") === "close",
    body: JSON.parse(answer.body),
  };
}

/** As many connections to each of these processes, however the system deals them out. */
async function connectionsTo(
  servers: readonly ServerProcess[],
  each: number,
): Promise<Map<number, Kept[]>> {
  const found = new Map<number, Kept[]>(servers.map(({ pid }) => [pid, []]));
  for (let opened = 0; [...found.values()].some(({ length }) => length < each); opened++) {
    assert.ok(opened < MOST_CONNECTIONS, "each process gets connections");
    const [one] = servers;
    const kept = one && await Kept.open(one);
    const own = kept && found.get(kept.pid);
    if (own && own.length < each) own.push(kept);
    else kept?.[Symbol.dispose]();
  }
  return found;
}

async function pairOf({ first, second }: SharedPort): Promise<[Kept, Kept]> {
  const found = await connectionsTo([first, second], 1);
  const [one, other] = [found.get(first.pid)?.[0], found.get(second.pid)?.[0]];
  assert.ok(one && other);
  return [one, other];
}

async function succeed(kept: Kept, method: string, path: string, body?: unknown) {
  const answer = await kept.ask(method, path, body);
  assert.equal(answer?.status, 200, JSON.stringify(answer?.body));
  return answer.body;
}

async function issuedKey(kept: Kept, plan: Record<string, unknown>): Promise<string> {
  const { Message: for_plan } = await succeed(kept, "POST", "/api/portal/policies", plan);
  const { Message: id } = await succeed(kept, "POST", REQUESTS, { by_user: "ada", for_plan });
  return (await succeed(kept, "PUT", `${REQUESTS}/approve/${id}`)).RawKey;
}

async function verdict(kept: Kept, key: string) {
  while (true) {
    const answer = await kept.ask("POST", "/v1/keys/verify", { key });
    // On a busy machine: the last look at what has changed is too old.
    if (answer?.status === 503) continue;
    assert.equal(answer?.status, 200, JSON.stringify(answer?.body));
    return answer.body;
  }
}

onSharedPort("each process gives the same answers, and one alone decides", async (shared) => {
  const [one, other] = await pairOf(shared);
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) {
    const body = { by_user: `dev-${n % 3}`, for_plan: "plan" };
    ids.push((await succeed(n % 2 ? one : other, "POST", REQUESTS, body)).Message);
  }
  const outcomes = await Promise.all([one, other].map(async (kept) => {
    const seen: (number | undefined)[] = [];
    for (const id of ids) seen.push((await kept.ask("PUT", `${REQUESTS}/approve/${id}`))?.status);
    return seen;
  }));
  for (let n = 0; n < ids.length; n++) {
    assert.deepEqual([outcomes[0]?.[n], outcomes[1]?.[n]].sort(), [200, 400]);
  }
  for (const path of [...ids.map((id) => `${REQUESTS}/${id}`), `${REQUESTS}?p=1`, REQUESTS]) {
    await eventually(`the same ${path}`, async () => {
      const answers = [await succeed(one, "GET", path), await succeed(other, "GET", path)];
      return JSON.stringify(answers[0]) === JSON.stringify(answers[1]);
    });
  }
});

onSharedPort("each process heeds within a second what was revoked by the other", async (shared) => {
  const pair = await pairOf(shared);
  const waits: number[] = [];
  for (const revoking of [...pair, ...pair]) {
    const key = await issuedKey(revoking, { name: `plan-${crypto.randomUUID()}` });
    const [{ key_id }] = await Promise.all(pair.map((kept) => verdict(kept, key)));
    await succeed(revoking, "POST", `/v1/keys/${key_id}/revoke`, { reason: "found" });
    const revokedAt = performance.now();
    await Promise.all(pair.map(async (asked) => {
      while (true) {
        const began = performance.now();
        const { valid, reason } = await verdict(asked, key);
        if (!valid) {
          assert.equal(reason, "revoked");
          return void waits.push(performance.now() - revokedAt);
        }
        // However slow the machine is: what can't be promised is not answered at all.
        assert.ok(began - revokedAt <= HEEDED_MS, "still valid after a second");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }));
  }
  console.log(`revocations were heeded after ms ${waits.map(Math.round)}`);
});

onSharedPort("one that is killed under load fails no call of the other", async (shared) => {
  const { first, second, start } = shared;
  const connections = await connectionsTo([first, second], 6);
  const answered = new Map([[first.pid, 0], [second.pid, 0]]);
  const broken: number[] = [];
  let isOver = false;
  const call = async (kept: Kept, n: number) => {
    while (!isOver) {
      const answer = n % 2
        ? await kept.ask("POST", REQUESTS, { by_user: "ada", for_plan: "plan" })
        : await kept.ask("GET", `${REQUESTS}?p=1`);
      if (answer === undefined) return void broken.push(kept.pid);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      answered.set(kept.pid, (answered.get(kept.pid) ?? 0) + 1);
    }
  };
  const callers = Promise.all([...connections.values()].flat().map(call));
  const answers = (pid: number) => answered.get(pid) ?? 0;
  await eventually("both serve", () => answers(first.pid) > 50 && answers(second.pid) > 50);
  first.kill("SIGKILL");
  await first.ended;
  const before = answers(second.pid);
  // Nobody is sent to the one that is gone.
  for (let n = 0; n < 40; n++) {
    using kept = await Kept.open(second);
    assert.equal(kept?.pid, second.pid);
  }
  await eventually("the other serves on", () => answers(second.pid) > before + 100);
  isOver = true;
  await callers;
  assert.deepEqual(broken, Array(6).fill(first.pid), "the killed one's connections alone");
  // Once it is back it gets its share of new connections.
  await using third = await start();
  await connectionsTo([second, third], 3);
});

/** Nobody waits for the end of such a drain. */
const LONG_MS = "600000";

onSharedPort(
  "one that is stopped lets go of kept connections first, and /readyz stays as it is",
  async ({ first, second }) => {
    const pids: number[] = [];
    /**
     * Calls again and again, on a new connection where an answer was the last; until the other
     * process has it.
     */
    const call = async () => {
      for (let opened = 0; opened < MOST_CONNECTIONS; opened++) {
        const raw = await RawConnection.open(second);
        try {
          while (true) {
            const ready = await answerOf(raw, "GET", "/readyz");
            assert.equal(
              ready?.status,
              200,
              "no call fails, and each process says that it is ready",
            );
            if (ready.isLast) break;
            const told = await answerOf(raw, "GET", "/v1/server");
            assert.equal(told?.status, 200);
            if (told.body.pid === second.pid && isDraining()) return void pids.push(told.body.pid);
            if (told.isLast) break;
          }
        } finally {
          raw.close();
        }
      }
    };
    const isDraining = () => first.output().includes('"msg":"draining"');
    const callers = Promise.all(Array.from({ length: 8 }, call));
    first.kill("SIGTERM");
    await callers;
    assert.equal(pids.length, 8);
    assert.doesNotMatch(first.output(), /"stopping"/);
    // A second signal ends the drain, half a second after the first or later.
    const hurrying = setInterval(() => first.kill("SIGTERM"), 100);
    await first.ended.finally(() => clearInterval(hurrying));
    assert.equal((await first.ended).code, 0);
    using kept = await Kept.open(second);
    assert.equal(kept?.pid, second.pid);
  },
  { settings: { KEYDESK_DRAIN_MS: LONG_MS }, on: ["sqlite"] },
);

onSharedPort("each lets through its part of a rate", async (shared) => {
  const [one, other] = await pairOf(shared);
  // Nothing comes back within the test.
  const key = await issuedKey(one, { name: "slow", rate: 8, per: 86_400 });
  for (const kept of [one, other]) {
    const seen = [];
    for (let n = 0; n < 6; n++) {
      const { valid, rate, reason } = await verdict(kept, key);
      seen.push(valid ? rate.remaining : reason);
      if (valid) assert.equal(rate.limit, 8);
    }
    assert.deepEqual(seen, [3, 2, 1, 0, "over_rate", "over_rate"]);
  }
  assert.equal((await succeed(one, "GET", "/v1/server")).settings.processes, 2);
}, { on: ["sqlite"] });

onSharedPort(
  "who does not share the port is told so, whichever comes first",
  async ({ start }) => {
    const taken = (reason: string) =>
      new RegExp(`ended with 1: keydesk: can't listen .*: ${reason}`);
    await assert.rejects(
      () => start({ KEYDESK_REUSE_PORT: "false" }),
      taken("the address is in use\\n"),
    );
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    try {
      await assert.rejects(
        () => start({ KEYDESK_PORT: String(listener.addr.port) }),
        taken("the address is in use by a process that does not share it: one without KEYDESK_R"),
      );
    } finally {
      listener.close();
    }
  },
  { on: ["sqlite"] },
);

/**
 * What verification answers while PostgreSQL says nothing, and closes nothing either: as behind a
 * firewall that drops.
 */
import assert from "node:assert/strict";
import pg from "pg";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { assertFailure } from "../../support/answers.ts";
import { type CutProxy, cutProxy } from "../../support/cut-proxy.ts";
import { openTestDesk, type TestDesk } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { create, pathOf, REQUESTS, smallRequest } from "../../support/key-requests.ts";
import { issue } from "../../support/keys.ts";
import { createMigrated } from "../../support/migrated-stores.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres.ts";
import { bySession, signIn } from "../../support/sign-in.ts";
import { ask, issueKnown, planWith } from "../../support/verification.ts";

const MAX_STALE_MS = 500;
const POOL = 8;
/**
 * Every other limit: whatever is answered long before it was answered for the sake of the one
 * above.
 */
const OTHERS_MS = 60_000;
/** Between the two, far from both. */
const PROMPT_MS = 40_000;

/**
 * Gives what the promise gives. Throws where that takes so long that another limit may have ended
 * the wait.
 */
async function promptly<T>(what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what}: no answer`)), PROMPT_MS);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

interface Silenced {
  desk: TestDesk;
  proxy: CutProxy;
  /** The server's own URL, past the proxy. */
  url: string;
  /** What was looked up so far is known no longer: an access token is trusted for a second. */
  later(): void;
}

function onSilence(
  promise: string,
  stale: "refuse" | "allow",
  test: (silenced: Silenced) => Promise<void>,
): void {
  Deno.test({
    name: `postgres: silent, ${stale}: ${promise}`,
    // The shared PostgreSQL outlives the single test.
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const url = await createMigrated();
      await using proxy = cutProxy(url);
      let ahead = 0;
      await using desk = await openTestDesk("postgres", {
        environment: limitsOf(proxy.through(url), stale),
        clock: { now: () => Date.now() + ahead },
      });
      await test({ desk, proxy, url, later: () => void (ahead += 2000) });
    },
  });
}

function limitsOf(url: string, stale: string): Record<string, string> {
  return {
    KEYDESK_DATABASE_URL: url,
    KEYDESK_SEALING_KEY: newSealingKey().trim(),
    KEYDESK_VERIFY_MAX_STALE_MS: String(MAX_STALE_MS),
    KEYDESK_VERIFY_STALE: stale,
    KEYDESK_DATABASE_POOL: String(POOL),
    KEYDESK_DATABASE_CONNECT_MS: String(OTHERS_MS),
    KEYDESK_DATABASE_STATEMENT_MS: String(OTHERS_MS),
    KEYDESK_DATABASE_LOCK_MS: String(OTHERS_MS),
    KEYDESK_DATABASE_IDLE_MS: String(OTHERS_MS),
    KEYDESK_DATABASE_PATIENCE_MS: String(OTHERS_MS),
  };
}

/** Asks by `GET /v1/forward-auth`. */
function forward(desk: TestDesk, key: string, credential: string): Promise<Response> {
  return desk.send("GET", "/v1/forward-auth", {
    headers: { "x-keydesk-authorization": credential, authorization: key },
  });
}

async function assertAway(what: string, asked: Promise<Response>): Promise<void> {
  const response = await promptly(what, asked);
  assert.equal(response.status, 503, what);
  await assertFailure(response, "unavailable");
}

/** Waits until a question is answered with a verdict again. */
async function assertGoesOn(what: string, asks: () => Promise<Response>): Promise<void> {
  const answers = async () => {
    const response = await asks();
    await response.body?.cancel();
    assert.ok(response.status === 200 || response.status === 503, `${response.status}`);
    return response.status === 200;
  };
  await promptly(what, eventually(what, answers));
}

/**
 * What a question is answered while the store is there. On a busy machine the first looks at it may
 * take longer than a look may be old, and are refused until one does not.
 */
async function firstVerdict(asks: () => Promise<Response>): Promise<Response> {
  let response = await asks();
  await eventually("a first verdict", async () => {
    if (response.status !== 503) return true;
    await response.body?.cancel();
    response = await asks();
    return false;
  });
  assert.equal(response.status, 200);
  return response;
}

/** Connections of nodes to this database. */
async function connections(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      "select 1 from pg_stat_activity where datname = current_database() and application_name like 'keydesk%'",
    );
    return rows.length;
  } finally {
    await client.end();
  }
}

onSilence(
  "the first question is 503 while the silence lasts, the hundredth and 200 at once too, and then verdicts go on",
  "refuse",
  async ({ desk, proxy, url, later }) => {
    const { RawKey: key } = await issueKnown(desk);
    const gateway = await desk.token(["verify"]);
    await firstVerdict(() => ask(desk, { key }, gateway));
    later();
    proxy.silence();
    const asks = () => ask(desk, { key }, gateway);
    await assertAway("the first question", asks());
    for (let n = 0; n < 2; n++) {
      await Promise.all(Array.from({ length: 49 }, () => assertAway("one of 49", asks())));
    }
    await assertAway("the hundredth question", asks());
    await Promise.all(Array.from({ length: 200 }, (_, n) =>
      assertAway(
        "one of 200 at once",
        n % 2 === 0 ? forward(desk, key, gateway) : ask(desk, { key: `unknown-${n}` }, gateway),
      )));
    proxy.restore();
    await assertGoesOn("after the silence", asks);
    // Every connection of the pool can be lent, and no other is left over.
    const lists = await Promise.all(
      Array.from({ length: 4 * POOL }, () => desk.send("GET", `${REQUESTS}?p=1`)),
    );
    for (const list of lists) assert.equal(list.status, 200, await list.text());
    await eventually("no connection is left over", async () => await connections(url) <= POOL);
  },
);

onSilence(
  "whoever asks and whatever about, the first question is 503",
  "refuse",
  async ({ desk, proxy, later }) => {
    const { RawKey: key } = await issueKnown(desk);
    const cold = await issue(desk, ["plan-weather"], "dev-cold");
    const plan = await planWith(desk, { quota_max: 10, quota_renewal_rate: 3600 });
    const { RawKey: counted } = await issue(desk, [plan]);
    await firstVerdict(() => ask(desk, { key }));
    await firstVerdict(() => ask(desk, { key: counted }));
    const [known = "", ...fresh] = await Promise.all(
      Array.from({ length: 4 }, () => desk.token(["verify"])),
    );
    const browser = await signIn(desk, { credential: desk.admin });
    const ways: Record<string, () => Promise<Response>> = {
      "a known access token": () => ask(desk, { key }, known),
      "an access token's first call": () => ask(desk, { key }, fresh[0]),
      "an unknown access token": () => ask(desk, { key }, "nobody's-access-token"),
      "a session": () => bySession(desk, browser, "POST", "/v1/keys/verify", { key }),
      "forward-auth": () => forward(desk, key, known),
      "forward-auth, first call": () => forward(desk, key, fresh[1] ?? ""),
      "forward-auth, unknown": () => forward(desk, key, "nobody's-access-token"),
      "a key not in memory": () => ask(desk, { key: cold.RawKey }, known),
      "a key that nobody knows": () => ask(desk, { key: "nobody's-key" }, known),
      "a key with a quota": () => ask(desk, { key: counted }, known),
    };
    for (const [what, asks] of Object.entries(ways)) {
      await assertGoesOn(`before: ${what}`, () => ask(desk, { key }, known));
      later();
      proxy.silence();
      await assertAway(what, asks());
      proxy.restore();
    }
  },
);

onSilence(
  "known keys open at once, what the store must tell is 503, and a quota gives no use to those who got none",
  "allow",
  async ({ desk, proxy, later }) => {
    const { RawKey: key } = await issueKnown(desk);
    const most = 10;
    const plan = await planWith(desk, { quota_max: most, quota_renewal_rate: 3600 });
    const { RawKey: counted } = await issue(desk, [plan]);
    const gateway = await desk.token(["verify"]);
    const fresh = await desk.token(["verify"]);
    for (const one of [key, counted]) {
      const answer = await firstVerdict(() => ask(desk, { key: one }, gateway));
      assert.equal((await answer.json()).valid, true);
    }
    later();
    proxy.silence();
    const answer = await promptly("a known key", ask(desk, { key }, gateway));
    assert.equal((await answer.json()).valid, true);
    const again = await promptly("by forward-auth", forward(desk, key, gateway));
    assert.equal(again.status, 200);
    await assertAway("a key that nobody knows", ask(desk, { key: "nobody's-key" }, gateway));
    await assertAway("an access token's first call", ask(desk, { key }, fresh));
    await Promise.all(
      Array.from({ length: 5 }, () => assertAway("a quota", ask(desk, { key: counted }, gateway))),
    );
    proxy.restore();
    await assertGoesOn("a quota after the silence", () => ask(desk, { key: counted }, gateway));
    const taken = [];
    for (let n = 0; n < most; n++) {
      const { valid } = await (await ask(desk, { key: counted }, gateway)).json();
      taken.push(valid);
    }
    // One before the silence, one after it, and what is left now.
    assert.deepEqual(taken, Array.from({ length: most }, (_, n) => n < most - 2));
  },
);

onSilence(
  "an approval waits on while verification is answered, and is done once the silence is over",
  "refuse",
  async ({ desk, proxy, later }) => {
    const { RawKey: key } = await issueKnown(desk);
    await firstVerdict(() => ask(desk, { key }));
    const id = await create(desk, smallRequest());
    // The administrator is known for a second from here.
    assert.equal((await desk.send("GET", pathOf(id))).status, 200);
    proxy.silence();
    let ended = false;
    const approving = desk.send("PUT", `${REQUESTS}/approve/${id}`).finally(() => ended = true);
    later();
    for (let n = 0; n < 3; n++) {
      await assertAway("meanwhile", ask(desk, { key: "nobody's-key" }));
    }
    assert.equal(ended, false);
    proxy.restore();
    const approved = await approving;
    assert.equal(approved.status, 200, await approved.text());
  },
);

Deno.test({
  name: "postgres: stopped in the middle of everything, verification is 503, and goes on with it",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using server = await startPostgres();
    await using desk = await openTestDesk("postgres", {
      environment: limitsOf(await server.createDatabase(), "refuse"),
    });
    const { RawKey: key } = await issueKnown(desk);
    const gateway = await desk.token(["verify"]);
    await firstVerdict(() => ask(desk, { key }));
    const processes = await processesOf(server);
    try {
      for (const pid of processes) Deno.kill(pid, "SIGSTOP");
      await assertAway("the first question", ask(desk, { key }, gateway));
    } finally {
      for (const pid of processes) Deno.kill(pid, "SIGCONT");
    }
    await assertGoesOn("after it went on", () => ask(desk, { key }, gateway));
  },
});

/** The process that lets clients in, and those that serve them. */
async function processesOf({ url, folder }: PostgresServer): Promise<number[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where application_name like 'keydesk%'",
  ).finally(() => client.end());
  const [postmaster] = (await Deno.readTextFile(`${folder}/data/postmaster.pid`)).split("\n");
  return [Number(postmaster), ...rows.map(({ pid }) => pid)];
}

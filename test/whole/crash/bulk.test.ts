/**
 * A server that is killed amid a job over certificates or developers, and amid what takes it back:
 * each row has its turn once, the audit log tells of each once, and none is lost.
 */
import assert from "node:assert/strict";
import type { StoreSession } from "../../../src/storage/engines/store-session.ts";
import { openSession } from "../../../src/storage/open-session.ts";
import { statement } from "../../../src/storage/statement.ts";
import { sql } from "kysely";
import { made } from "../../support/certificates.ts";
import { effort } from "../../support/effort.ts";
import { eventually } from "../../support/eventually.ts";
import { type ServerProcess, startServerProcess } from "../../support/processes.ts";
import { testOnStores, type UnopenedStore } from "../../support/unopened-stores.ts";

const ROWS = 120 * effort;
const KILLS = 2 * effort;

/** A server over a store, which is killed and started again. */
class Killed implements AsyncDisposable {
  #server: ServerProcess | undefined;
  /** Outlives the servers. */
  #session: Promise<StoreSession> | undefined;
  constructor(readonly store: UnopenedStore) {}

  async start(): Promise<void> {
    const dataDir = this.store.settings.KEYDESK_DATA_DIR ?? "";
    this.#server = await startServerProcess({ dataDir, environment: { ...this.store.settings } });
  }

  get server(): ServerProcess {
    assert.ok(this.#server);
    return this.#server;
  }

  // deno-lint-ignore no-explicit-any -- bodies of several forms
  async sent(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await this.server.send(method, path, body === undefined ? {} : { body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  }

  /** How many rows there are; the store is asked as it is. */
  async count(from: string): Promise<number> {
    const session = await (this.#session ??= openSession(this.store.location));
    const counted = statement<Record<never, never>>()<{ n: number }>((db) => ({
      compile: () => sql<{ n: number }>`select count(*) as n from ${sql.raw(from)}`.compile(db),
    }));
    return Number((await session.rows(counted, {}))[0]?.n);
  }

  async #change(text: string): Promise<void> {
    await (await (this.#session ??= openSession(this.store.location))).exec(text);
  }

  /** Does a job to its end, however often its server is killed; gives it. */
  async work(body: object) {
    const { id } = await this.sent("POST", "/v1/jobs", body);
    const decided = `job_rows where job_id = '${id}' and outcome <> ''`;
    const ended = `jobs where id = '${id}' and ended_at is not null`;
    let kills = 0;
    for (let seen = 0; kills < KILLS && seen < ROWS; kills++) {
      await eventually("more is decided", async () => await this.count(decided) > seen);
      this.server.kill("SIGKILL");
      await this.server.ended;
      await this.#server?.[Symbol.asyncDispose]();
      seen = await this.count(decided);
      // The dead node's right, as it is when its time is over.
      await this.#change("update job_lease set until = '2020-01-01T00:00:00.000Z'");
      await this.start();
    }
    assert.ok(kills > 0);
    await eventually("the job has ended", async () => await this.count(ended) === 1);
    const { state, total, done, left_alone, failed } = await this.sent("GET", `/v1/jobs/${id}`);
    assert.deepEqual([state, total, done, left_alone, failed], ["done", ROWS, ROWS, 0, 0]);
    return id as string;
  }

  /** Each of these deeds stands in the audit log once for each of so many. */
  async assertTold(action: string, times = ROWS): Promise<void> {
    const told = `audit_events where action = '${action}'`;
    assert.equal(await this.count(told), times, action);
    const each = `(select distinct object_id from ${told}) as each_one`;
    assert.equal(await this.count(each), times, action);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#session)?.close();
    await this.#server?.[Symbol.asyncDispose]();
  }
}

testOnStores("bulk: developers whose server is killed follow once, their keys with them", async (
  store,
) => {
  await using desk = new Killed(store);
  await desk.start();
  await desk.sent("POST", "/v1/plans", { id: "p", name: "p" });
  const ids = Array.from({ length: ROWS }, (_, n) => `d${n}`);
  // A few at once: a cold server on a busy machine has no room for all of them.
  while (ids.length > 0) {
    await Promise.all(
      ids.splice(0, 8).map(async (id) => {
        await desk.sent("POST", "/v1/developers", { id, email: `${id}@example.org` });
        await desk.sent("POST", `/v1/developers/${id}/keys`, { plans: ["p"] });
      }),
    );
  }
  const of_job = await desk.work({ kind: "deactivate_developers", filter: {}, keys: "suspend" });
  assert.equal(await desk.count("developers where inactive = 1"), ROWS);
  assert.equal(await desk.count("credentials where state = 'suspended'"), ROWS);
  await desk.assertTold("developer.deactivated");
  await desk.assertTold("credential.suspended");
  await desk.work({ kind: "undo", of_job });
  assert.equal(await desk.count("developers where inactive = 0"), ROWS);
  assert.equal(await desk.count("credentials where state = 'active'"), ROWS);
  await desk.assertTold("developer.reactivated");
  await desk.assertTold("credential.resumed");
  const tagged = await desk.work({ kind: "tag_developers", filter: {}, tags: ["course"] });
  assert.equal(await desk.count("developer_tags"), ROWS);
  await desk.assertTold("developer.tags_changed");
  await desk.work({ kind: "undo", of_job: tagged });
  assert.equal(await desk.count("developer_tags"), 0);
  assert.equal(await desk.count("developers where tags is not null"), 0);
});

testOnStores("bulk: certificates whose server is killed have one owner and one mute", async (
  store,
) => {
  await using desk = new Killed(store);
  await desk.start();
  const { url, credential: authorization } = desk.server;
  for (let n = 0; n < ROWS; n++) {
    const body = made({ cn: `made-${n}` });
    const answer = await fetch(`${url}/api/certs`, {
      method: "POST",
      headers: { authorization, "content-type": "application/x-pem-file" },
      body,
    });
    assert.equal(answer.status, 200, await answer.text());
  }
  // By whole seconds: what was added in this one is none of the moment's.
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const owner = "lena@example.org";
  const of_job = await desk.work({ kind: "set_certificate_owner", filter: {}, owner });
  assert.equal(await desk.count(`certificates where owner = '${owner}'`), ROWS);
  await desk.assertTold("certificate.updated");
  await desk.work({ kind: "undo", of_job });
  assert.equal(await desk.count("certificates where owner is null"), ROWS);
  const until = new Date(Date.now() + 86_400_000 * 30).toISOString();
  const muted = { kind: "mute_certificates", filter: {}, until, reason: "They are replaced." };
  const mutes = await desk.work(muted);
  await desk.assertTold("certificate.alerts_muted");
  await desk.work({ kind: "undo", of_job: mutes });
  await desk.assertTold("certificate.alerts_unmuted");
});

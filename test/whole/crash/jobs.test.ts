/**
 * A server that is killed amid a job goes on with it: each key request is approved once, and has
 * one one-time link; each key is changed once, and the audit log tells of it once.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { effort } from "../../support/effort.ts";
import { eventually } from "../../support/eventually.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";

const REQUESTS = 120 * effort;
const KEYS = 300 * effort;
const KILLS = 2 * effort;

/** What of a job is small: its call does all of it, as long as its server lives. */
const SMALL = 100;

Deno.test("jobs: a server that is killed amid one goes on, and decides each once", async () => {
  await killedAmidApprovals(REQUESTS);
});

Deno.test("jobs: a small one is gone on with whose server is killed amid its call", async () => {
  await killedAmidApprovals(SMALL);
});

async function killedAmidApprovals(requests: number): Promise<void> {
  await withFolder(async (dataDir) => {
    const file = join(dataDir, "keydesk.db");
    let server: ServerProcess = await startServerProcess({ dataDir });
    try {
      const sent = async (method: string, path: string, body?: unknown) => {
        const answer = await server.send(method, path, body === undefined ? {} : { body });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return answer.body;
      };
      await sent("POST", "/v1/plans", { id: "p", name: "p" });
      const developers = Array.from({ length: requests }, (_, n) => `d${n}`);
      await Promise.all(
        developers.map((id) => sent("POST", "/v1/developers", { id, email: `${id}@example.org` })),
      );
      const asked: { id: string; revision: string }[] = await Promise.all(Array.from(
        { length: requests },
        (_, n) => sent("POST", "/v1/key-requests", { by_user: `d${n}`, for_plan: "p" }),
      ));
      const seen = asked.map(({ id, revision }) => ({ id, revision }));
      const what = requests > SMALL ? { filter: {} } : { seen };
      // Its answer never comes where the server is killed before.
      const started = sent("POST", "/v1/jobs", { kind: "approve", ...what }).catch(() => {});
      server = await killedAmid(server, { file, dataDir, rows: requests });
      await started;
      const { data: [job] } = await sent("GET", "/v1/jobs");
      assert.deepEqual(
        [job.state, job.total, job.done, job.left_alone, job.failed],
        ["done", requests, requests, 0, 0],
      );
      assert.equal(count(file, "claims"), requests);
      assert.equal(count(file, "credentials"), requests);
      assert.equal(count(file, "job_links"), requests);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });
}

Deno.test("jobs: keys that a killed server suspended are suspended once, and none is lost", async () => {
  await withFolder(async (dataDir) => {
    const file = join(dataDir, "keydesk.db");
    let server: ServerProcess = await startServerProcess({ dataDir });
    try {
      const sent = async (method: string, path: string, body?: unknown) => {
        const answer = await server.send(method, path, body === undefined ? {} : { body });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return answer.body;
      };
      await sent("POST", "/v1/plans", { id: "p", name: "p" });
      // Several of one developer, so that their turns meet on its row.
      for (let n = 0; n < 10; n++) {
        await sent("POST", "/v1/developers", { id: `d${n}`, email: `d${n}@example.org` });
      }
      await Promise.all(Array.from(
        { length: KEYS },
        (_, n) => sent("POST", `/v1/developers/d${n % 10}/keys`, { plans: ["p"] }),
      ));
      const body = { kind: "suspend_keys", filter: {}, reason: "The course is over" };
      const { id } = await sent("POST", "/v1/jobs", body);
      server = await killedAmid(server, { file, dataDir, rows: KEYS });
      const job = await sent("GET", `/v1/jobs/${id}`);
      assert.deepEqual(
        [job.state, job.total, job.done, job.left_alone, job.failed],
        ["done", KEYS, KEYS, 0, 0],
      );
      assert.equal(count(file, "credentials where state = 'suspended'"), KEYS);
      assert.equal(count(file, "job_rows where outcome = 'done' and was is not null"), KEYS);
      const told = "audit_events where action = 'credential.suspended'";
      assert.equal(count(file, told), KEYS);
      assert.equal(count(file, `(select distinct object_id from ${told})`), KEYS);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });
});

/** Kills the server some times amid a job, until that has ended; gives the one that then serves. */
async function killedAmid(
  server: ServerProcess,
  { file, dataDir, rows }: { file: string; dataDir: string; rows: number },
): Promise<ServerProcess> {
  let serving = server;
  for (let kills = 0, seen = 0; kills < KILLS && seen < rows; kills++) {
    await eventually("more is decided", () => count(file, "job_rows where outcome <> ''") > seen);
    await end(serving, "SIGKILL");
    seen = count(file, "job_rows where outcome <> ''");
    // The dead node's right, as it is when its time is over.
    change(file, "update job_lease set until = '2020-01-01T00:00:00.000Z'");
    serving = await startServerProcess({ dataDir });
  }
  await eventually("the job has ended", () => count(file, "jobs where ended_at is not null") === 1);
  return serving;
}

async function end(server: ServerProcess, signal: Deno.Signal): Promise<void> {
  server.kill(signal);
  await server.ended;
  await server[Symbol.asyncDispose]();
}

function count(file: string, from: string): number {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(db.prepare(`select count(*) as n from ${from}`).get()?.n);
  } finally {
    db.close();
  }
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

/** Several servers in the URL: the one that takes writes is found, and found again. */
import assert from "node:assert/strict";
import pg from "pg";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import { watchCommits, witnessedCommits } from "../../support/commit-witness.ts";
import { openTestDesk, type TestDesk } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { create, pathOf, REQUESTS, smallRequest } from "../../support/key-requests.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres.ts";

const PASSWORD = "the-same-on-every-server";

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

/**
 * A server of its own with the common password; as a standby it takes no writes until it is
 * promoted.
 */
async function startServer(role: "primary" | "standby"): Promise<PostgresServer> {
  const server = await startPostgres();
  await query(server.url, `alter role postgres password '${PASSWORD}'`);
  if (role === "standby") {
    await server.kill("SIGINT");
    await Deno.writeTextFile(`${server.folder}/data/standby.signal`, "");
    await server.restart();
  }
  return server;
}

const portOf = (server: PostgresServer) => new URL(server.url).port;
const urlOf = (...ports: (string | number)[]) =>
  `postgres://postgres:${PASSWORD}@${ports.map((port) => `127.0.0.1:${port}`).join(",")}/postgres`;

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

const openDesk = (url: string) =>
  openTestDesk("sqlite", {
    environment: {
      KEYDESK_DATABASE_URL: url,
      KEYDESK_SEALING_KEY: newSealingKey().trim(),
    },
  });

const isReady = async (desk: TestDesk) => (await desk.send("GET", "/readyz")).status === 200;

Deno.test({
  name: "postgres: of a standby, a server that is down and the primary, the primary is used",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using standby = await startServer("standby");
    await using primary = await startServer("primary");
    const url = urlOf(portOf(standby), freePort(), portOf(primary));
    await using desk = await openDesk(url);
    const id = await create(desk, smallRequest());

    // Another server takes over: without the data of the first it is no real fail-over, but it is
    // found.
    await query(url.replace(/@.*\//, `@127.0.0.1:${portOf(standby)}/`), "select pg_promote()");
    assert.equal((await desk.send("GET", pathOf(id))).status, 200, "the chosen one is kept");

    await primary.kill("SIGKILL");
    const answer = await desk.send("POST", REQUESTS, { body: smallRequest() });
    // Found, and told apart from the one that was opened: there are no tables on it.
    assert.equal(answer.status, 503);
    assert.deepEqual(desk.app.ctx.problems.current().map(({ name }) => name), ["store_lost"]);
  },
});

Deno.test({
  name: "postgres: a server that turns read-only is left for the one that takes writes",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using server = await startServer("primary");
    await using desk = await openDesk(urlOf(portOf(server)));
    await create(desk, smallRequest());
    await query(
      server.url.replace(/:[^:]*@/, `:${PASSWORD}@`),
      "alter system set default_transaction_read_only = on",
    );
    await query(server.url.replace(/:[^:]*@/, `:${PASSWORD}@`), "select pg_reload_conf()");
    await eventually("changes are refused with 503", async () => {
      const answer = await desk.send("POST", REQUESTS, { body: smallRequest() });
      await answer.body?.cancel();
      if (answer.status === 503) assert.ok(answer.headers.get("retry-after"));
      else assert.equal(answer.status, 200);
      return answer.status === 503;
    });
    assert.equal(await isReady(desk), false);
    const admin = `${
      server.url.replace(/:[^:]*@/, `:${PASSWORD}@`)
    }?options=-c%20default_transaction_read_only=off`;
    await query(admin, "alter system reset default_transaction_read_only");
    await query(admin, "select pg_reload_conf()");
    await eventually("the desk is ready again", () => isReady(desk));
    await create(desk, smallRequest());
  },
});

Deno.test({
  name:
    "postgres: all servers down is 503 with Retry-After while they are, and over when one is back",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using server = await startServer("primary");
    await using desk = await openDesk(urlOf(freePort(), portOf(server)));
    const id = await create(desk, smallRequest());
    await server.kill("SIGKILL");
    for (
      const [method, path] of [["GET", REQUESTS], ["POST", REQUESTS], ["GET", "/readyz"]] as const
    ) {
      const body = method === "POST" ? smallRequest() : undefined;
      const answer = await desk.send(method, path, { body });
      assert.equal(answer.status, 503, await answer.text());
      assert.ok(Number(answer.headers.get("retry-after")) >= 1);
    }
    assert.ok(!desk.logLines.join("").includes(PASSWORD), "no line of the log has the password");
    await server.restart();
    await eventually("the desk is ready again", () => isReady(desk));
    assert.equal((await desk.send("GET", pathOf(id))).status, 200);
    await create(desk, smallRequest());
  },
});

Deno.test({
  name: "postgres: commits wait for the disk, whatever the server's default is",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using server = await startPostgres();
    for (
      const [given, used] of [["off", "on"], ["local", "on"], ["remote_apply", "remote_apply"]]
    ) {
      await query(server.url, `alter role postgres set synchronous_commit = ${given}`);
      const url = await server.createDatabase();
      await using desk = await openDesk(url);
      await watchCommits(url);
      await create(desk, smallRequest());
      assert.deepEqual(await witnessedCommits(url), [used], `default ${given}`);
    }
  },
});

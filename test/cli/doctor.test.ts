/** `keydesk doctor`: one result a line, on this machine's store and on a server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { newSealingKey } from "../../src/kernel/sealing/sealing-keys.ts";
import { keydesk, repository, run, temporaryFolder } from "../support/command.ts";
import { type DeskWithDoors, openDoors } from "../support/doors.ts";
import { chosenEngines } from "../support/engines.ts";
import { sharedPostgres } from "../support/postgres.ts";

/** The verdicts by their checks, and whether all is well. */
async function examine(settings: Record<string, string>, ...words: string[]) {
  const { code, stdout, stderr } = await keydesk(["doctor", "--json", ...words], settings);
  const { healthy, checks } = JSON.parse(stdout);
  assert.equal(code, healthy ? 0 : 1, stderr);
  const lines: string[] = checks.map((one: Record<string, string>) => `${one.result} ${one.check}`);
  const text = (check: string): string =>
    checks.find((one: Record<string, string>) => one.check === check)?.text ?? assert.fail(check);
  return { healthy, lines, text, stdout };
}

/** A store that no server has open. */
async function quietStore() {
  const folder = await temporaryFolder();
  // No server of another test is asked.
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data"), KEYDESK_PORT: "0" };
  const seeded = await keydesk(["seed"], settings);
  assert.equal(seeded.code, 0, seeded.stderr);
  return {
    settings,
    path: (name: string) => join(settings.KEYDESK_DATA_DIR, name),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const HEALTHY = ["settings", "files", "database", "sealing", "schema", "clock", "plans"]
  .map((check) => `ok ${check}`);

Deno.test("doctor: a store in order is ok in each line, for people and for scripts", async () => {
  await using at = await quietStore();
  const { healthy, lines, text } = await examine(at.settings);
  assert.deepEqual([healthy, lines], [true, [...HEALTHY, "skip audit-log", "skip server"]]);
  assert.equal(text("settings"), "KEYDESK_PORT, KEYDESK_DATA_DIR and the defaults");
  const told = await keydesk(["doctor"], at.settings);
  assert.deepEqual([told.code, told.stderr], [0, ""]);
  assert.deepEqual(
    told.stdout.trimEnd().split("\n").map((line) => line.split(/ +/).slice(0, 2).join(" ")),
    lines,
  );
  const inSandbox = await run(["node", join(repository, "bin/keydesk.js"), "doctor"], {
    env: at.settings,
  });
  assert.deepEqual(inSandbox, told);
});

Deno.test("doctor: settings that can't be used are told, with the near name, and never a value", async () => {
  const { healthy, lines, stdout } = await examine({
    KEYDESK_PROT: "8080",
    KEYDESK_ADMIN_TOKEN: "short-secret",
  });
  assert.deepEqual([healthy, lines], [false, ["fail settings", "fail settings"]]);
  assert.match(stdout, /there is no such setting; is KEYDESK_PORT meant\?/);
  assert.ok(!stdout.includes("short-secret"));
});

Deno.test("doctor: a store that is not there is told, and nothing is made", async () => {
  await using folder = await temporaryFolder();
  const settings = { KEYDESK_DATA_DIR: join(folder.path, "data"), KEYDESK_PORT: "0" };
  const { healthy, lines, text } = await examine(settings);
  assert.equal(healthy, false);
  assert.deepEqual(lines, ["ok settings", "fail files", "fail database", "skip server"]);
  assert.match(text("database"), /^there is no store in .*\/data \(KEYDESK_DATA_DIR\)/);
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
});

Deno.test("doctor: files that others may read, by what they hold", async () => {
  await using at = await quietStore();
  await Deno.chmod(at.path("keydesk.db"), 0o644);
  await Deno.chmod(at.path(""), 0o755);
  const open = await examine(at.settings);
  assert.deepEqual(open.lines.filter((line) => line.endsWith("files")), [
    "warn files",
    "warn files",
  ]);
  assert.equal(open.healthy, true);
  assert.match(open.text("files"), /\(mode 755\): chmod 700 /);
  await Deno.chmod(at.path("sealing-key"), 0o640);
  const worse = await examine(at.settings);
  assert.ok(worse.lines.includes("fail files") && !worse.healthy);
});

Deno.test("doctor: a sealing key that is missing, broken or another's, and what is there stays", async () => {
  await using at = await quietStore();
  const key = await Deno.readTextFile(at.path("sealing-key"));
  const sealing = async (settings = {}) => {
    const { healthy, lines, text } = await examine({ ...at.settings, ...settings });
    assert.ok(!healthy && lines.includes("fail sealing"));
    return text("sealing");
  };
  await Deno.writeTextFile(at.path("sealing-key"), newSealingKey());
  assert.match(await sealing(), /version 1 is not the key that this store was sealed with/);
  await Deno.writeTextFile(at.path("sealing-key"), "nonsense");
  assert.match(await sealing(), /sealing-key holds no usable key/);
  await Deno.remove(at.path("sealing-key"));
  assert.match(await sealing(), /sealing-key is missing .*: put the store's/);
  const other = { KEYDESK_SEALING_KEY: newSealingKey().trim() };
  assert.match(await sealing(other), /^KEYDESK_SEALING_KEY: version 1 is not the key/);
  // A version that the store never saw is not remembered by looking.
  const second = { KEYDESK_SEALING_KEY: newSealingKey().trim().replace("1:", "2:") };
  assert.ok((await examine({ ...at.settings, ...second })).healthy);
  const third = { KEYDESK_SEALING_KEY: newSealingKey().trim().replace("1:", "2:") };
  assert.ok((await examine({ ...at.settings, ...third })).healthy);
  await Deno.writeTextFile(at.path("sealing-key"), key, { mode: 0o600 });
  assert.ok((await examine(at.settings)).healthy);
});

Deno.test("doctor: a file that is no database, and plans that nobody knows", async () => {
  await using at = await quietStore();
  const keys = at.path("../keys.jsonl");
  await Deno.writeTextFile(keys, JSON.stringify({ key: "k", developer: "d", plans: ["lost"] }));
  assert.equal((await keydesk(["keys", "import", keys], at.settings)).code, 0);
  const { healthy, lines, text } = await examine(at.settings);
  assert.ok(healthy && lines.includes("warn plans"));
  assert.match(text("plans"), /lost/);
  await Deno.writeTextFile(at.path("keydesk.db"), "this is no database at all, however long it is");
  for (const more of ["-wal", "-shm"]) {
    await Deno.remove(at.path(`keydesk.db${more}`)).catch(() => {});
  }
  const broken = await examine(at.settings);
  assert.ok(!broken.healthy && broken.lines.includes("fail database"));
});

for (const engine of chosenEngines(["postgres"])) {
  Deno.test({
    name: `doctor: on ${engine} the database's own clock is looked at too`,
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      await using at = await quietStore();
      const settings = {
        ...at.settings,
        KEYDESK_DATABASE_URL: await (await sharedPostgres()).createDatabase(),
        KEYDESK_SEALING_KEY: newSealingKey().trim(),
      };
      const empty = await examine(settings);
      assert.ok(!empty.healthy);
      assert.match(empty.text("database"), /^there is no store in the database at /);
      assert.equal((await keydesk(["seed"], settings)).code, 0);
      const { healthy, lines, text } = await examine(settings);
      assert.deepEqual([healthy, lines], [true, [...HEALTHY, "skip audit-log", "skip server"]]);
      assert.equal(text("clock"), "agrees with the database's");
      const away = new URL(settings.KEYDESK_DATABASE_URL);
      away.port = "1";
      const lost = await examine({ ...settings, KEYDESK_DATABASE_URL: away.href });
      assert.ok(!lost.healthy && lost.lines.includes("fail database"));
    },
  });
}

Deno.test("doctor: a server in order, with and without an access token and its permissions", async () => {
  await using desk = await openDoors();
  const { url } = desk.server;
  const whole = await examine({}, "--url", url, "--token-file", desk.tokenFile);
  const seen = ["server", "clock", "UPDATE", "token", "version", "problems", "plans"];
  assert.deepEqual([whole.healthy, whole.lines], [true, seen.map((check) => `ok ${check}`)]);
  const made = await desk.local("token", "create", "gate", "--allow", "verify", "--expires", "3");
  const part = await examine({ KEYDESK_TOKEN: made.stdout.trim() }, "--url", url);
  assert.deepEqual(part.lines.slice(3), ["warn token", "skip plans"]);
  const wrong = await examine({ KEYDESK_TOKEN: "wrong" }, "--url", url);
  assert.deepEqual([wrong.healthy, wrong.lines.at(-1)], [false, "fail token"]);
  const none = await examine({}, "--url", url);
  assert.deepEqual(none.lines, ["fail token", "ok server", "ok clock", "ok UPDATE", "skip plans"]);
  const local = await examine({ ...desk.settings, KEYDESK_PORT: new URL(url).port });
  assert.deepEqual(local.lines.at(-1), "ok server");
});

Deno.test("doctor: another desk at the server's address is told, and is not ok", async () => {
  await using at = await quietStore();
  await using desk = await openDoors();
  const { port } = new URL(desk.server.url);
  const { healthy, lines, text } = await examine({ ...at.settings, KEYDESK_PORT: port });
  assert.deepEqual([healthy, lines.at(-1)], [false, "fail server"]);
  assert.match(text("server"), /^another server answers at http.*: its store is not this one/);
  await using folder = await temporaryFolder();
  const none = await examine({ KEYDESK_DATA_DIR: folder.path, KEYDESK_PORT: port });
  assert.match(none.text("server"), /this machine has no store of it$/);
});

Deno.test("doctor: what /readyz says of a server that is not ready is passed on", async () => {
  await using at = await quietStore();
  const refusal = () =>
    Response.json({ Status: "error", Errors: ["writes_fail since noon: SQLITE_FULL"] }, {
      status: 503,
      headers: { "x-keydesk-error": "unavailable" },
    });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, refusal);
  const { text, lines } = await examine({ ...at.settings, KEYDESK_PORT: `${server.addr.port}` });
  assert.equal(lines.at(-1), "fail server");
  assert.match(text("server"), /not ready \(HTTP 503\): writes_fail since noon: SQLITE_FULL$/);
});

Deno.test("doctor: what a proxy does to UPDATE is seen from outside, and nothing is changed", async () => {
  await using desk = await openDoors();
  const refused = () => new Response("no", { status: 405 });
  const ways: [string, (r: Request) => Request | Response, string][] = [
    ["through", (r) => r, "ok UPDATE"],
    ["as PUT", (r) => as(r, "PUT"), "ok UPDATE"],
    ["as GET", (r) => as(r, "GET"), "fail UPDATE"],
    ["as POST", (r) => as(r, "POST"), "fail UPDATE"],
    ["refused", refused, "fail UPDATE"],
    [
      "rewritten where requests are replaced",
      (r) => r.url.includes("/requests/") ? as(r, "PUT") : refused(),
      "ok UPDATE",
    ],
  ];
  for (const [name, change, result] of ways) {
    await using proxy = proxyBefore(desk, (r) => r.method === "UPDATE" ? change(r) : r);
    const seen = await examine({}, "--url", proxy.url, "--token-file", desk.tokenFile);
    assert.ok(seen.lines.includes(result), `${name}: ${seen.lines}`);
    // The server's own doctor looks from outside, where it knows its address.
    const own = await examine({
      ...desk.settings,
      KEYDESK_PUBLIC_URL: proxy.url,
      KEYDESK_PORT: new URL(desk.server.url).port,
    });
    assert.equal(own.lines.at(-1), result, name);
  }
});

Deno.test("doctor: a server of an earlier release, which tells less, is in order", async () => {
  await using desk = await openDoors();
  await using proxy = proxyBefore(desk, (r) => r, async (response) => {
    if (!new URL(response.url).pathname.endsWith("/v1/server")) return response;
    const { config: _, ...less } = await response.json();
    return Response.json(less);
  });
  const { healthy, lines } = await examine({}, "--url", proxy.url, "--token-file", desk.tokenFile);
  assert.deepEqual([healthy, lines.at(-1)], [true, "ok plans"]);
});

Deno.test("doctor: a clock that is wrong, and something else in the server's place", async () => {
  await using desk = await openDoors();
  const later = (ms: number) => (response: Response) => {
    const headers = new Headers(response.headers);
    headers.set("date", new Date(Date.now() + ms).toUTCString());
    return new Response(response.body, { status: response.status, headers });
  };
  for (const [ms, result] of [[-600_000, "fail"], [30_000, "warn"], [600_000, "fail"]] as const) {
    await using proxy = proxyBefore(desk, (r) => r, later(ms));
    const { lines, text } = await examine({}, "--url", proxy.url, "--token-file", desk.tokenFile);
    assert.ok(lines.includes(`${result} clock`), lines.join());
    assert.match(text("clock"), ms < 0 ? / ahead of the server's$/ : / behind the server's$/);
  }
  await using strange = proxyBefore(desk, () => new Response("Welcome"));
  const { healthy, lines } = await examine({ KEYDESK_TOKEN: "x" }, "--url", strange.url);
  assert.deepEqual([healthy, lines], [false, ["fail server", "skip plans"]]);
  const plain = await examine({ KEYDESK_TOKEN: "x" }, "--url", "http://desk.invalid");
  assert.deepEqual(plain.lines, ["fail address", "fail server", "skip plans"]);
});

function as(request: Request, method: string): Request {
  return new Request(request.url, { method, headers: request.headers });
}

/** A proxy that changes what comes, or answers itself, and changes what goes back. */
function proxyBefore(
  desk: DeskWithDoors,
  change: (request: Request) => Request | Response,
  back: (response: Response) => Response | Promise<Response> = (response) => response,
) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (r) => {
    const changed = change(r);
    if (changed instanceof Response) return changed;
    const { pathname, search } = new URL(changed.url);
    const { method, headers } = changed;
    return back(await fetch(`${desk.server.url}${pathname}${search}`, { method, headers }));
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

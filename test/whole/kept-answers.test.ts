/**
 * Answers that are kept: after whatever change they are what is made anew, and who has written sees
 * it.
 */
import assert from "node:assert/strict";
import { exampleIds } from "../../src/contract/example-ids.ts";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { WriterThread } from "../../src/storage/engines/sqlite-threaded-writer.ts";
import { openTestDesk, type TestDesk } from "../support/desk.ts";
import { exampleOf, readDocument } from "../support/document.ts";
import { eventually } from "../support/eventually.ts";
import { prepared, sent } from "../support/examples/examples.ts";
import { newStage, type Stage } from "../support/examples/stage.ts";
import { openDesk } from "../support/leaks.ts";
import { addOAuthClient } from "../support/oauth.ts";
import { call } from "../support/people.ts";

const { operations } = readDocument();
const REQUESTS = "/api/portal/requests";

/** What is kept, of the organisation of a stage. */
function keptPaths({ real }: Stage): string[] {
  const key = real.get(exampleIds.key);
  const request = real.get(exampleIds.keyRequest);
  const certificate = real.get(exampleIds.certificate);
  return [
    ...["", "&approved=true", "&approved=false", "&declined=true"].map((rest) =>
      `${REQUESTS}?p=1${rest}`
    ),
    `${REQUESTS}?p=2`,
    "/api/certs?p=1",
    "/api/certs?p=1&mode=detailed",
    "/api/certs/details?p=1",
    "/api/certs?p=-1",
    "/api/certs?p=-1&mode=detailed",
    "/api/certs/details?p=-1",
    "/v1/catalogue",
    ...request ? [`${REQUESTS}/${request}`] : [],
    ...certificate ? [`/api/certs/${certificate}`] : [],
    ...key ? pathsOfKey(key) : [],
  ];
}

function pathsOfKey(key_id: string): string[] {
  return [`/v1/keys/${key_id}`, `/api/keys/${key_id}`, `/api/apis/weather/keys/${key_id}`];
}

async function read(stage: Stage, path: string): Promise<string> {
  const answer = await stage.desk.send("GET", path, { credential: stage.admin });
  return `${answer.status} ${answer.headers.get("etag")} ${await answer.text()}`;
}

/** Reads while nothing is kept and nothing that is kept is given. */
async function readAnew(stage: Stage, path: string): Promise<string> {
  const cache = stage.desk.app.ctx.readCache;
  const get: typeof cache.get = async (_name, _changes, make) => (await make()).answer;
  Object.defineProperty(cache, "get", { value: get, configurable: true });
  try {
    return await read(stage, path);
  } finally {
    // as: what is defined here is the object's own; the class's is found again.
    delete (cache as { get?: unknown }).get;
  }
}

/** Reads until the answer comes from memory. A failure is never kept. */
async function keep(stage: Stage, path: string): Promise<void> {
  const cache = stage.desk.app.ctx.readCache;
  let made = true;
  const get: typeof cache.get = (name, changes, make, moment) => {
    made = false;
    const noted = () => {
      made = true;
      return make();
    };
    return Object.getPrototypeOf(cache).get.call(cache, name, changes, noted, moment);
  };
  Object.defineProperty(cache, "get", { value: get, configurable: true });
  try {
    const isKept = async () => !(await read(stage, path)).startsWith("200") || !made;
    for (let soon = 0; soon < 4; soon++) if (await isKept()) return;
    await eventually(path, isKept);
  } finally {
    // as: see above.
    delete (cache as { get?: unknown }).get;
  }
}

Deno.test({
  name: "kept answers: after each operation's example they are what is made anew",
  fn: async () => {
    await using desk = await openTestDesk("sqlite", {
      extra: [addOAuthClient],
      environment: { ...openDesk, KEYDESK_PAGE_SIZE: "1" },
      // Certificates are shown as of the second.
      clock: { now: () => NOW },
    });
    const wrong: string[] = [];
    let kept = 0;
    for (const { name, endpoint, method, operation } of operations) {
      if (method === "GET" || !operation) continue;
      const example = exampleOf({ endpoint, method }, operation);
      assert.ok(example, name);
      const stage = await newStage(desk);
      const apis = [fullKeyRequest.catalogue_entry];
      await call(desk, "POST", "/api/portal/catalogue", { apis }, stage.admin);
      const isOperators = typeof endpoint.permission !== "string" &&
        endpoint.permission.every((one) => one === "operator");
      const own = stage.admin;
      if (isOperators) stage.admin = desk.admin;
      const ready = await prepared(stage, example);
      const asOwn = { ...stage, admin: own };
      const { request, key_id } = await fillStage(asOwn);
      const paths = [...keptPaths(stage), `${REQUESTS}/${request}`, ...pathsOfKey(key_id)];
      for (const path of paths) await keep(asOwn, path);
      kept += paths.length;
      await (await sent(stage, ready, operation.security)).body?.cancel();
      for (const path of paths) {
        const given = await read(asOwn, path);
        const made = await readAnew(asOwn, path);
        if (given !== made) wrong.push(`${name}: ${path}: ${given} instead of ${made}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(kept > 500, `${kept}`);
  },
});

const NOW = Date.parse("2026-11-22T12:00:00.500Z");

/**
 * What the reads show besides what the example names: requests of its developer and plan, one
 * declined and one issued.
 */
async function fillStage({ desk, admin, real }: Stage) {
  const plan = real.get(exampleIds.plan) ?? "some plan";
  const developer = real.get(exampleIds.developer);
  const body = {
    ...fullKeyRequest,
    for_plan: plan,
    apply_policies: [plan],
    by_user: developer ?? "grace",
    portal_developer: developer === undefined
      ? { ...fullKeyRequest.portal_developer, id: "grace", email: "grace@example.org" }
      : undefined,
  };
  const send = async (fields: Record<string, string>) =>
    (await call(desk, "POST", REQUESTS, { ...body, fields }, admin)).Message;
  await call(desk, "POST", `/v1/key-requests/${await send({ n: "1" })}/decline`, {}, admin);
  const approved = `${REQUESTS}/approve/${await send({ n: "2" })}`;
  const { RawKey } = await call(desk, "PUT", approved, undefined, admin);
  return { request: await send({ n: "3" }), key_id: sha256(RawKey) };
}

Deno.test("kept answers: 64 callers at once see what they have written, and who shares their developer", async () => {
  await using desk = await openTestDesk("sqlite", {
    environment: { KEYDESK_PENDING_PER_DEVELOPER: "0" },
    writer: {
      thread: true,
      start: () => new WriterThread(new URL("../../src/writer-thread.ts", import.meta.url)),
      onCrash: (error) => {
        throw error;
      },
    },
  });
  await Promise.all(Array.from({ length: 64 }, (_, n) => writeAndRead(desk, n)));
});

async function writeAndRead(desk: TestDesk, n: number): Promise<void> {
  const path = async () => {
    const body = { ...fullKeyRequest, by_user: `developer-${n % 8}`, portal_developer: undefined };
    const { Message: id } = await call(desk, "POST", REQUESTS, body, desk.admin);
    return `${REQUESTS}/${id}`;
  };
  const own = await path();
  for (let turn = 0; turn < 2; turn++) {
    const fields = { turn: String(turn), n: String(n) };
    const body = { ...fullKeyRequest, by_user: `developer-${n % 8}`, fields };
    await call(desk, "PUT", own, { ...body, portal_developer: undefined }, desk.admin);
    for (let again = 0; again < 2; again++) {
      const shown = await (await desk.send("GET", own)).json();
      assert.deepEqual(shown.fields, fields);
    }
  }
  await call(desk, "PUT", own.replace("requests/", "requests/approve/"), undefined, desk.admin);
  assert.equal((await (await desk.send("GET", own)).json()).approved, true);
  await call(desk, "DELETE", own, undefined, desk.admin);
  const gone = await desk.send("GET", own);
  assert.equal(gone.status, 404, await gone.text());
}

Deno.test("kept answers: another process on the same folder is seen while this one writes all the time", async () => {
  await using desk = await openTestDesk("sqlite", {
    environment: { KEYDESK_PENDING_PER_DEVELOPER: "0" },
  });
  await using other = await openTestDesk("sqlite", {
    environment: { KEYDESK_DATA_DIR: desk.config.DATA_DIR, KEYDESK_ADMIN_TOKEN: desk.admin },
  });
  const { Message: id } = await call(desk, "POST", REQUESTS, fullKeyRequest, desk.admin);
  let over = false;
  const writing = (async () => {
    while (!over) {
      await call(desk, "POST", REQUESTS, fullKeyRequest, desk.admin);
      // In process nothing else gives way to the other one's timers.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  try {
    for (let turn = 0; turn < 5; turn++) {
      const fields = { turn: String(turn) };
      await call(other, "PUT", `${REQUESTS}/${id}`, { ...fullKeyRequest, fields }, desk.admin);
      const shown = async () =>
        (await (await desk.send("GET", `${REQUESTS}/${id}`)).json()).fields.turn;
      await eventually(`turn ${turn}`, async () => await shown() === String(turn));
    }
  } finally {
    over = true;
    await writing;
  }
});

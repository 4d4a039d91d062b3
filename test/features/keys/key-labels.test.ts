/** Name, environment, note and tags of keys: set, kept, shown to whom they may be, and found by. */
import assert from "node:assert/strict";
import { murmurIdsOf } from "../../../src/features/keys/murmur.ts";
import { adoptImportedKey } from "../../../src/features/keys/adopt-imported-key.transactions.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import { known } from "../../support/known-parties.ts";
import {
  allKeyIds,
  call,
  importKeys,
  issue,
  KEYS,
  listKeys,
  movableClock,
  readKey,
  tracesOf,
} from "../../support/keys.ts";

const labels = {
  name: "Checkout, live",
  environment: "production",
  note: "Ask Lena first.\nShe knows why.",
  tags: ["payments", "partner"],
};
const bare = { name: "", environment: "", note: "", tags: [] };
const clock = movableClock();

function labelsOf({ name, environment, note, tags }: typeof labels) {
  return { name, environment, note, tags };
}

async function label(desk: TestDesk, key_id: string, body: unknown, ifMatch?: string) {
  const headers: Record<string, string> = ifMatch === undefined ? {} : { "if-match": ifMatch };
  return await desk.send("PUT", `${KEYS}/${key_id}/labels`, { body, headers });
}

testOnEngines(
  "labels: none at first, then those that were set; an absent one is emptied",
  async (desk) => {
    const { key_id } = await issue(desk);
    assert.deepEqual(labelsOf(await readKey(desk, key_id)), bare);
    const set = await label(desk, key_id, { ...labels, tags: ["payments", "partner", "payments"] });
    const shown = await set.json();
    assert.deepEqual(labelsOf(shown), labels);
    const read = await desk.send("GET", `${KEYS}/${key_id}`);
    assert.equal(read.headers.get("etag"), set.headers.get("etag"));
    assert.deepEqual(await read.json(), shown);
    assert.deepEqual((await listKeys(desk)).data, [shown]);
    await label(desk, key_id, { name: "  Other " });
    assert.deepEqual(labelsOf(await readKey(desk, key_id)), { ...bare, name: "Other" });
  },
);

testOnEngines("labels: of two edits of what was read, one is made", async (desk) => {
  const { key_id } = await issue(desk);
  const etag = (await desk.send("GET", `${KEYS}/${key_id}`)).headers.get("etag") ?? "";
  const answers = await Promise.all(
    ["First", "Second"].map((name) => label(desk, key_id, { name }, etag)),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412]);
  const [made] = await Promise.all(
    answers.filter(({ status }) => status === 200).map((one) => one.json()),
  );
  assert.equal((await readKey(desk, key_id)).name, made.name);
  assert.equal((await tracesOf(desk, key_id)).topics.at(-1), "key.labels_changed");
  await call(desk, "POST", `${KEYS}/${key_id}/suspend`, { reason: "x" });
  const behind = await label(desk, key_id, labels, `"${made.revision}"`);
  assert.equal(behind.status, 412);
  assert.equal((await behind.json()).code, "precondition_failed");
});

testOnEngines(
  "labels: the audit log tells before and after once, and a note as something personal",
  async (desk) => {
    const { key_id } = await issue(desk);
    await label(desk, key_id, labels);
    await label(desk, key_id, labels);
    const traces = await tracesOf(desk, key_id);
    const told = traces.audit.filter(([action]) => action === "key.labels_changed");
    const before = { name: "", environment: "", tags: [] };
    assert.deepEqual(told, [["key.labels_changed", { before, after: labels }]]);
    const events = await call<{ data: { names: unknown; detail: unknown }[] }>(
      desk,
      "GET",
      `/v1/audit-log?object_id=${key_id}`,
    );
    const { mask } = await readKey(desk, key_id);
    assert.match(JSON.stringify(events), new RegExp(`Checkout, live \\(${mask}\\)`));
    assert.deepEqual(traces.topics.filter((topic) => topic.endsWith("labels_changed")).length, 1);
  },
);

testOnEngines("labels: the longest and the most that may be are kept", async (desk) => {
  const { key_id } = await issue(desk);
  const most = {
    name: "n".repeat(100),
    environment: "e".repeat(50),
    note: "o".repeat(2000),
    tags: Array.from({ length: 10 }, (_, i) => `${i}`.repeat(50)),
  };
  await call(desk, "PUT", `${KEYS}/${key_id}/labels`, most);
  assert.deepEqual(labelsOf(await readKey(desk, key_id)), most);
});

testOnEngines(
  "labels: given when a key is issued or approved; a key that takes over keeps them",
  async (desk) => {
    const { key_id, request_id } = await issue(desk);
    await label(desk, key_id, labels);
    const reissued = await call<{ key_id: string }>(
      desk,
      "POST",
      `/v1/key-requests/${request_id}/reissue`,
      {},
    );
    assert.deepEqual(labelsOf(await readKey(desk, reissued.key_id)), labels);
    const rotated = await call<{ key_id: string }>(
      desk,
      "POST",
      `${KEYS}/${reissued.key_id}/rotate`,
      { overlap_seconds: 60 },
    );
    assert.deepEqual(labelsOf(await readKey(desk, rotated.key_id)), labels);
    await call(desk, "POST", "/api/portal/policies", { id: "plan-weather", name: "Weather" });
    const issued = await call<{ key_id: string }>(desk, "POST", "/v1/developers/dev-ada/keys", {
      plans: ["plan-weather"],
      ...labels,
    });
    assert.deepEqual(labelsOf(await readKey(desk, issued.key_id)), labels);
    const id = await create(desk, smallRequest());
    const approved = await call<{ key_id: string }>(
      desk,
      "POST",
      `/v1/key-requests/${id}/approve`,
      { name: "New", environment: "test" },
    );
    const shown = labelsOf(await readKey(desk, approved.key_id));
    assert.deepEqual(shown, { ...bare, name: "New", environment: "test" });
    assert.equal((await listKeys(desk, "?tag=partner")).data.length, 4);
  },
);

testOnEngines(
  "labels: a request that changes a key changes those of its labels that are named",
  async (desk) => {
    const { key_id } = await issue(desk);
    await label(desk, key_id, labels);
    const id = await create(
      desk,
      smallRequest({ for_plan: "plan-maps", apply_policies: ["plan-maps"], key: key_id }),
    );
    await known(desk, id);
    await call(desk, "POST", `/v1/key-requests/${id}/approve`, { environment: "test" });
    assert.deepEqual(labelsOf(await readKey(desk, key_id)), { ...labels, environment: "test" });
    assert.deepEqual(await allKeyIds(desk, "environment=production"), []);
    assert.deepEqual(await allKeyIds(desk, "environment=test"), [key_id]);
  },
);

testOnEngines("labels: lists are narrowed by them, newest first, page by page", async (desk) => {
  const ids: string[] = [];
  for (let n = 0; n < 9; n++) {
    clock.at += 1000;
    const { key_id } = await issue(desk, [n % 2 ? "odd" : "even"], `dev-${n % 2}`);
    await label(desk, key_id, {
      environment: n % 3 === 0 ? "test" : "production",
      tags: n % 2 === 0 ? ["even", "all"] : ["all"],
    });
    ids.unshift(key_id);
  }
  const those = (wanted: (n: number) => boolean) => ids.filter((_, i) => wanted(8 - i));
  for (const limit of [1, 2, 100]) {
    const page = `limit=${limit}`;
    assert.deepEqual(await allKeyIds(desk, `${page}&tag=all`), ids);
    assert.deepEqual(await allKeyIds(desk, `${page}&environment=test`), those((n) => n % 3 === 0));
    assert.deepEqual(
      await allKeyIds(desk, `${page}&environment=test&tag=even`),
      those((n) => n % 6 === 0),
    );
    assert.deepEqual(
      await allKeyIds(desk, `${page}&developer=dev-1&environment=test&plan=odd&state=active`),
      those((n) => n % 6 === 3),
    );
  }
  assert.deepEqual(await allKeyIds(desk, "tag=Even"), []);
  await call(desk, "POST", `${KEYS}/${ids[0]}/revoke`, { reason: "x" });
  assert.deepEqual(await allKeyIds(desk, "tag=all&state=revoked"), ids.slice(0, 1));
  assert.deepEqual(await call<unknown>(desk, "GET", `${KEYS}/labels`), {
    environments: ["production", "test"],
    tags: ["all", "even"],
  });
}, { clock });

testOnEngines(
  "search: by words of the name, by id, by mask and by developer, each key once",
  async (desk) => {
    const found = (q: string, more = "") =>
      allKeyIds(desk, `limit=1${more}&q=${encodeURIComponent(q)}`);
    await call(desk, "POST", "/v1/developers", {
      id: "dev-ada",
      email: "lady@lovelace.example",
      fields: { company: "Engines" },
    });
    const keys = [];
    for (let n = 0; n < 5; n++) {
      keys.push(
        await issue(desk, ["plan-weather"], n < 3 ? "dev-ada" : "dev-bob"),
      );
    }
    const [a, b, c, d, e] = keys.map(({ key_id }) => key_id) as [
      string,
      string,
      string,
      string,
      string,
    ];
    await label(desk, a, { name: "Checkout-service live" });
    await label(desk, b, { name: "Lady's checkout" });
    const shown = await readKey(desk, c);
    assert.deepEqual((await found("chec")).sort(), [a, b].sort());
    assert.deepEqual(await found("LIVE"), [a]);
    assert.deepEqual(await found("service checkout"), [a]);
    assert.deepEqual(await found("checkout nowhere"), []);
    assert.deepEqual(await found(c), [c]);
    assert.deepEqual(await found(c.slice(0, 16).toUpperCase()), [c]);
    assert.deepEqual(await found(shown.mask), [c]);
    assert.ok((await found(shown.mask.replace("…", "..."))).includes(c));
    assert.ok((await found(shown.mask.slice(-4))).includes(c));
    assert.ok((await found(`…${shown.mask.slice(-4)}`)).includes(c));
    // The second is found by its own name, which comes first, and so are all of hers once.
    assert.deepEqual((await found("lady")).sort(), [a, b, c].sort());
    assert.equal((await found("lady"))[0], b);
    assert.deepEqual((await found("lovel")).sort(), [a, b, c].sort());
    assert.deepEqual((await found("engines live")).sort(), [a]);
    assert.deepEqual((await found("dev-bob")).sort(), [d, e].sort());
    assert.deepEqual((await found("dev-")).sort(), [a, b, c, d, e].sort());
    await call(desk, "POST", `${KEYS}/${d}/suspend`, { reason: "x" });
    assert.deepEqual(await found("dev-bob", "&state=suspended"), [d]);
    assert.deepEqual(await found("lady", "&developer=dev-bob"), []);
    assert.deepEqual((await found("%_'\"")).length, 0);
  },
);

testOnEngines(
  "labels: an import takes them, and a file tells of them",
  async (desk) => {
    const plain = "an-old-key-that-somebody-has";
    const line = { key: plain, developer: "dev-ada", plans: ["plan-weather"], ...labels };
    const results = await importKeys(desk, [
      { ...line, name: "=cmd()" },
      { ...line, key: "another-old-key-of-theirs", tags: [1] },
    ]);
    assert.deepEqual(results.map(({ result }) => result), ["added", "refused"]);
    const key_id = sha256(plain);
    assert.deepEqual(labelsOf(await readKey(desk, key_id)), { ...labels, name: "=cmd()" });
    assert.deepEqual(await allKeyIds(desk, "tag=payments&environment=production"), [key_id]);
    const file = await (await desk.send("GET", `${KEYS}/export?tag=payments`)).text();
    assert.match(file, /name,environment,note,tags\r\n/);
    assert.match(
      file,
      /'=cmd\(\),production,"Ask Lena first.\nShe knows why.",payments; partner\r\n/,
    );
  },
);

testOnEngines(
  "labels: a note is shown to who may write one and to administrators, on every way",
  async (desk) => {
    const plain = "an-old-key-that-somebody-has";
    const line = { key: plain, developer: "dev-ada", plans: ["plan-weather"], ...labels };
    await importKeys(desk, [line]);
    const key_id = sha256(plain);
    const notesFor = async (credential: string) => {
      const json = async (method: string, path: string, body?: unknown) =>
        await (await desk.send(method, path, { credential, body })).json();
      const [one, again, found, list, searched] = [
        await json("GET", `${KEYS}/${key_id}`),
        // The second is a kept one.
        await json("GET", `${KEYS}/${key_id}`),
        await json("POST", `${KEYS}/find`, { key: plain }),
        await json("GET", KEYS),
        await json("GET", `${KEYS}?q=checkout`),
      ];
      const file = await (await desk.send("GET", `${KEYS}/export`, { credential })).text();
      assert.ok(file.includes(labels.name));
      const notes = [one, again, found, list.data[0], searched.data[0]].map(({ note }) => note);
      return [...notes, file.includes("Lena") ? labels.note : ""];
    };
    const all = Array(6).fill(labels.note);
    const none = Array(6).fill("");
    const portal = await desk.token(["portal:read", "portal:write", "plans", "certs:write"]);
    const approver = await desk.token(["portal:read", "approve"]);
    const administrator = await desk.token(["portal:read", "admin"]);
    for (
      const [credential, notes] of [
        [approver, all],
        [portal, none],
        [administrator, all],
        [portal, none],
      ] as const
    ) assert.deepEqual(await notesFor(credential), notes);
  },
);

testOnEngines("labels: the older interface has a key's name and tags alone", async (desk) => {
  const { key_id } = await issue(desk);
  const paths = [
    `/api/keys/${key_id}`,
    "/api/portal/developers/dev-ada",
    `/api/apis/-/keys/${key_id}`,
  ];
  const read = () => Promise.all(paths.map(async (path) => (await desk.send("GET", path)).text()));
  const before = await read();
  await label(desk, key_id, labels);
  const alias = JSON.stringify({ alias: labels.name }).slice(1, -1);
  const tags = JSON.stringify({ tags: labels.tags }).slice(1, -1);
  assert.deepEqual(
    await read(),
    before.map((text) => text.replace('"alias":""', alias).replace('"tags":[]', tags)),
  );
});

testOnEngines(
  "labels: nothing leads to another organisation's key",
  async (desk) => {
    const { key_id } = await issue(desk);
    await label(desk, key_id, labels);
    const other = await desk.otherOrganisation();
    const asOther = { credential: other.admin };
    for (
      const query of ["?tag=payments", "?environment=production", `?q=${key_id}`, "?q=checkout"]
    ) {
      const page = await desk.send("GET", `${KEYS}${query}`, asOther);
      assert.deepEqual((await page.json()).data, [], query);
    }
    const inUse = await desk.send("GET", `${KEYS}/labels`, asOther);
    assert.deepEqual(await inUse.json(), { environments: [], tags: [] });
  },
);

testOnEngines(
  "labels: an imported key keeps them when its first use gives it another id",
  async (desk) => {
    const plain = "a-key-of-a-murmur-hash";
    const [, murmur_id = ""] = await murmurIdsOf(plain);
    const line = { hash: murmur_id, algorithm: "murmur64", developer: "dev-ada", plans: ["p"] };
    await importKeys(desk, [{ ...line, ...labels }], { murmurUntil: "2999-01-01T00:00:00.000Z" });
    assert.deepEqual(await allKeyIds(desk, "tag=partner"), [murmur_id]);
    const actor = {
      org_id: desk.org_id,
      user_id: "u",
      token_id: "t",
      request_id: "r",
      now: Date.now(),
    };
    const key_id = sha256(plain);
    await desk.app.ctx.storage.commit(adoptImportedKey, {
      actor,
      former_id: murmur_id,
      key_id,
      isWeak: false,
    });
    assert.deepEqual(await allKeyIds(desk, "tag=partner"), [key_id]);
    assert.deepEqual(await allKeyIds(desk, "environment=production"), [key_id]);
    assert.deepEqual(await allKeyIds(desk, "q=checkout"), [key_id]);
    assert.deepEqual(labelsOf(await readKey(desk, key_id)), labels);
  },
);

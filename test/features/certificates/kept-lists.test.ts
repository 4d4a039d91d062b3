/**
 * Lists without pages are kept in memory: nobody sees what is no longer so, or what is another
 * organisation's.
 */
import assert from "node:assert/strict";
import { add, CERTS, made } from "../../support/certificates.ts";
import { openTestDesk, type TestDesk, testOnEngines } from "../../support/desk.ts";
import { eventually } from "../../support/eventually.ts";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";

const KEYDESK_SEALING_KEY = newSealingKey();
const LISTS = [`${CERTS}?p=-1`, `${CERTS}?p=-1&mode=detailed`, `${CERTS}/details?p=-1`];

/** The names in a list, however it is written. */
async function namesIn(desk: TestDesk, path: string, credential = desk.admin): Promise<string[]> {
  const answer = await desk.send("GET", path, { credential });
  assert.equal(answer.status, 200);
  const { cert_basics, certificates } = await answer.json();
  const items: { subject_cn: string }[] = cert_basics ?? certificates;
  return items.map(({ subject_cn }) => subject_cn);
}

/** Asks often enough for it to be kept. */
async function ask(desk: TestDesk, path: string, credential = desk.admin): Promise<string[]> {
  for (let i = 0; i < 3; i++) await namesIn(desk, path, credential);
  return await namesIn(desk, path, credential);
}

testOnEngines(
  "kept lists: whoever adds or removes sees it, and no other organisation's",
  async (desk) => {
    const { admin } = await desk.otherOrganisation();
    for (const path of LISTS) {
      const before = await ask(desk, path);
      const theirs = await ask(desk, path, admin);
      const id = await add(desk, made({ cn: `ours ${path}`, serial: serial() }));
      assert.deepEqual(await ask(desk, path), [...before, `ours ${path}`]);
      assert.deepEqual(await ask(desk, path, admin), theirs);
      await add(desk, made({ cn: "theirs", serial: serial() }), { credential: admin });
      assert.deepEqual(await ask(desk, path, admin), [...theirs, "theirs"]);
      assert.deepEqual(await ask(desk, path), [...before, `ours ${path}`]);
      await desk.send("DELETE", `${CERTS}/${id}`);
      assert.deepEqual(await ask(desk, path), before);
    }
  },
);

testOnEngines(
  "kept lists: without the permission, and in the audit log, they are as if made anew",
  async (desk) => {
    const [path = ""] = LISTS;
    await ask(desk, path);
    const stranger = await desk.token(["portal:read"]);
    const refused = await desk.send("GET", path, { credential: stranger });
    assert.equal(refused.status, 403);
    await refused.body?.cancel();
    await desk.app.ctx.notes.flush();
    const { data } = await (await desk.send("GET", "/v1/audit-log?action=list.streamed")).json();
    assert.deepEqual(data.map(({ detail }: { detail: unknown }) => detail), [{ count: 4 }]);
  },
);

testOnEngines("kept lists: another process on the same store is seen", async (desk) => {
  const { DATA_DIR, DATABASE_URL = "" } = desk.config;
  await using other = await openTestDesk(desk.engine, {
    environment: {
      KEYDESK_ADMIN_TOKEN: desk.admin,
      KEYDESK_SEALING_KEY,
      ...desk.engine === "postgres"
        ? { KEYDESK_DATABASE_URL: DATABASE_URL }
        : { KEYDESK_DATA_DIR: DATA_DIR },
    },
  });
  for (const path of LISTS) {
    const before = await ask(desk, path);
    await add(other, made({ cn: path, serial: serial() }), { credential: desk.admin });
    const isSeen = async () => (await namesIn(desk, path)).length === before.length + 1;
    if (desk.engine === "postgres") assert.ok(await isSeen(), path);
    else await eventually(path, isSeen);
    assert.deepEqual(await namesIn(desk, path), [...before, path]);
  }
}, { environment: { KEYDESK_SEALING_KEY } });

let given = 4096;
function serial(): string {
  return (given++).toString(16).padStart(6, "0");
}

testOnEngines(
  "kept lists: no id leads to what is kept of something else",
  async (desk) => {
    for (const path of [`${CERTS}?p=1`, "/v1/certificates/counts"]) {
      for (let i = 0; i < 3; i++) assert.equal((await desk.send("GET", path)).status, 200);
    }
    for (
      const id of [
        "certificate counts undefined undefined",
        "counts undefined undefined",
        "catalogue apis",
      ]
    ) assert.equal((await desk.send("GET", `${CERTS}/${encodeURIComponent(id)}`)).status, 404, id);
  },
  { clock: { now: () => Date.parse("2026-01-02T03:04:05Z") } },
);

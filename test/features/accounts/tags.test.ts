/** What developers are filed under: set, listed, searched, exported, brought back. */
import assert from "node:assert/strict";
import { file, onEngines } from "../../support/jobs.ts";
import { allItems, call } from "../../support/people.ts";
import type { TestDesk } from "../../support/desk.ts";

const DEVELOPERS = "/v1/developers";

const add = (desk: TestDesk, id: string) =>
  call(desk, "POST", DEVELOPERS, { id, email: `${id}@example.org` });
const tag = (desk: TestDesk, id: string, ...tags: string[]) =>
  call(desk, "PUT", `${DEVELOPERS}/${id}/tags`, { tags });
const idsOf = async (desk: TestDesk, query: string) =>
  (await allItems(desk, `${DEVELOPERS}?${query}`)).map(({ id }) => id);

onEngines("tags: each stands once, lists and searches find it, the audit log has it", async (
  desk,
  clock,
) => {
  for (const id of ["ada", "grace", "lena"]) {
    await add(desk, id);
    clock.at += 1000;
  }
  assert.deepEqual((await call(desk, "GET", `${DEVELOPERS}/ada`)).tags, []);
  const tagged = await tag(desk, "ada", "Partners", "beta", "Partners");
  assert.deepEqual(tagged.tags, ["Partners", "beta"]);
  await tag(desk, "lena", "Partners");
  await call(desk, "POST", `${DEVELOPERS}/lena/deactivate`, { keys: "keep" });
  assert.deepEqual(await idsOf(desk, "tag=Partners"), ["lena", "ada"]);
  assert.deepEqual(await idsOf(desk, "tag=Partners&sort=oldest"), ["ada", "lena"]);
  assert.deepEqual(await idsOf(desk, "tag=Partners&sort=email&direction=desc"), ["lena", "ada"]);
  assert.deepEqual(await idsOf(desk, "tag=Partners&state=active"), ["ada"]);
  assert.deepEqual(await idsOf(desk, "tag=partners"), []);
  assert.deepEqual(await idsOf(desk, "q=partn"), ["ada", "lena"]);
  assert.deepEqual(await idsOf(desk, "q=example&tag=beta"), ["ada"]);
  assert.deepEqual(await idsOf(desk, "tag=Partners&limit=1"), ["lena", "ada"]);
  assert.deepEqual(await call(desk, "GET", "/v1/developer-tags"), { tags: ["Partners", "beta"] });
  const lines = await file(desk, "GET", `${DEVELOPERS}/export?tag=beta`);
  assert.match(lines[1] ?? "", /^ada,.*Partners; beta/);
  const rows = await allItems(desk, "/v1/audit-log?action=developer.tags_changed");
  assert.deepEqual(rows.map(({ object_id, detail }) => [object_id, detail]), [
    ["lena", { before: [], after: ["Partners"] }],
    ["ada", { before: [], after: ["Partners", "beta"] }],
  ]);
  // The same once more is no change.
  await tag(desk, "ada", "Partners", "beta");
  const again = await allItems(desk, "/v1/audit-log?action=developer.tags_changed");
  assert.equal(again.length, 2);
  await tag(desk, "ada");
  assert.deepEqual(await idsOf(desk, "tag=Partners"), ["lena"]);
  assert.deepEqual(await idsOf(desk, "q=beta"), []);
  const shown = await call(desk, "GET", "/api/portal/developers/lena");
  assert.ok(!("tags" in shown));
});

onEngines("tags: what somebody read before is refused once the tags are others", async (desk) => {
  await add(desk, "ada");
  const { revision } = await call(desk, "GET", `${DEVELOPERS}/ada`);
  const put = (match: string, tags: string[]) =>
    desk.send("PUT", `${DEVELOPERS}/ada/tags`, {
      body: { tags },
      headers: { "if-match": `"${match}"` },
    });
  assert.equal((await put(revision, ["one"])).status, 200);
  assert.equal((await put(revision, ["two"])).status, 412);
  const edit = await desk.send("PUT", `${DEVELOPERS}/ada`, {
    body: { email: "ada@example.org", fields: {} },
    headers: { "if-match": `"${revision}"` },
  });
  assert.equal(edit.status, 412);
  assert.deepEqual((await call(desk, "GET", `${DEVELOPERS}/ada`)).tags, ["one"]);
  // Taken away, the developer is what they were.
  await tag(desk, "ada");
  assert.equal((await call(desk, "GET", `${DEVELOPERS}/ada`)).revision, revision);
});

onEngines("tags: they stay through edits, another date, deletion and coming back", async (desk) => {
  await add(desk, "ada");
  await tag(desk, "ada", "partners");
  await call(desk, "PUT", `${DEVELOPERS}/ada`, {
    email: "ada@new.example",
    fields: { name: "A" },
    account: "same_person",
  });
  const older = await call(desk, "GET", "/api/portal/developers/ada");
  await call(desk, "PUT", "/api/portal/developers/ada", {
    ...older,
    date_created: "2001-01-01T00:00:00Z",
  });
  assert.deepEqual(await idsOf(desk, "tag=partners"), ["ada"]);
  await call(desk, "DELETE", `${DEVELOPERS}/ada?keys=keep`);
  assert.deepEqual(await call(desk, "GET", "/v1/developer-tags"), { tags: [] });
  await add(desk, "other");
  await call(desk, "POST", `${DEVELOPERS}/ada/restore`, {});
  assert.deepEqual((await call(desk, "GET", `${DEVELOPERS}/ada`)).tags, ["partners"]);
  assert.deepEqual(await idsOf(desk, "tag=partners"), ["ada"]);
});

onEngines("tags: another organisation's developers are none, and nothing is told of them", async (
  desk,
) => {
  const { admin: credential } = await desk.otherOrganisation();
  await add(desk, "ada");
  await tag(desk, "ada", "partners");
  const put = await desk.send("PUT", `${DEVELOPERS}/ada/tags`, {
    credential,
    body: { tags: [] },
  });
  assert.equal(put.status, 404);
  const told = await desk.send("GET", "/v1/developer-tags", { credential });
  assert.deepEqual(await told.json(), { tags: [] });
  assert.deepEqual((await call(desk, "GET", `${DEVELOPERS}/ada`)).tags, ["partners"]);
});

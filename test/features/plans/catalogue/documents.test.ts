/** Documents that catalogue entries name: kept as they came. */
import assert from "node:assert/strict";
import { assertFailure } from "../../../support/answers.ts";
import { pathTo, post, succeed } from "../../../support/companions.ts";
import { testOnEngines } from "../../../support/desk.ts";
import { tracesOf } from "../../../support/keys.ts";

const DOCUMENTS = "/api/portal/documentation";
const sent = { api_id: "weather", doc_type: "swagger", documentation: "eyJhIjoxfQ==" };

testOnEngines("documents: added, read, replaced and deleted", async (desk) => {
  const id = await post(desk, DOCUMENTS, sent);
  assert.match(id, /^[0-9a-f]{24}$/);
  assert.deepEqual(await succeed(desk, "GET", pathTo(DOCUMENTS, id)), { id, ...sent });
  const changed = { api_id: "", doc_type: "blueprint", documentation: "é not base64 at all" };
  await succeed(desk, "PUT", pathTo(DOCUMENTS, id), { body: changed });
  assert.deepEqual(await succeed(desk, "GET", `${DOCUMENTS}/${id}/`), { id, ...changed });
  const removed = await succeed(desk, "DELETE", pathTo(DOCUMENTS, id));
  assert.deepEqual(removed, { Status: "OK", Message: "Data deleted", Meta: null });
  await assertFailure(await desk.send("GET", pathTo(DOCUMENTS, id)), "not_found");
  const { audit, topics } = await tracesOf(desk, id);
  const words = ["created", "updated", "deleted"].map((word) => `documentation.${word}`);
  assert.deepEqual(audit.map(([action]) => action), words);
  assert.deepEqual(topics, words);
  assert.ok(!JSON.stringify(audit).includes("eyJhIjoxfQ"));
});

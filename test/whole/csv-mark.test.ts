/** Each CSV file begins with a byte-order mark where that is asked for, and else with a name. */
import assert from "node:assert/strict";
import { z } from "zod";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { endpoints } from "../../src/reference/registry.ts";
import { ask, engineOf, onEngines, start, work } from "../support/jobs.ts";

const MARK = [0xef, 0xbb, 0xbf];

const csvFiles = endpoints.filter(({ contentTypes }) =>
  contentTypes?.response?.includes("text/csv")
);

onEngines("CSV: a byte-order mark where it is asked for, in every file", async (desk) => {
  await ask(desk, 2);
  const { id } = await start(desk, { kind: "approve", filter: {} });
  await work(engineOf(desk));
  const bytesOf = async ({ method, path }: Endpoint, query: string) => {
    const answer = await desk.send(method, `${path.replace("{id}", id)}?${query}`);
    assert.equal(answer.status, 200, path);
    return new Uint8Array(await answer.arrayBuffer());
  };
  assert.ok(csvFiles.length >= 8);
  for (const endpoint of csvFiles) {
    const { id, query } = endpoint;
    assert.ok(query instanceof z.ZodObject && "bom" in query.shape, `${id} takes bom`);
    const format = "format" in query.shape ? "&format=csv" : "";
    const marked = await bytesOf(endpoint, `bom=true${format}`);
    assert.deepEqual([...marked.subarray(0, 3)], MARK, id);
    assert.match(new TextDecoder().decode(marked.subarray(3)), /^\w+,\w+[^\ufeff]*$/, id);
    for (const plain of ["", "bom=false"]) {
      const [first = 0] = await bytesOf(endpoint, `${plain}${format}`);
      assert.match(String.fromCharCode(first), /[a-z]/, `${id} ${plain}`);
    }
  }
});

onEngines("CSV: other formats have no mark, and another word is refused", async (desk) => {
  const jsonl = await desk.send("GET", "/v1/audit-log/export?format=jsonl&bom=true");
  const [first] = new Uint8Array(await jsonl.arrayBuffer());
  assert.equal(first, "{".charCodeAt(0));
  const wrong = await desk.send("GET", "/v1/keys/export?bom=yes");
  assert.deepEqual([wrong.status, (await wrong.json()).code], [400, "invalid_input"]);
});

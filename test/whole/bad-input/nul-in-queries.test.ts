/** No engine is asked for a text with a NUL in it: PostgreSQL takes none. */
import assert from "node:assert/strict";
import { z } from "zod";
import { endpoints } from "../../../src/reference/registry.ts";
import { testOnEngines } from "../../support/desk.ts";
import { anyCaller } from "../../support/developers.ts";

testOnEngines("NUL: no query of any endpoint may hold one", async (desk) => {
  const send = await anyCaller(desk);
  let asked = 0;
  for (const endpoint of endpoints) {
    const { method, path, query } = endpoint;
    if (!(query instanceof z.ZodObject)) continue;
    const place = path.replaceAll(/\{[^}]+\}/g, "absent");
    for (const name of Object.keys(query.shape)) {
      const response = await send(endpoint, `${place}?${name}=a%00b`);
      assert.equal(response.status, 400, `${method} ${place} ${name}`);
      await response.body?.cancel();
      asked++;
    }
  }
  assert.ok(asked > 50, String(asked));
});

/** The JSON Schema of declarations, by which editors check and complete a file. */
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { operatorOf } from "../../support/config.ts";
import { testOnEngines } from "../../support/desk.ts";

testOnEngines(
  "the schema takes what is exported, and refuses a mistake at its place",
  async (desk) => {
    const client = operatorOf(desk);
    const config = {
      plans: [{ name: "Gold", extra: { ours: 1 } }],
      roles: [{ name: "First line", permissions: ["revoke"] }],
      channels: [{ name: "Hook", url: "https://hooks.example.org" }],
      approval_policies: [{ plan: "Gold", outcome: "one", expires_after_days: null }],
    };
    await client.applyConfig({ body: { config, source: "a.yaml" } });
    const answer = await desk.send("GET", "/v1/config/schema", { credential: null });
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
      await answer.json(),
    );
    assert.ok(validate(await client.getConfig()), JSON.stringify(validate.errors));
    for (
      const [wrong, place] of [
        [{ plans: [{ name: "A", rats: 1 }] }, "/plans/0"],
        [{ plans: [{ rate: 1 }] }, "/plans/0"],
        [{ channels: [{ name: "C", template: "irc" }] }, "/channels/0/template"],
        [{ plan: [] }, ""],
      ] as const
    ) {
      assert.ok(!validate(wrong));
      assert.equal(validate.errors?.[0]?.instancePath, place);
    }
  },
);

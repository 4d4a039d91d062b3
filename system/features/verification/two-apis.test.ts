/** Real nginx and real Caddy before two APIs, with the configurations of docs/gateways. */
import assert from "node:assert/strict";
import { keydesk } from "../../../test/support/command.ts";
import { startServerProcess, withFolder } from "../../../test/support/processes.ts";
import { proxiesOfTwo, startApi, startGatewayOfTwo } from "../../support/proxies.ts";

for (const kind of proxiesOfTwo) {
  Deno.test(`${kind}: of two APIs behind one proxy a key opens those of its plans, in either header`, async () => {
    await withFolder(async (folder) => {
      await using weather = startApi();
      await using tides = startApi();
      await using desk = await startServerProcess({ dataDir: folder });
      const keyFor = async (apis: string[], developer: string) => {
        const access_rights = Object.fromEntries(apis.map((api_id) => [api_id, { api_id }]));
        const name = apis.join(" and ");
        const plan = await desk.send("POST", "/v1/plans", { body: { name, access_rights } });
        assert.equal(plan.status, 200, JSON.stringify(plan.body));
        await desk.send("POST", "/v1/developers", {
          body: { id: developer, email: `${developer}@example.org` },
        });
        const path = `/v1/developers/${developer}/keys`;
        const issued = await desk.send("POST", path, { body: { plans: [plan.body.id] } });
        assert.equal(issued.status, 200, JSON.stringify(issued.body));
        return issued.body.RawKey;
      };
      const words = ["token", "create", "gateway", "--allow", "verify"];
      const token = await keydesk(words, { KEYDESK_DATA_DIR: folder });
      const settings = {
        WEATHER_ADDRESS: weather.address,
        TIDES_ADDRESS: tides.address,
        DESK_ADDRESS: `${desk.hostname}:${desk.port}`,
        DESK_CREDENTIAL: token.stdout.trim(),
        GATEWAY_NAME: "edge-1",
      };
      await using door = await startGatewayOfTwo(kind, settings, folder);
      const one = await keyFor(["weather"], "ada");
      const both = await keyFor(["weather", "tides"], "grace");
      const status = async (path: string, headers: Record<string, string>) => {
        const response = await fetch(door.url + path, { headers });
        await response.text();
        return response.status;
      };
      const posing = {
        "x-keydesk-api": "weather",
        "x-keydesk-developer": "mallory",
        x_keydesk_developer: "mallory",
        "x-keydesk_plans": "mallory",
      };
      for (const header of ["authorization", "x-api-key"]) {
        assert.equal(await status("/weather/today?x=1", { [header]: one }), 200, header);
        assert.equal(await status("/tides/today", { [header]: one, ...posing }), 403, header);
        assert.equal(await status("/tides/today", { [header]: both, ...posing }), 200, header);
        assert.equal(await status("/weather/", { [header]: `${one}x` }), 401, header);
      }
      assert.equal(await status("/weather/", {}), 401);
      assert.equal(await status("/weather/", { authorization: "wrong", "x-api-key": one }), 401);
      assert.equal(await status("/", { authorization: both }), 404);
      assert.equal(await status("/other/", { authorization: both }), 404);
      assert.deepEqual(
        weather.reached.map(({ path }) => path),
        Array(2).fill("/weather/today?x=1"),
      );
      assert.deepEqual(tides.reached.map(({ path }) => path), Array(2).fill("/tides/today"));
      for (const { headers } of [...weather.reached, ...tides.reached]) {
        assert.match(headers.get("x-keydesk-developer") ?? "", /^(ada|grace)$/);
        const seen = JSON.stringify([...headers]);
        for (const never of [one, both, settings.DESK_CREDENTIAL, "mallory"]) {
          assert.ok(!seen.includes(never), seen);
        }
      }
    });
  });
}

/** The WordPress plugin, its classes of 2023 and 2025: subscribe, show quota and use, revoke. */
import assert from "node:assert/strict";
import { aroundToday, OldClient, raw, testOldClient } from "../../support/old-client.ts";

const DELETED = "Key deleted successfully.";

testOldClient(
  "wordpress plugin: subscribes, shows quota and use, and revokes",
  raw,
  async (plugin) => {
    const rights = { weather: { api_id: "weather", api_name: "Weather", versions: ["Default"] } };
    const gold = (await plugin.call("POST", "/api/portal/policies", {
      name: "Gold",
      tags: ["gold"],
      quota_max: 1000,
      quota_renewal_rate: 3600,
      access_rights: rights,
    })).Message;
    // The plugin asks with the first API, which the key's plan need not open.
    await plugin.call("POST", "/api/portal/policies", {
      name: "Other",
      active: false,
      access_rights: { alerts: { api_id: "alerts", api_name: "Alerts", versions: ["Default"] } },
    });
    const email = "ada@example.org";
    const ada = (await plugin.call("POST", "/api/portal/developers", { email })).Message;
    const { Data } = await plugin.call("GET", "/api/portal/policies?p=-1");
    const plan = Data.find((one: { _id: string }) => one._id === gold);
    assert.deepEqual([plan._id, plan.name, plan.tags], [gold, "Gold", ["gold"]]);
    assert.deepEqual([plan.active, plan.is_inactive], [true, false]);

    const subscribe = async () => {
      const sent = {
        by_user: ada,
        for_plan: gold,
        approved: false,
        date_created: "2026-11-20T10:00:00+01:00",
        version: "v2",
      };
      const { Message } = await plugin.call("POST", "/api/portal/requests", sent);
      const { RawKey } = await plugin.call("PUT", `/api/portal/requests/approve/${Message}`);
      await plugin.useKey(RawKey);
      const { subscriptions } = await plugin.call("GET", `/api/portal/developers/${ada}`);
      return subscriptions[gold];
    };

    const hash = await subscribe();
    const { apis } = await plugin.call("GET", "/api/apis?p=-1");
    const api = apis[0].api_definition.api_id;
    assert.equal(api, "alerts");
    const { data } = await plugin.call("GET", `/api/apis/${api}/keys/${hash}`);
    assert.deepEqual([data.quota_max, data.quota_remaining], [1000, 999]);
    assert.ok(data.quota_renews > Date.now() / 1000);
    const use = `/api/activity/keys/${hash}/${aroundToday()}?res=day&p=-1`;
    assert.equal((await plugin.call("GET", use)).data[0].hits, 1);

    // Until 2024, and since then with a doubled base and without the API.
    const { desk, base } = plugin;
    const token = await desk.token(["portal:read", "portal:write", "revoke"]);
    const portal = new OldClient(desk, base, raw(token));
    const old = `/api/portal/developers/key/${gold}/${hash}/${ada}`;
    assert.equal((await portal.call("DELETE", old)).Message, DELETED);
    const second = await subscribe();
    const doubled = `/api/api/apis//keys/${second}`;
    assert.equal((await portal.call("DELETE", doubled)).Message, DELETED);
    await portal.call("DELETE", doubled, undefined, 404);
    const { keys, subscriptions } = await plugin.call("GET", `/api/portal/developers/${ada}`);
    assert.deepEqual([keys, subscriptions], [{}, {}]);
  },
);

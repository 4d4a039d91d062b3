/** `keydesk access` on the local store beside its server, and on that server. */
import assert from "node:assert/strict";
import { keydesk } from "../support/command.ts";
import { doors, linesOf, openDoors } from "../support/doors.ts";

for (const way of doors) {
  Deno.test(`elevations (${way}): rules and elevations are listed, one ends, and doctor warns`, async () => {
    await using desk = await openDoors();
    const call = desk[way];
    const { url } = desk.server;
    const authorization = (await Deno.readTextFile(desk.tokenFile)).trim();
    assert.match((await call("access", "list")).stderr, /There was no temporary access yet/);
    assert.match((await call("access", "rules")).stderr, /There is no rule/);
    const send = async (method: string, path: string, body: unknown) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return await response.json();
    };
    const permissions = ["portal:read"];
    const grace = (await send("POST", "/v1/people", { name: "Grace", permissions })).id;
    const second = (await send("POST", "/v1/people", { name: "Bob", permissions })).id;
    const rule = { name: "Incidents", people: [grace], role: "approver", minutes: 60 };
    const body = { ...rule, proof: "second_person", seconds: [second] };
    const { id: rule_id } = await send("POST", "/v1/temporary-access-rules", body);
    const token = { name: "x", deliver: "answer" };
    const path = `/v1/people/${grace}/access-tokens`;
    const { access_token: credential } = await send("POST", path, token);
    const signedIn = await fetch(`${url}/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ access_token: credential }),
    });
    const { csrf_token } = await signedIn.json();
    const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const asked = await fetch(`${url}/v1/temporary-access`, {
      method: "POST",
      headers: { cookie, "x-csrf-token": csrf_token, "content-type": "application/json" },
      body: JSON.stringify({ rule_id, reason: "An incident", minutes: 5 }),
    });
    const { id } = await asked.json();
    assert.equal(asked.status, 200);
    const [listed] = linesOf((await call("access", "list", "--json")).stdout) as {
      id: string;
      state: string;
    }[];
    assert.deepEqual([listed?.id, listed?.state], [id, "asked"]);
    assert.match((await call("access", "rules")).stdout, /Incidents +portal:read,approve\n/);
    const ended = await call("access", "end", id);
    assert.match(ended.stderr, /^The temporary access \w+ of "Grace" is over\.\n$/);
    assert.match((await call("access", "end", id)).stderr, /temporary_access_over/);
    const { stdout } = await keydesk(["doctor"], desk.settings);
    assert.match(stdout, /"Incidents" .* notifies no one/);
  });
}

/**
 * Each condition of a key at proxies that really run, with the files of docs/gateways; the table of
 * docs/verification.md names these tests.
 */
import assert from "node:assert/strict";
import { newSealingKey } from "../../../src/kernel/sealing/sealing-keys.ts";
import {
  type Call,
  grantedKeys,
  keyThatEnded,
  offerTokens,
} from "../../../test/support/granted-keys.ts";
import { startServerProcess, withFolder } from "../../../test/support/processes.ts";
import { type Door, proxies, startApi, startGateway } from "../../support/proxies.ts";

const API = "weather";
/** The visitor of these tests; Envoy tells the machine's own address in place of a loopback one. */
const VISITOR = [
  "127.0.0.0/8",
  ...Deno.networkInterfaces().filter(({ family }) => family === "IPv4").map((one) => one.address),
];
const ELSEWHERE = "198.51.100.0/24";

for (const kind of proxies) {
  Deno.test(`conditions: ${kind} goes by every condition`, async () => {
    await withFolder(async (dataDir) => {
      await using api = startApi();
      const sealingKey = newSealingKey().trim();
      const environment = {
        KEYDESK_SEALING_KEY: sealingKey,
        KEYDESK_TRUSTED_PROXIES: "127.0.0.1",
      };
      await using server = await startServerProcess({ dataDir, environment });
      const call: Call = async (method, path, body) => {
        const answer = await server.send(method, path, { body });
        assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
        return answer.body;
      };
      const { organisation } = await call("GET", "/v1/me");
      const settings = {
        API_ADDRESS: api.address,
        API_ID: API,
        DESK_ADDRESS: `${server.hostname}:${server.port}`,
        DESK_CREDENTIAL: server.credential,
        GATEWAY_NAME: "",
      };
      await using door = await startGateway(kind, settings, dataDir);
      const keys = await grantedKeys(call, {
        api: API,
        addresses: VISITOR,
        expires_at: "2040-01-01T00:00:00Z",
        tokenOf: offerTokens(sealingKey, organisation.id),
      });
      const status = (condition: keyof typeof keys) =>
        statusOf(door, keys[condition].credential.RawKey);
      for (const condition of ["rate", "quota"] as const) {
        assert.deepEqual(
          [await status(condition), await status(condition), await status(condition)],
          [200, 200, 429],
          condition,
        );
      }
      assert.equal(await status("plan left out"), 403);
      assert.equal(await status("plan put in its place"), 200);
      assert.equal(api.reached.at(-1)?.headers.get("x-keydesk-plans"), keys.rate.plan);
      assert.equal(await status("addresses"), 200);
      // What a visitor says of themselves counts for nothing.
      const { RawKey: other } = await outside(call);
      assert.equal(await statusOf(door, other), 403);
      assert.equal(await statusOf(door, other, { "x-forwarded-for": "198.51.100.7" }), 403);
      assert.equal(await status("end"), 200);
      const isLetIn = async (key: string) => await statusOf(door, key) === 200;
      const ended = await keyThatEnded(call, keys.end.plan, isLetIn);
      assert.equal(await statusOf(door, ended), 401);
    });
  });
}

/** A key of the visitors of somewhere else. */
async function outside(call: Call): Promise<{ RawKey: string }> {
  const { id: for_plan } = await call("POST", "/v1/plans", { name: "For others" });
  await call("POST", "/v1/developers", { id: "dev-outside", email: "outside@example.org" });
  const { id } = await call("POST", "/v1/key-requests", { by_user: "dev-outside", for_plan });
  const body = { conditions: { addresses: [ELSEWHERE] } };
  return (await call("POST", `/v1/key-requests/${id}/approve`, body)).key;
}

async function statusOf(
  door: Door,
  key: string,
  more: Record<string, string> = {},
): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, ...more };
  const answer = await fetch(`${door.url}/forecast`, { headers });
  await answer.body?.cancel();
  return answer.status;
}

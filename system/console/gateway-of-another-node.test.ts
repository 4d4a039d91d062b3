/**
 * A real gateway asks one node, and the console of another one explains: why, in two actions from
 * every screen, and by the button that fixes it. With `KEYDESK_SHOW_TIMES=1` it says how long rows
 * took.
 */
import assert from "node:assert/strict";
import { sha256 } from "../../src/kernel/sha256.ts";
import { withFolder } from "../../test/support/processes.ts";
import { testTwoNodes } from "../../test/whole/crash/support/two-nodes.ts";
import { startApi, startGateway } from "../support/proxies.ts";
import { sharedBrowser } from "../support/shared-browser.ts";
import { visit } from "./browser.ts";

/** Deeds from a screen until it is read why a key was refused: presses and clicks. */
const MOST_DEEDS = 2;
const ADMINISTRATOR = "administrator-of-the-test-of-two-nodes";
const screens = [
  "home",
  "requests",
  "keys",
  "apis",
  "developers",
  "certificates",
  "gateways",
  "deliveries",
  "audit-log",
  "settings",
];
/** Refusals whose way to the screen is measured. */
const MEASURED = Number(Deno.env.get("KEYDESK_SHOW_TIMES") ? 20 : 2);

testTwoNodes(
  "logs: what nginx denies by one node is read on the other, in two deeds from anywhere, and mended there",
  { KEYDESK_TRUSTED_PROXIES: "127.0.0.1" },
  ({ nodes: [one, other], sent }) =>
    withFolder(async (folder) => {
      const opens = { weather: { api_id: "weather", api_name: "Weather", versions: ["Default"] } };
      const plan = await sent("POST", "/v1/plans", { name: "Weather", access_rights: opens });
      await sent("POST", "/v1/developers", { id: "nova", email: "nova@example.org" });
      const { key_id, RawKey } = await sent("POST", "/v1/developers/nova/keys", {
        plans: [plan.id],
        deliver: "answer",
        name: "Nova shop",
      });
      await sent("POST", "/v1/gateways", { connection: "checks", name: "edge-1", kind: "nginx" });
      await using api = startApi();
      await using door = await startGateway("nginx", {
        API_ADDRESS: api.address,
        API_ID: "weather",
        DESK_ADDRESS: `${one.hostname}:${one.port}`,
        DESK_CREDENTIAL: ADMINISTRATOR,
        GATEWAY_NAME: "edge-1",
      }, folder);
      const call = async (key: string) => {
        const answer = await fetch(door.url, { headers: { authorization: `Bearer ${key}` } });
        await answer.body?.cancel();
        return answer.status;
      };
      assert.equal(await call(RawKey), 200);
      await sent("POST", `/v1/keys/${key_id}/suspend`, { reason: "for a test" });
      while (await call(RawKey) === 200) { /* until the node has heard of it */ }
      const reached = api.reached.length;

      await using browser = await sharedBrowser();
      await using ada = await visit(browser);
      const { page } = ada;
      const data = { access_token: ADMINISTRATOR };
      const signedIn = await ada.context.request.post(`${other.url}/v1/session`, { data });
      assert.ok(signedIn.ok(), await signedIn.text());
      const table = page.getByRole("table", { name: "Denied calls" });
      const row = table.locator(".row", { hasText: "Nova shop" }).first();
      const isRead = () => row.getByText("The key is suspended").waitFor();
      for (const screen of screens) {
        for (const way of ["keys", "mouse"] as const) {
          await page.goto(`${other.url}/console/${screen}`);
          await page.getByRole("heading", { level: 1 }).first().waitFor();
          let deeds = 0;
          if (way === "mouse") {
            deeds++;
            await page.getByRole("link", { name: /^Logs/ }).first().click();
          } else {
            for (const key of ["g", "l"]) {
              deeds++;
              await page.keyboard.press(key);
            }
          }
          await isRead();
          assert.ok(deeds <= MOST_DEEDS, `${deeds} deeds from ${screen}`);
        }
      }
      // In the list of keys the key itself says it, in one.
      await page.goto(`${other.url}/console/keys`);
      await page.getByRole("table", { name: "Keys" }).getByRole("link").first().click();
      await page.getByRole("complementary", { name: "Details" }).getByText("The key is suspended")
        .first().waitFor();

      await page.goto(`${other.url}/console/logs`);
      await isRead();
      await row.getByRole("button", { name: "Resume: Nova shop" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Reason").fill("The developer answered");
      await dialog.getByRole("button", { name: "Resume" }).click();
      await row.getByText("Valid again").waitFor();
      await ada.show("logs/other-node");
      while (await call(RawKey) !== 200) { /* until the node at the door has heard of it */ }
      assert.equal(api.reached.length, reached + 1, "nothing came through meanwhile");

      const times: number[] = [];
      for (let n = 0; n < MEASURED; n++) {
        const key = `nobody-knows-${n}-${crypto.randomUUID()}`;
        assert.equal(await call(key), 401);
        const began = performance.now();
        await table.getByText(sha256(key).slice(0, 8)).first().waitFor();
        times.push(performance.now() - began);
      }
      if (Deno.env.get("KEYDESK_SHOW_TIMES")) {
        const sorted = times.toSorted((a, b) => a - b).map((ms) => `${Math.round(ms)}`);
        console.log(`from the refusal to its row, ms: ${sorted.join(" ")}`);
      }
      assert.deepEqual(ada.complaints, []);
    }),
);

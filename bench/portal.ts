/**
 * The developer's pages as they are felt, in Chromium: `deno run -A bench/portal.ts`. Largest
 * contentful paint, layout shift and interaction to next paint with 200 APIs, each with an empty
 * cache, and bytes over the wire: on a slow machine (4 times slower CPU, 1.6 Mbit/s, 150 ms) and
 * with that CPU alone; public pages are visited by a stranger. Prints a table in Markdown.
 */
import { startDemoServer } from "../system/console/browser.ts";
import { SLOW, slowDown, vitalsOf, watchVitals } from "../system/console/vitals.ts";
import { startBrowser } from "../system/support/browser.ts";
import { countBytes, sumOf } from "../system/support/wire.ts";
import { roundsOf } from "./machine.ts";

const APIS = 200;
const ROUNDS = roundsOf(3);
const middle = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

// Sign-up needs a mail server by name; no page that is measured sends a mail.
await using server = await startDemoServer(false, {
  KEYDESK_SMTP_URL: "smtp://127.0.0.1:9",
  KEYDESK_MAIL_FROM: "portal@example.org",
});
const paths = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [`/p${n}`, { get: { summary: `Operation ${n}` } }]),
);
const { Message: documentation } = await server.call("POST", "/api/portal/documentation", {
  documentation: btoa(JSON.stringify({ openapi: "3.0.0", paths })),
}) as { Message: string };
const apis = [];
for (let n = 0; n < APIS; n++) {
  const { Message: policy_id } = await server.call("POST", "/api/portal/policies", {
    name: `Plan ${n}`,
    active: true,
    quota_max: 1000,
    quota_renewal_rate: 86_400,
    access_rights: { [`api-${n}`]: { api_id: `api-${n}`, api_name: `API ${n}` } },
  }) as { Message: string };
  apis.push({ name: `API ${n}`, show: true, api_id: `api-${n}`, policy_id, documentation });
}
await server.call("POST", "/api/portal/catalogue", { apis });
await server.call("POST", "/v1/channels", { kind: "mail", name: "Mail", topics: ["developer.*"] });
await server.call("PUT", "/v1/developer-pages", {
  enabled: true,
  back_end_access: "all",
  sign_up: "open",
});
await server.call("POST", "/v1/developers", { id: "dev-ada", email: "ada@example.org" });
const { key_id } = await server.call("POST", "/v1/developers/dev-ada/keys", {
  plans: [apis[0]?.policy_id],
}) as { key_id: string };
const { token } = await server.call("POST", "/v1/developers/dev-ada/sign-in-links") as {
  token: string;
};
await using browser = await startBrowser();
await server.call("PUT", "/v1/apis/api-2", { visibility: "public" });
const first = await browser.newContext();
const entering = await first.newPage();
await entering.goto(`${server.url}/portal/enter#${token}`);
await entering.getByRole("heading", { name: "APIs" }).waitFor();
const cookies = await first.cookies();

const MACHINES = [["slow", SLOW], ["CPU × 4", { cpu: SLOW.cpu }]] as const;

/** What each visit to a page measured. */
async function measure(path: string, slow: (typeof MACHINES)[number][1], isOutside: boolean) {
  const lcp = [], inp = [], cls = [], bytes = [];
  for (let round = 0; round < ROUNDS; round++) {
    const context = await browser.newContext({ viewport: { width: 1360, height: 820 } });
    if (!isOutside) await context.addCookies(cookies);
    const page = await context.newPage();
    await watchVitals(page);
    const cdp = await context.newCDPSession(page);
    await cdp.send("Network.enable");
    const wire = countBytes(page);
    await slowDown(cdp, slow);
    await page.goto(server.url + path, { waitUntil: "networkidle" });
    const loaded = await vitalsOf(page);
    lcp.push(loaded.lcp);
    cls.push(loaded.cls);
    bytes.push(sumOf(await wire.ended()));
    const summary = page.locator("summary").first();
    if (await summary.count() > 0) await summary.click();
    else await page.locator("h1").click();
    const { interactions } = await vitalsOf(page);
    inp.push(Math.max(0, ...interactions.map(({ ms }) => ms)));
    await context.close();
  }
  return { lcp, inp, cls, bytes };
}

console.log(
  "| page | machine | LCP, ms (worst) | CLS, worst | INP, ms | kB, cold |\n| --- | --- | --- | --- | --- | --- |",
);
for (
  const [name, path, isOutside = false] of [
    ["public catalogue", "/portal", true],
    ["public API", "/portal/apis/api-2", true],
    ["sign-up", "/portal/sign-up", true],
    ["sign-in", "/portal/sign-in", true],
    ["catalogue", "/portal"],
    ["API", "/portal/apis/api-1"],
    ["request access", `/portal/ask/${apis[1]?.policy_id}`],
    ["requests", "/portal/requests"],
    ["keys", "/portal/keys"],
    ["key", `/portal/keys/${key_id}`],
    ["account", "/portal/account"],
  ] as const
) {
  for (const [machine, slow] of MACHINES) {
    const { lcp, inp, cls, bytes } = await measure(path, slow, isOutside);
    const kb = Math.round(middle(bytes) / 100) / 10;
    const worst = Math.round(Math.max(...lcp));
    console.log(
      `| ${name} | ${machine} | ${Math.round(middle(lcp))} (${worst}) | ${Math.max(...cls)} | ${
        middle(inp)
      } | ${kb} |`,
    );
  }
}
await first.close();

/** Names that turn texts round, wherever the console shows them: nothing beside them turns. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { DemoServer } from "./browser.ts";
import { desk } from "./desk.ts";

/** Says that what comes behind it is read from right to left, and never says that it ends. */
const TURNS = "Ada \u202eyb deksa";
const HEBREW = "\u05e2\u05d3\u05d4 12";

interface View {
  readonly at: string;
  /** Shown there in the end: the name stands in it, or beside it. */
  readonly seen: string | RegExp;
  readonly press?: readonly (string | RegExp)[];
  readonly type?: string;
}

Deno.test("names: one that turns texts round turns nothing beside it, on any screen, in any dialog", () =>
  desk(async (_, page, server) => {
    const wrong = new Set<string>();
    for (const name of [TURNS, HEBREW]) {
      const views = await viewsOf(server, name);
      for (const view of views) {
        await page.goto(`${server.url}/console${view.at}`);
        for (const one of view.press ?? []) {
          await page.getByRole("button", { name: one, exact: true }).first().click();
        }
        if (view.type) await typeIntoPalette(page, view.type);
        await shown(page, view.seen);
        await shown(page, name.slice(0, 3));
        for (const one of await page.evaluate(turned, [TURNS, HEBREW])) {
          wrong.add(`${view.at} ${view.press ?? ""} ${one}`);
        }
      }
    }
    assert.deepEqual([...wrong], []);
  }));

const shown = (page: Page, words: string | RegExp) =>
  page.getByText(words).locator("visible=true").first().waitFor();

async function typeIntoPalette(page: Page, words: string): Promise<void> {
  await page.locator(".row-link").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Search" }).getByRole("combobox").fill(words);
}

/** Somebody and something of that name, and where the console tells of them. */
async function viewsOf(server: DemoServer, name: string): Promise<View[]> {
  // as: each answers with what it made.
  const post = async (path: string, body: unknown) =>
    await server.call("POST", path, body) as Record<string, string>;
  const slug = name === TURNS ? "turns" : "hebrew";
  const { id: api = "" } = await post("/v1/apis", { id: slug, name, plans: [] });
  const rights = { [api]: { api_name: name, versions: ["Default"] } };
  // What the older interface brings is never refused for its name.
  const { Message: plan = "" } = await post("/api/portal/policies", {
    name,
    access_rights: rights,
  });
  const fields = { name, company: name };
  const { Message: ada = "" } = await post("/api/portal/developers", {
    email: `${slug}@example.org`,
    fields,
  });
  const ask = { by_user: ada, for_plan: plan, fields: { use_case: name } };
  const { id: request = "" } = await post("/v1/key-requests", ask);
  // Here the server itself refuses such signs.
  const plain = name.replace("\u202e", "");
  const labels = { name: plain, tags: [slug] };
  const { key_id = "" } = await post(`/v1/developers/${ada}/keys`, { plans: [plan], ...labels });
  const { id: person = "" } = await post("/v1/people", {
    name: plain,
    permissions: ["portal:read"],
  });
  const { id: token } = await post(`/v1/people/${person}/access-tokens`, { name: plain });
  const channel = { name: plain, url: "https://portal.invalid/", topics: ["key_request.*"] };
  const { id: told = "" } = await post("/v1/channels", channel);
  return [
    { at: `/requests/${request}`, seen: "Decline" },
    { at: `/requests/${request}`, seen: "Approve & issue key", press: ["Approve"] },
    { at: "/keys", seen: slug },
    { at: `/keys/${key_id}`, seen: "History" },
    { at: `/keys/${key_id}`, seen: "Suspend this key?", press: ["Suspend"] },
    { at: "/developers", seen: `${slug}@example.org` },
    { at: `/developers/${ada}`, seen: "Member since" },
    { at: `/developers/${ada}`, seen: /^Delete .*\?$/, press: ["Delete"] },
    { at: `/developers/${ada}`, seen: /^Deactivate .*\?$/, press: ["Deactivate"] },
    { at: `/apis/${api}`, seen: "Take it out" },
    { at: `/apis/plans/${plan}`, seen: "Requests for it" },
    { at: `/apis/plans/${plan}`, seen: /^Deactivate .*\?$/, press: ["Deactivate"] },
    { at: `/apis/plans/${plan}`, seen: /is inactive\.$/, press: ["Deactivate", "Deactivate"] },
    { at: `/settings/${person}`, seen: "Person id" },
    { at: `/settings/${person}`, seen: /^Suspend .*\?$/, press: ["Suspend"] },
    { at: `/settings/${token}?show=access-tokens`, seen: /^Revoke “/, press: ["Revoke"] },
    { at: `/settings/${told}?show=channels`, seen: /^Delete .*\?$/, press: ["Delete"] },
    { at: "/audit-log", seen: "Audit log" },
    { at: "/developers", seen: `${slug}@example.org`, type: slug },
  ];
}

/** What the page holds that turns more than itself: runs in the browser. */
function turned(names: readonly string[]): string[] {
  const TURNING = /[\u0590-\u08ff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
  /** Without what stands between an isolate's signs. */
  const outside = (text: string) => {
    let left = text;
    for (let before = ""; before !== left;) {
      before = left;
      left = left.replace(/\u2068[^\u2066-\u2069\u202a-\u202e]*\u2069/g, "");
    }
    return left;
  };
  const wrong: string[] = [];
  const look = (what: string, text: string) => {
    if (TURNING.test(outside(text))) wrong.push(`${what}: ${JSON.stringify(text)}`);
  };
  look("title", document.title);
  for (const element of document.querySelectorAll("*")) {
    for (const name of ["title", "aria-label", "placeholder", "alt"]) {
      const text = element.getAttribute(name) ?? "";
      // It has nothing beside it.
      if (!names.includes(text)) look(`${element.localName} ${name}`, text);
    }
    for (const node of element.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || !TURNING.test(node.nodeValue ?? "")) continue;
      const { unicodeBidi, display } = getComputedStyle(element);
      const isApart = unicodeBidi !== "normal" || !display.startsWith("inline") ||
        display === "inline-block" || display === "inline-flex";
      if (!isApart || element.childNodes.length > 1) {
        look(`<${element.localName}>`, node.nodeValue ?? "");
      }
    }
  }
  return wrong;
}

/**
 * The ten items of the menu in Chromium, each with its most usual task, done by the pointer alone:
 * `bench/JOBS.md` says how many clicks each takes.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { issue } from "../../test/support/certificates.ts";
import { repository } from "../../test/support/command.ts";
import { desk } from "./desk.ts";
import { Hands } from "./hands.ts";
import { button, dialog, drawer } from "./work/desk.ts";

/** The menu, in its order. */
const MENU = [
  "Home",
  "Requests",
  "Keys",
  "APIs",
  "Developers",
  "Certificates",
  "Logs",
  "Gateways",
  "Audit log",
  "Settings",
];

/** A line of the table: `| Keys | Suspend a key | 4 |`. */
const LINE = /^\| (.+?) +\| (.+?) +\| +(\d+) \|$/gm;

/** What `bench/JOBS.md` says of the ten walks. */
async function written(): Promise<string[][]> {
  const page = await Deno.readTextFile(join(repository, "bench/JOBS.md"));
  const part = page.split("## Ten tasks by the menu")[1] ?? "";
  return [...part.matchAll(LINE)].map(([, ...cells]) => cells);
}

Deno.test("menu: ten items, and each one's usual task takes the clicks that are written down", () =>
  desk(async (ada, page, server) => {
    const hands = new Hands(page);
    const bar = page.getByRole("navigation", { name: "Screens" });
    const links = bar.locator('.side-list a[href^="/console/"]');
    assert.deepEqual(
      (await links.locator(".side-name").allInnerTexts()).map((text) => text.trim()),
      MENU,
    );
    const { certificate } = issue({ subject: { CN: "Harborline" } });
    const click = (name: string | RegExp) =>
      hands.click(page.getByRole("button", { name }).first());
    const inDialog = (name: string) =>
      hands.click(dialog(page).getByRole("button", { name: new RegExp(`^${name}`) }).last());
    const firstRow = async () => {
      await hands.click(page.locator(".row-link").first());
      await drawer(page).getByRole("heading", { level: 2 }).waitFor();
    };
    const type = async (label: string, text: string) => {
      await dialog(page).getByLabel(new RegExp(`^${label}`)).first().focus();
      await hands.type(text);
    };
    const walks: Readonly<Record<string, readonly [task: string, walk: () => Promise<void>]>> = {
      Home: ["Open the request that waits longest", async () => {
        await hands.click(page.locator(".home-row .home-link").first());
        await drawer(page).getByRole("heading", { level: 2 }).waitFor();
      }],
      Requests: ["Approve a request, its key by a one-time link", async () => {
        await firstRow();
        await hands.click(button(page, "Approve"));
        await inDialog("Approve & issue key");
        await inDialog("Copy link & finish");
        await dialog(page).waitFor({ state: "detached" });
      }],
      Keys: ["Suspend a key", async () => {
        await firstRow();
        await click("Suspend");
        await type("Reason", "Unusual traffic");
        await inDialog("Suspend");
        await drawer(page).getByText("Suspended").first().waitFor();
      }],
      APIs: ["Add an API", async () => {
        await click(/^Add an API/);
        await type("Name", "Snow depths");
        await inDialog("Add");
        await page.getByRole("heading", { level: 2, name: "Snow depths" }).waitFor();
      }],
      Developers: ["Register a developer", async () => {
        await click(/^Register/);
        await type("E-mail address", "nova@example.org");
        await inDialog("Register");
        await page.getByRole("heading", { level: 2, name: /nova/ }).waitFor();
      }],
      Certificates: ["Add a certificate", async () => {
        await click(/^Add/);
        await dialog(page).getByLabel("Or paste PEM").fill(certificate);
        await inDialog("Add pasted text");
        await dialog(page).getByText("Harborline").first().waitFor();
      }],
      Logs: ["Ask why a key is denied", async () => {
        await click(/^Check a key/);
        await type("Key", "a-key-that-nobody-knows");
        await inDialog("Ask");
        await dialog(page).locator(".check-steps").waitFor();
      }],
      Gateways: ["Add a gateway that checks calls", async () => {
        await click(/^Add a gateway/);
        await inDialog("Next");
        await type("Name", "edge-1");
        await inDialog("Add");
        await dialog(page).getByText("Waiting for the first call").waitFor();
      }],
      "Audit log": ["Read who did what last, and when", async () => {
        await firstRow();
        await drawer(page).getByText("Event id").waitFor();
      }],
      Settings: ["Add a person", async () => {
        await hands.click(page.locator(".tab", { hasText: "Access" }));
        await click(/^Add a person/);
        await type("Name", "Grace Hopper");
        await inDialog("Add");
        await page.getByRole("heading", { level: 2, name: "Grace Hopper" }).waitFor();
      }],
    };
    const done: string[][] = [];
    for (const name of MENU) {
      const [task, walk] = walks[name] ?? ["", () => Promise.resolve()];
      // What is open of the walk before is gone.
      await page.goto(`${server.url}/console/settings`);
      const { clicks } = await hands.do(task, async () => {
        await hands.click(bar.getByRole("link", { name: new RegExp(`^${name}`) }));
        await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
        await walk();
      });
      done.push([name, task, String(clicks)]);
    }
    assert.deepEqual(done, await written());
    assert.deepEqual(ada.complaints, []);
  }, { delivery: "one_time_link" }));

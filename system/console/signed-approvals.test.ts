/** Approvals in Chromium that a passkey signs, and what an export proves of them without us. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { keydesk } from "../../test/support/command.ts";
import { runPageExample } from "../../test/support/page-example.ts";
import { type DemoServer, sizes } from "./browser.ts";
import { desk } from "./desk.ts";
import { browserOf, named, withAuthenticator } from "./virtual-passkeys.ts";

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Somebody who approves by a passkey of this browser, at a desk where that is demanded. */
async function asApprover(
  server: DemoServer,
  ada: Page,
  test: (page: Page, isKnown: (is: boolean) => Promise<void>) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  await server.call("PUT", "/v1/sign-in-rules", {
    tokens: true,
    domains: [],
    signed_approvals: true,
  });
  const { link } = await server.call("POST", "/v1/people/invitations", {
    name: "Hedy",
    email: "hedy@example.org",
    permissions: ["portal:read", "approve"],
  }) as { link: string };
  const context = await browserOf(ada).newContext(options);
  try {
    const page = await context.newPage();
    const isKnown = await withAuthenticator(page);
    await page.goto(named(server) + link.slice(link.indexOf("/console")));
    await button(page, "Accept with a passkey").click();
    await page.getByRole("navigation").first().waitFor();
    await test(page, isKnown);
  } finally {
    await context.close();
  }
}

/** The ids of requests that wait, oldest first. */
async function waiting(server: DemoServer): Promise<string[]> {
  const path = "/v1/key-requests?state=pending&sort=oldest";
  const { data } = await server.call("GET", path) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

Deno.test("signed: approved and offered by a passkey, and the page's program proves it from an export", () =>
  desk((_ada, ada, server) =>
    asApprover(server, ada, async (page) => {
      const [approved, offered] = await waiting(server);
      await page.goto(`${named(server)}/console/key-requests/${approved}`);
      await button(page, "Approve").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("Your passkey signs it.").waitFor();
      await dialog.getByRole("button", { name: /^Approve & issue key$/ }).click();
      await dialog.getByRole("button", { name: "Done" }).waitFor();
      await page.goto(`${named(server)}/console/key-requests/${offered}`);
      await button(page, "Approve").click();
      await page.getByText("Grant less than asked").click();
      await page.getByLabel(/^Calls in /).first().fill("7");
      await button(page, "Offer less").click();
      await page.getByText(/^Offered to /).waitFor();
      const folder = await Deno.makeTempDir();
      try {
        const { stdout } = await keydesk(["export", "audit"], server.settings);
        const file = join(folder, "trail.jsonl");
        const prove = async (text: string) => {
          await Deno.writeTextFile(file, text);
          const at = { page: "trail.md", section: "A signed approval", folder };
          return await runPageExample(at, [file, named(server)]);
        };
        assert.match(await prove(stdout), /^(\w{24} \w{24} signed\n){2}0$/);
        const row = stdout.split("\n").find((line) => line.includes('"signed"')) ?? "";
        const falsified: Record<string, string> = {
          "another request": stdout.replaceAll(approved ?? "", offered ?? ""),
          "another revision": stdout.replace(/"revision":"../, '"revision":"zz'),
          "other limits": stdout.replaceAll('"calls":7', '"calls":70'),
          "another end": stdout.replace(
            '"expires_at":null,"addresses"',
            '"expires_at":"2040","addresses"',
          ),
          "another person": stdout.replace(row, row.replace(/"actor":"\w{4}/, '"actor":"aaaa')),
          "twice": `${stdout}${row}\n`,
        };
        for (const [what, text] of Object.entries(falsified)) {
          assert.notEqual(text, stdout, what);
          assert.match(await prove(text), /false[^]*1$/, what);
        }
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    })
  ));

Deno.test("signed: several at once are not, and the dialog says so", () =>
  desk((_ada, ada, server) =>
    asApprover(server, ada, async (page) => {
      await page.goto(`${named(server)}/console/key-requests`);
      await page.locator(".row-link").first().waitFor();
      for (let turn = 0; turn < 2; turn++) {
        await page.keyboard.press("j");
        await page.keyboard.press("x");
      }
      await page.getByText("2 selected").waitFor();
      await page.keyboard.press("a");
      await page.getByRole("dialog", { name: "Approve them one by one" }).waitFor();
    })
  ));

Deno.test("signed: whom the authenticator does not know decides nothing, and is told so", () =>
  desk((_ada, ada, server) =>
    asApprover(server, ada, async (page, known) => {
      const [id] = await waiting(server);
      await known(false);
      await page.goto(`${named(server)}/console/key-requests/${id}`);
      await button(page, "Approve").click();
      await button(page, "Approve & issue key").click();
      await page.getByText(/^Not signed, so nothing was decided/).waitFor();
      assert.ok((await waiting(server)).includes(id ?? ""));
      await known(true);
      await button(page, "Approve & issue key").click();
      await page.getByRole("dialog").getByRole("button", { name: "Done" }).waitFor();
    })
  ));

Deno.test("signed: from a mail on a phone it takes two touches, and nothing to scroll", () =>
  desk((_ada, ada, server) =>
    asApprover(server, ada, async (page) => {
      const [id] = await waiting(server);
      await page.goto(`${named(server)}/console/key-requests/${id}`);
      let touches = 0;
      for (const name of ["Approve", "Approve & issue key"]) {
        const there = button(page, name);
        await there.waitFor();
        await there.evaluate((one) =>
          Promise.all(one.getAnimations({ subtree: true }).map((a) => a.finished))
        );
        const box = await there.boundingBox();
        assert.ok(
          box && box.y >= 0 && box.y + box.height <= sizes.phone.height,
          `${name} is in sight`,
        );
        await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
        touches++;
      }
      await page.getByRole("dialog").getByRole("button", { name: "Done" }).waitFor();
      assert.equal(touches, 2);
      assert.ok(!(await waiting(server)).includes(id ?? ""));
    }, { viewport: sizes.phone, hasTouch: true, isMobile: true })
  ));

/** Key requests, decided one by one and all at once. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import type { DemoServer } from "../browser.ts";
import { ask, button, type Desk, dialog, drawer, type Work } from "./desk.ts";

interface Counts {
  pending: number;
  issued: number;
  declined: number;
}
const counts = (server: DemoServer) => ask<Counts>(server, "/v1/key-requests/counts");

/** Waits until so many wait: a row leaves the list before the server has answered. */
async function pendingAre(server: DemoServer, count: number): Promise<void> {
  for (let left = 300; (await counts(server)).pending !== count; left--) {
    assert.ok(left > 0, `never ${count}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Leaves so many requests waiting; those beyond the demo's own are for its plan Free. */
async function leaveWaiting({ server, page }: Desk, count: number): Promise<void> {
  const { data } = await ask<{ data: { id: string }[] }>(
    server,
    "/v1/key-requests?state=pending&limit=100",
  );
  const { data: [plan] } = await ask<{ data: { id: string }[] }>(
    server,
    "/v1/plans?state=active&q=Free&limit=1",
  );
  for (const { id } of data.slice(count)) {
    await server.call("POST", `/v1/key-requests/${id}/decline`, {});
  }
  for (let n = data.length; n < count; n++) {
    const by_user = `student-${n}`;
    await server.call("POST", "/v1/developers", { id: by_user, email: `${by_user}@example.org` });
    const body = { by_user, for_plan: plan?.id, fields: { use_case: "A course" } };
    await server.call("POST", "/api/portal/requests", body);
  }
  await page.reload();
  await page.locator(".row-link").first().waitFor();
}

const currentRow = (page: Page) => page.locator("tr.is-current").getAttribute("data-row");

/** Decides by keys alone; of each two, one is approved by a one-time link and one declined. */
function oneByOne(count: number): Work {
  return {
    job: `${count} decided, one by one`,
    path:
      "J to the first; of two, one by A, Enter, Enter (the one-time link is copied), one by D, Enter; the next is there by itself",
    work: async (desk) => {
      const { server, page, hands } = desk;
      await leaveWaiting(desk, count);
      const before = await counts(server);
      await hands.do(`${count} decided, one by one`, async () => {
        await hands.press("j");
        for (let turn = 0; turn < count; turn++) {
          const id = await currentRow(page);
          if (turn % 2 === 0) {
            await hands.press("a");
            await dialog(page, "Approve this request?").waitFor();
            await hands.press("Enter");
            await button(page, "Copy link & finish").waitFor();
            await hands.press("Enter");
            await dialog(page).waitFor({ state: "detached" });
          } else {
            await hands.press("d");
            await dialog(page, "Decline this request?").waitFor();
            await hands.press("Enter");
          }
          await page.locator(`tr[data-row="${id}"]`).waitFor({ state: "detached" });
        }
        await page.getByText("Nothing waits for you").waitFor();
        await pendingAre(server, 0);
      });
      const after = await counts(server);
      assert.equal(after.issued - before.issued, count / 2);
      assert.equal(after.declined - before.declined, count / 2);
    },
  };
}

/** Approves all that wait in one job and takes the one-time links as a file. */
function inOneJob(count: number): Work {
  return {
    job: `${count} decided in one job`,
    path: `M selects all that match, A${
      count > 50 ? `, the number ${count}` : ""
    }, Enter; "Take the one-time links" gives them as one file`,
    work: async (desk) => {
      const { server, page, hands } = desk;
      await leaveWaiting(desk, count);
      await firstDownload(desk);
      const before = await counts(server);
      let links = "";
      await hands.do(`${count} decided in one job`, async () => {
        await hands.press("m");
        await page.getByText(`All ${count} that match`, { exact: true }).waitFor();
        await hands.press("a");
        await dialog(page, `Approve ${count} requests?`).waitFor();
        // More than 50 are decided by who typed how many they are.
        if (count > 50) await hands.press(...String(count));
        await hands.press("Enter");
        await drawer(page).getByRole("heading", { name: `${count} approved` }).waitFor();
        const taking = page.waitForEvent("download");
        await hands.click(button(page, "Take the one-time links"));
        links = await readFile(await (await taking).path(), "utf8");
      });
      assert.equal(links.trim().split("\r\n").length, count + 1);
      const after = await counts(server);
      assert.equal(after.pending, 0);
      assert.equal(after.issued - before.issued, count);
    },
  };
}

/** Presses Tab until this has the focus. */
async function tabTo({ hands }: Desk, what: Locator): Promise<void> {
  const isThere = () => what.evaluate((one) => one === document.activeElement);
  for (let left = 30; !await isThere(); left--) {
    assert.ok(left > 0, "it is not reached by Tab");
    await hands.press("Tab");
  }
}

/** Three are declined with a reason, one is approved for some addresses, the rest in one job. */
export const twentyMixed: Work = {
  job: "20 decided: 16 yes, 3 no with reasons, 1 with conditions",
  path:
    'J to the first; of the three, D, the reason (from the second on ↓), Enter; A, Tab to "Grant less than asked", Enter, Tab to the addresses, Ctrl Enter, Enter (the one-time link is copied); M, A, Enter for the rest',
  work: async (desk) => {
    const { server, page, hands } = desk;
    await leaveWaiting(desk, 20);
    const before = await counts(server);
    await hands.do("20 decided: 16 yes, 3 no with reasons, 1 with conditions", async () => {
      await hands.press("j");
      for (let turn = 0; turn < 3; turn++) {
        const id = await currentRow(page);
        await hands.press("d");
        await dialog(page, "Decline this request?").waitFor();
        if (turn === 0) await hands.type("The course is over");
        else await hands.press("ArrowDown");
        await hands.press("Enter");
        await page.locator(`tr[data-row="${id}"]`).waitFor({ state: "detached" });
      }
      const id = await currentRow(page);
      await hands.press("a");
      const asked = dialog(page, "Approve this request?");
      await asked.waitFor();
      await tabTo(desk, asked.locator("summary", { hasText: "Grant less than asked" }));
      await hands.press("Enter");
      await tabTo(desk, asked.getByLabel("Only from these addresses"));
      await hands.type("192.0.2.0/24");
      await hands.press("Control+Enter");
      await button(page, "Copy link & finish").waitFor();
      await hands.press("Enter");
      await dialog(page).waitFor({ state: "detached" });
      await page.locator(`tr[data-row="${id}"]`).waitFor({ state: "detached" });
      await hands.press("m");
      await page.getByText("All 16 that match", { exact: true }).waitFor();
      await hands.press("a");
      await dialog(page, "Approve 16 requests?").waitFor();
      await hands.press("Enter");
      await drawer(page).getByRole("heading", { name: "16 approved" }).waitFor();
    });
    const after = await counts(server);
    assert.deepEqual(
      [after.pending, after.issued - before.issued, after.declined - before.declined],
      [0, 17, 3],
    );
    const { data } = await ask<{ data: { reason: string }[] }>(
      server,
      "/v1/key-requests?state=declined&sort=decided_at&direction=desc&limit=3",
    );
    assert.deepEqual(data.map(({ reason }) => reason), Array(3).fill("The course is over"));
  },
};

/** Firefox tells of downloads that a script made only after one by its address. */
async function firstDownload({ browser, page }: Desk): Promise<void> {
  if (browser.browserType().name() !== "firefox") return;
  const download = page.waitForEvent("download");
  await page.evaluate(() => {
    const link = document.createElement("a");
    [link.href, link.download] = ["/openapi.json", "openapi.json"];
    link.click();
  });
  await (await download).path();
}

export const twentyByKeys = oneByOne(20);
export const twentyInBulk = inOneJob(20);
export const twoHundredByKeys = oneByOne(200);
export const twoHundredInBulk = inOneJob(200);

/** One is approved and its key shown once; one is declined, taken back, and declined again. */
export const decideByKeys: Work = {
  job: "A request decided by keys, a decline undone",
  path: "J, A, the key to me, Enter, tick, Done; D, Z, D",
  work: async ({ server, page, hands }) => {
    const before = await counts(server);
    let secret = "";
    await hands.do("A request approved, its key shown once", async () => {
      await hands.press("j", "a");
      const asked = dialog(page, "Approve this request?");
      await hands.click(asked.getByLabel("Show it to me, once"));
      await hands.click(asked.getByRole("button", { name: "Approve & issue key" }));
      const issued = dialog(page, /^Key issued to/);
      await issued.waitFor();
      secret = await issued.locator(".copy-value").last().textContent() ?? "";
      await hands.press("Escape");
      await issued.getByText("Tick the box first").waitFor();
      await hands.click(issued.getByRole("checkbox"));
      await hands.click(issued.getByRole("button", { name: "Done" }));
      await issued.waitFor({ state: "detached" });
    });
    assert.ok(secret.length > 20);
    assert.ok(!(await page.content()).includes(secret));
    const { pending } = await counts(server);
    await hands.do("A request declined, taken back and declined", async () => {
      const id = await currentRow(page);
      const row = page.locator(`tr[data-row="${id}"]`);
      await hands.press("d");
      await dialog(page, "Decline this request?").waitFor();
      await hands.press("Enter");
      await row.waitFor({ state: "detached" });
      await hands.press("z");
      await row.waitFor();
      await hands.click(row.locator(".row-link"));
      await hands.press("d");
      await dialog(page, "Decline this request?").waitFor();
      await hands.press("Enter");
      await row.waitFor({ state: "detached" });
      await pendingAre(server, pending - 1);
    });
    const after = await counts(server);
    assert.deepEqual(
      [after.issued - before.issued, after.declined - before.declined],
      [1, 1],
    );
  },
};

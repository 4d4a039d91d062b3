/** Certificates, people and the audit log. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { issue } from "../../../test/support/certificates.ts";
import { keydesk } from "../../../test/support/command.ts";
import { type DemoServer, signInByLink, visit } from "../browser.ts";
import { Hands } from "../hands.ts";
import { ask, button, copy, type Desk, dialog, drawer, go, type Work } from "./desk.ts";

export const signedIn: Work = {
  job: "Signed in by a link",
  path: "The link that `keydesk console` prints; Sign out",
  isFirst: true,
  expected: /401/,
  work: async ({ server, page, hands, visitor }) => {
    await hands.do("Signed in by a link", async () => {
      hands.count(1, 0, 0);
      await signInByLink(visitor, server);
      await page.getByText("0 of 4 done").waitFor();
    });
    const { data } = await ask<{ data: { action: string }[] }>(
      server,
      "/v1/audit-log?object=session&limit=1",
    );
    assert.equal(data[0]?.action, "session.created");
    // The link opens once, and the session is a cookie that scripts can't read.
    assert.equal(await page.evaluate(() => document.cookie), "");
    await page.reload();
    await page.getByText("0 of 4 done").waitFor();
  },
};

export const replacedCertificate: Work = {
  job: "A certificate replaced",
  path:
    "the first one by G C, U, Enter and its file; the new one by G C, Ctrl V of its PEM with its key, Tab, Enter; the old one says what renews it",
  work: async (desk) => {
    const { server, page, hands } = desk;
    const authority = issue({ subject: { CN: "Harborline Issuing CA" }, authority: true });
    const leaf = (days: number) =>
      issue({
        subject: { CN: "shop.example" },
        names: [{ dNSName: "shop.example" }],
        issuer: authority,
        days,
      });
    const old = leaf(10);
    const renewed = leaf(90);
    const adding = dialog(page, "Add certificates");
    await hands.do("A certificate added by file", async () => {
      await go(desk, "c", "Certificates");
      await hands.press("u");
      await adding.waitFor();
      // Enter opens the system's own dialog, whose file arrives here.
      hands.count(0, 1, 0);
      const buffer = Buffer.from(old.certificate + old.key);
      const file = { name: "shop.pem", mimeType: "application/x-pem-file", buffer };
      await adding.locator("input[type=file]").setInputFiles(file);
      await adding.getByText("1 added").waitFor();
      await hands.press("Escape");
      await adding.waitFor({ state: "detached" });
    });
    const { data: [first] } = await ask<{ data: { id: string }[] }>(
      server,
      "/v1/certificates?q=shop.example",
    );
    const id = first?.id ?? "";
    await copy(page, renewed.certificate + renewed.key);
    await hands.do("A certificate replaced", async () => {
      await go(desk, "c", "Certificates");
      await page.getByRole("table", { name: "Certificates" }).locator(".row-link").first()
        .waitFor();
      await hands.press("Control+v");
      await adding.getByRole("button", { name: "Add pasted text" }).waitFor();
      await hands.press("Tab", "Enter");
      await adding.getByText("1 added").waitFor();
    });
    const now = await ask<{ renewed_by: string | null }>(server, `/v1/certificates/${id}`);
    assert.ok(now.renewed_by);
    const fresh = await ask<{ has_private: boolean }>(
      server,
      `/v1/certificates/${now.renewed_by}`,
    );
    assert.ok(fresh.has_private);
    await page.keyboard.press("Escape");
    await page.goto(`${server.url}/console/certificates/${id}`);
    await drawer(page).locator(`a[href$="${encodeURIComponent(now.renewed_by)}"]`).first()
      .waitFor();
  },
};

interface Person {
  id: string;
  name: string;
  permissions: string[];
}

export const addedColleague: Work = {
  job: "A colleague added",
  path:
    'Ctrl K, "colleague", Enter; the name, Tab, Tab, ↓ ↓ to Approver, Ctrl Enter; I, what for, Enter, Enter (the one-time link is copied)',
  work: async ({ server, page, hands, browser }) => {
    await hands.do("A colleague added", async () => {
      await hands.press("Control+k");
      const palette = dialog(page, "Search");
      await palette.getByRole("combobox").waitFor();
      await hands.type("colleague");
      await palette.getByRole("option", { selected: true }).filter({ hasText: "Add a person" })
        .waitFor();
      await hands.press("Enter");
      const adding = dialog(page, "Add a person");
      await adding.waitFor();
      await hands.type("Grace Hopper");
      await hands.press("Tab", "Tab", "ArrowDown", "ArrowDown");
      await adding.getByText("Reads and decides key requests").waitFor();
      await hands.press("Control+Enter");
      await page.getByRole("heading", { level: 2, name: "Grace Hopper" }).waitFor();
      await drawer(page).getByText("None that is valid").waitFor();
      await hands.press("i");
      await dialog(page, /^Issue an access token/).waitFor();
      await hands.type("laptop");
      await hands.press("Enter");
      await button(page, "Copy link & finish").waitFor();
      await hands.press("Enter");
      await dialog(page).waitFor({ state: "detached" });
    });
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const token = new URL(link).hash.slice(1);
    // as: the contract of openClaim.
    const { key: credential } = await server.call("POST", "/v1/one-time-links/open", { token }) as {
      key: { RawKey: string };
    };
    await using grace = await visit(browser, { clipboard: false, expected: /401/ });
    await grace.page.goto(`${server.url}/console`);
    await grace.page.getByRole("button", { name: "Use an access token" }).click();
    await grace.page.getByLabel("Your access token").fill(credential.RawKey);
    await grace.page.keyboard.press("Enter");
    await grace.page.getByRole("link", { name: /^Requests/ }).waitFor();
    const { data: people } = await ask<{ data: Person[] }>(server, "/v1/people?limit=100");
    assert.deepEqual(people.find(({ name }) => name === "Grace Hopper")?.permissions, [
      "portal:read",
      "approve",
    ]);
  },
};

/** Somebody with permissions, and the link that signs them in. */
async function hired(server: DemoServer, name: string, permissions: string[]) {
  const { id } = await server.call("POST", "/v1/people", { name, permissions }) as Person;
  // as: the contract of issueAccessToken.
  const token = await server.call("POST", `/v1/people/${id}/access-tokens`, {
    name: "laptop",
    deliver: "answer",
  }) as { id: string; access_token: string };
  return { ...token, link: () => server.link(token.id) };
}

/** A key that Grace approved with a reason; its developer's name and the reason. */
async function approved(server: DemoServer) {
  const grace = await hired(server, "Grace Hopper", ["portal:read", "approve"]);
  const { data: [request] } = await ask<{
    data: { id: string; portal_developer: { email: string } }[];
  }>(
    server,
    "/v1/key-requests?state=pending&limit=1",
  );
  const reason = "Agreed with their team lead";
  const answer = await fetch(`${server.url}/v1/key-requests/${request?.id}/approve`, {
    method: "POST",
    headers: { authorization: grace.access_token },
    body: JSON.stringify({ deliver: "answer", reason }),
  });
  assert.equal(answer.status, 200);
  const { key } = await answer.json();
  return {
    reason,
    email: request?.portal_developer.email ?? "",
    secret: key.RawKey as string,
  };
}

/** Searches the audit log for the developer, and waits for the answer. */
async function searchAuditLog(desk: Desk, made: { email: string; reason: string }): Promise<void> {
  const { page, hands } = desk;
  await go(desk, "a", "Audit log");
  await page.locator(".row-link").first().waitFor();
  await hands.press("/");
  await hands.type(made.email);
  await page.waitForURL((url) => url.searchParams.get("q") === made.email);
  await approvalInAuditLog(page, made);
}

/** The line of the audit log that answers who approved for this developer, and why. */
async function approvalInAuditLog(page: Page, { reason }: { reason: string }): Promise<Locator> {
  const row = page.getByRole("row").filter({ hasText: "Grace Hopper approved the key request" })
    .first();
  await row.getByText(reason).waitFor();
  return row;
}

export const whoAndWhy: Work = {
  job: '"Who approved this, and why?"',
  path: "G A, /, the developer's address: the line says both",
  work: async (desk) => {
    const { server, hands } = desk;
    const made = await approved(server);
    await hands.do('"Who approved this, and why?"', () => searchAuditLog(desk, made));
    const query = "object=key_request&action=key_request.approved&limit=1";
    const { data } = await ask<{ data: { actor_name: string; detail: { reason: string } }[] }>(
      server,
      `/v1/audit-log?${query}`,
    );
    assert.deepEqual(
      data.map(({ actor_name, detail }) => [actor_name, detail.reason]),
      [["Grace Hopper", made.reason]],
    );
  },
};

export const auditorsHour: Work = {
  job: "An auditor's hour",
  path:
    "as an auditor: G A, /, the developer's address; the line, Check the proof; Esc, /, the person's name, the last 30 days; Esc, G K, 2, Export and Download, whose columns tell the end and the last use; for the whole audit log, on the server `npx keydesk audit verify`; G A, Export",
  work: async ({ server, browser, hands: counted, page: own }) => {
    const made = await approved(server);
    const auditor = await hired(server, "Katherine", ["portal:read", "certs:read", "audit"]);
    await using visitor = await visit(browser, { clipboard: false });
    const { page } = visitor;
    const hands = new Hands(page);
    await page.goto(await auditor.link());
    await page.getByRole("heading", { level: 1 }).waitFor();
    const desk: Desk = { server, browser, visitor, page, hands };
    await hands.do("Auditor: who approved this key, and why?", () => searchAuditLog(desk, made));
    await hands.do("Auditor: was this line altered?", async () => {
      await hands.click((await approvalInAuditLog(page, made)).locator(".row-link"));
      await hands.click(button(page, "Check the proof"));
      const verdict = drawer(page).locator(".event-proof .notice");
      await verdict.filter({ hasText: "This row is as it was written" }).waitFor();
    });
    await hands.do("Auditor: what did this person do in the last month?", async () => {
      await hands.press("Escape", "/");
      await hands.type("Grace Hopper");
      const when = page.getByLabel("When");
      hands.count(2, 0, 0);
      await when.selectOption({ label: "Last 30 days" });
      await page.waitForURL(/time=month/);
      await approvalInAuditLog(page, made);
    });
    let keys = "";
    await hands.do("Auditor: which keys have no end, or are unused?", async () => {
      await hands.press("Escape");
      await go(desk, "k", "Keys");
      await hands.press("2");
      await page.waitForURL(/state=active/);
      await hands.click(button(page, "Export"));
      keys = await download(desk, "Download");
    });
    const [heads = "", ...rows] = keys.trim().split("\r\n");
    assert.ok(heads.includes("expires_at") && heads.includes("last_used_at"), heads);
    assert.ok(rows.length > 0);
    await hands.do("Auditor: was the audit log altered?", async () => {
      const line = "npx keydesk audit verify\n";
      hands.count(0, 0, line.length);
      const { code, stdout, stderr } = await keydesk(["audit", "verify"], server.settings);
      assert.equal(code, 0, stdout + stderr);
    });
    let auditLog = "";
    await hands.do("Auditor: all of it as a file", async () => {
      await go(desk, "a", "Audit log");
      auditLog = await download(desk, "Export as JSON lines");
    });
    const events = auditLog.trim().split("\n").map((line) => JSON.parse(line));
    assert.ok(events.some(({ action }) => action === "key_request.approved"));
    assert.deepEqual(visitor.complaints, []);
    counted.jobs.push(...hands.jobs);
    await own.bringToFront();
  },
};

/** What a link of the screen gives as a file. */
async function download({ page, hands }: Desk, link: string): Promise<string> {
  const download = page.waitForEvent("download");
  await hands.click(page.getByRole("link", { name: link, exact: true }));
  return await readFile(await (await download).path(), "utf8");
}

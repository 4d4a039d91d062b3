/** Certificates in Chromium: by mouse and by keyboard alone. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { generateKeyPairSync } from "node:crypto";
import type { Page } from "playwright-core";
import { newKey } from "../../packages/x509/test/support/keys.ts";
import { pkcs12 } from "../../packages/x509/test/support/pkcs12.ts";
import { asn1Time, issue, made } from "../../test/support/certificates.ts";
import { type DemoServer, sizes, type VisitOptions } from "./browser.ts";
import { removeCertificates } from "./busy-desk.ts";
import { desk as demoDesk } from "./desk.ts";

const DAY_MS = 86_400_000;

/** The demo's desk without its certificates: each test has its own. */
function desk(test: Parameters<typeof demoDesk>[0], options?: VisitOptions): Promise<void> {
  return demoDesk(async (ada, page, server, browser) => {
    await removeCertificates(server);
    await test(ada, page, server, browser);
  }, options);
}

/** Adds what a PEM holds; the ids in its order. */
async function add(server: DemoServer, pem: string): Promise<string[]> {
  const response = await fetch(`${server.url}/v1/certificates`, {
    method: "POST",
    headers: { authorization: server.admin },
    body: pem,
  });
  // as: the answer of POST /v1/certificates.
  const { results } = await response.json() as { results: { id: string }[] };
  return results.map(({ id }) => id);
}

/** Certificates that end so many days from now, of lives of several lengths. */
function ending(days: readonly number[]): string {
  const names = [
    "api.northwind",
    "edge.tessera",
    "partner.harborline",
    "*.eu.northwind",
    "hooks.tessera",
  ];
  return days.map((day, index) => {
    const cn = `${names[index % names.length]}.example`;
    const end = Date.now() + day * DAY_MS + 3_600_000;
    return made({
      cn,
      dns: [cn, `www${index}.${cn}`],
      from: asn1Time(end - (90 + index * 20) * DAY_MS),
      to: asn1Time(end),
      ca: index % 6 === 5,
      serial: `0${index + 1}`.slice(-2),
    });
  }).join("");
}

const usual = [-3, 2, 6, 12, 19, 27, 41, 64, 88, 120, 140, 200, 300, 400];

/** An authority and a certificate of it with its key. */
function family() {
  const authority = issue({
    subject: { CN: "Harborline Issuing CA 2" },
    authority: true,
  });
  const leaf = issue({
    subject: { CN: "shop.example" },
    names: [{ dNSName: "shop.example" }, { dNSName: "www.shop.example" }, {
      iPAddress: "192.0.2.7",
    }],
    issuer: authority,
    days: 40,
  });
  return { authority, leaf };
}

async function openCertificates(page: Page): Promise<void> {
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await page.getByRole("heading", { level: 1, name: "Certificates" }).waitFor();
}

const rows = (page: Page) => page.getByRole("table", { name: "Certificates" }).locator(".row-link");
const dialog = (page: Page) => page.getByRole("dialog");
const path = (page: Page) => decodeURIComponent(new URL(page.url()).pathname);

Deno.test("certificates: what ends when, narrowed by band, filters and words, all in the address", () =>
  desk(async (ada, page, server) => {
    const { authority, leaf } = family();
    await add(server, ending(usual));
    await add(server, authority.certificate);
    await add(server, leaf.certificate + leaf.key);
    await openCertificates(page);
    await page.getByRole("button", { name: "1 expired" }).waitFor();
    await page.locator(".dot[data-id]").nth(8).waitFor();
    await ada.show("certificates/list");
    // In a narrow window a drawer beside the list moves no row: what stands above is as high.
    await page.setViewportSize({ width: 900, height: 820 });
    const topOfRows = () =>
      page.locator("tr.row").first().evaluate((row) => row.getBoundingClientRect().top);
    const before = await topOfRows();
    await rows(page).nth(1).click();
    await page.locator(".drawer").getByText("SHA-256 fingerprint").waitFor();
    assert.equal(await topOfRows(), before);
    await page.keyboard.press("Escape");
    await page.setViewportSize(sizes.desk);
    await page.getByRole("button", { name: "2 within 7 days" }).click();
    await rows(page).nth(2).waitFor({ state: "detached" });
    await rows(page).nth(1).waitFor();
    assert.match(page.url(), /ends=7/);
    await page.reload();
    await page.getByRole("button", { name: "2 within 7 days", pressed: true }).waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("With private key").click();
    await rows(page).nth(1).waitFor({ state: "detached" });
    assert.equal(await rows(page).innerText(), "shop.example\nshop.example, www.shop.example");
    await page.keyboard.press("1");
    await page.getByLabel("Authorities").selectOption("only");
    await page.getByText("Harborline Issuing CA 2").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("nothing like this");
    await page.getByText("Nothing matches").waitFor();
    await ada.show("certificates/nothing");
  }));

Deno.test("certificates: one in full, with its chain, names and PEM, by keyboard", () =>
  desk(async (ada, page, server) => {
    const { authority, leaf } = family();
    const [authorityId = ""] = await add(server, authority.certificate);
    const [id = ""] = await add(server, leaf.certificate + authority.certificate + leaf.key);
    await openCertificates(page);
    await rows(page).first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("k");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    const drawer = page.locator(".drawer");
    await drawer.getByText("SHA-256 fingerprint").waitFor();
    await page.getByRole("heading", { level: 2, name: "shop.example" }).waitFor();
    assert.equal(path(page), `/console/certificates/${id}`);
    await drawer.getByText("192.0.2.7").waitFor();
    await ada.show("certificates/drawer");
    await drawer.getByText("PEM", { exact: true }).click();
    await drawer.getByRole("button", { name: "Copy Certificate", exact: true }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied.trim(), leaf.certificate.trim());
    await ada.show("certificates/pem");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      drawer.getByRole("link", { name: "With chain" }).click(),
    ]);
    const text = await Deno.readTextFile(await download.path());
    assert.equal(text.match(/BEGIN CERTIFICATE/g)?.length, 2);
    assert.doesNotMatch(text, /PRIVATE/);
    await drawer.getByRole("link", { name: "Harborline Issuing CA 2" }).click();
    await drawer.getByText("Issued certificates").waitFor();
    assert.equal(path(page), `/console/certificates/${authorityId}`);
    await ada.show("certificates/authority");
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
  }));

Deno.test("certificates: what is weak, the chain as a tree, and what ends soon in the side bar", () =>
  desk(async (ada, page, server) => {
    const root = issue({ subject: { O: "Harborline", OU: "Roots" }, authority: true });
    const middle = issue({
      subject: { CN: "Harborline Issuing CA" },
      authority: true,
      issuer: root,
    });
    const leafOf = (CN: string, key: string, days: number) =>
      issue({ subject: { CN }, names: [{ dNSName: CN }], issuer: middle, key, days });
    const shortKey = String(
      generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey
        .export({ type: "pkcs8", format: "pem" }),
    );
    const weak = leafOf("weak.example", shortKey, 825);
    const sound = leafOf("sound.example", newKey("P-256"), 20);
    const [id = ""] = await add(server, weak.certificate);
    for (const one of [root, middle, sound]) await add(server, one.certificate);
    await page.goto(`${server.url}/console/certificates/${id}`);
    const drawer = page.locator(".drawer");
    const warnings = drawer.getByRole("list", { name: "Warnings" });
    await warnings.getByText("Lives for 825 days").waitFor();
    assert.deepEqual(await warnings.locator("b").allTextContents(), [
      "Short key: RSA 1024",
      "Lives for 825 days",
    ]);
    await drawer.getByRole("link", { name: "1 other by Harborline Issuing CA" }).waitFor();
    assert.deepEqual(await drawer.locator(".tree .line-1").allTextContents(), [
      "Roots, Harborline",
      "Harborline Issuing CA",
      "weak.example",
      "1 other by Harborline Issuing CA",
    ]);
    await page.getByRole("link", { name: /to renew within 30 days/ }).waitFor();
    await ada.show("certificates/weak");
    // Opened by its address it is deleted by the same key, though no row of the list is it.
    await page.goto(`${server.url}/console/certificates/${id}?q=none`);
    await page.getByText("Nothing matches").waitFor();
    await warnings.waitFor();
    await page.keyboard.press("d");
    await dialog(page).getByText("weak.example").first().waitFor();
    await page.keyboard.press("Escape");
    await dialog(page).waitFor({ state: "detached" });
    await page.goto(`${server.url}/console/certificates`);
    const middleRow = rows(page).filter({ hasText: "Harborline Issuing CA" });
    await middleRow.getByText("Roots, Harborline").waitFor();
    await rows(page).filter({ hasText: "sound.example" }).click();
    await drawer.getByText("until").first().waitFor();
    assert.equal(await warnings.count(), 0);
  }));

Deno.test("certificates: added by file, by a locked PKCS#12 and by pasting, a result for each", () =>
  desk(async (ada, page) => {
    const { authority, leaf } = family();
    await openCertificates(page);
    await page.getByText("No certificates yet").waitFor();
    await ada.show("certificates/empty");
    await page.keyboard.press("u");
    await dialog(page).waitFor();
    await ada.show("certificates/add");
    await dialog(page).locator("input[type=file]").setInputFiles([
      {
        name: "bundle.pem",
        mimeType: "application/x-pem-file",
        buffer: Buffer.from(
          `${authority.certificate}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
        ),
      },
      {
        name: "shop.p12",
        mimeType: "application/x-pkcs12",
        buffer: Buffer.from(pkcs12(leaf, "grüße")),
      },
    ]);
    await dialog(page).getByText("1 added, 1 refused").waitFor();
    await dialog(page).getByLabel("Passphrase").fill("wrong");
    await page.keyboard.press("Enter");
    await dialog(page).getByText("This passphrase is wrong.").waitFor();
    await ada.show("certificates/locked");
    await dialog(page).getByLabel("Passphrase").fill("grüße");
    await page.keyboard.press("Enter");
    await dialog(page).getByRole("button", { name: "shop.example" }).waitFor();
    await dialog(page).getByLabel("Or paste PEM").fill("no certificate");
    await dialog(page).getByRole("button", { name: "Add pasted text" }).click();
    await dialog(page).getByText("Paste a certificate as PEM").waitFor();
    await dialog(page).getByLabel("Or paste PEM").fill(authority.certificate);
    await dialog(page).getByRole("button", { name: "Add pasted text" }).click();
    await dialog(page).getByText("Already in Keydesk", { exact: true }).waitFor();
    await ada.show("certificates/results");
    await dialog(page).getByRole("button", { name: "shop.example" }).click();
    await page.locator(".drawer").getByText("stored encrypted").waitFor();
    await rows(page).nth(1).waitFor();
    assert.equal(await rows(page).count(), 2);
  }));

Deno.test("certificates: from its drawer one is renewed by its names, and replaced by another name", () =>
  desk(async (ada, page, server) => {
    const cert = (cn: string, days: number) =>
      made({ cn, dns: [cn], to: asn1Time(Date.now() + days * DAY_MS), serial: `${days}` });
    const [old = ""] = await add(server, cert("shop.example", 20));
    await page.goto(`${server.url}/console/certificates/${old}`);
    const drawer = page.getByRole("complementary", { name: "Details" });
    const dialog = page.getByRole("dialog");
    const paste = async (pem: string) => {
      await dialog.getByLabel("Or paste PEM").fill(pem);
      await dialog.getByRole("button", { name: "Add pasted text" }).click();
    };
    const done = () => dialog.getByRole("button", { name: "Done" }).click();
    await drawer.getByRole("button", { name: /^Renew/ }).click();
    await dialog.getByRole("heading", { name: "Renew shop.example" }).waitFor();
    await ada.show("certificates/renew");
    await paste(cert("other.example", 300));
    await dialog.getByText("Nothing that was added renews shop.example").waitFor();
    await ada.show("certificates/renew-not");
    await paste(cert("shop.example", 200));
    await dialog.getByText("What was added renews shop.example.").waitFor();
    await dialog.getByText(/renews shop\.example, which expires /).waitFor();
    await ada.show("certificates/renewed");
    await done();
    await drawer.getByText("Renewed by").first().waitFor();
    await drawer.getByRole("button", { name: "Replace" }).click();
    await paste(cert("new-name.example", 400));
    await dialog.getByText("new-name.example replaces shop.example.").waitFor();
    await ada.show("certificates/replaced");
    await done();
    await drawer.getByRole("link", { name: "new-name.example" }).waitFor();
    await drawer.getByText("(by hand)").waitFor();
    await page.setViewportSize(sizes.phone);
    await ada.show("certificates/renew-phone");
  }));

Deno.test("certificates: a file that is dropped on the page, and PEM that is pasted there, are added", () =>
  desk(async (_ada, page) => {
    const { authority, leaf } = family();
    await openCertificates(page);
    await page.getByText("No certificates yet").waitFor();
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "ca.pem"));
      const init = { dataTransfer: data, bubbles: true, cancelable: true };
      document.body.dispatchEvent(new DragEvent("dragover", init));
      document.body.dispatchEvent(new DragEvent("drop", init));
    }, authority.certificate);
    await dialog(page).getByText("1 added").waitFor();
    await dialog(page).getByRole("button", { name: "Done" }).click();
    await page.evaluate((text) => navigator.clipboard.writeText(text), leaf.certificate);
    await page.keyboard.press("Control+v");
    await dialog(page).getByRole("button", { name: "Add pasted text" }).waitFor();
    // Once: the field that took the focus is not pasted into as well.
    assert.equal(await dialog(page).getByLabel("Or paste PEM").inputValue(), leaf.certificate);
    await dialog(page).getByRole("button", { name: "Add pasted text" }).click();
    await dialog(page).getByText("1 added").waitFor();
    await page.keyboard.press("Escape");
    await rows(page).nth(1).waitFor();
  }));

Deno.test("certificates: deleted by keyboard, after it was said what depends on it", () =>
  desk(async (ada, page, server) => {
    const { authority, leaf } = family();
    const [authorityId = ""] = await add(server, authority.certificate);
    await add(server, leaf.certificate + leaf.key);
    await page.goto(`${server.url}/console/certificates/${authorityId}`);
    await page.getByText("Issued certificates").waitFor();
    await rows(page).nth(1).waitFor();
    await page.keyboard.press("d");
    await dialog(page).getByText("it as the issuer").waitFor();
    await ada.show("certificates/delete-authority");
    await page.keyboard.press("Enter");
    await page.getByText("Harborline Issuing CA 2 is deleted.").waitFor();
    await page.getByRole("heading", { level: 2, name: "shop.example" }).waitFor();
    await page.keyboard.press("d");
    await dialog(page).getByText("Its private key may go too").waitFor();
    await page.keyboard.press("Enter");
    await dialog(page).getByText("Tick the box first").waitFor();
    await ada.show("certificates/delete-key");
    await dialog(page).getByRole("checkbox").check();
    await dialog(page).getByRole("button", { name: "Delete for good" }).click();
    await page.getByText("No certificates yet").waitFor();
  }));

Deno.test("certificates: who uses one, by name, and it is said before it is deleted", () =>
  desk(async (ada, page, server) => {
    const { leaf } = family();
    const [id = ""] = await add(server, leaf.certificate);
    await page.goto(`${server.url}/console/certificates/${id}`);
    const drawer = page.locator(".drawer");
    await drawer.getByText("No plan, API or key names it.").waitFor();
    // as: the contracts of what is called.
    const { data: [developer] } = await server.call("GET", "/v1/developers?limit=1") as {
      data: { id: string }[];
    };
    const { data: [plan] } = await server.call("GET", "/v1/plans?limit=1") as {
      data: { id: string; name: string }[];
    };
    const asked = { by_user: developer?.id, for_plan: plan?.id, certificate: id };
    const { id: request } = await server.call("POST", "/v1/key-requests", asked) as { id: string };
    const { key_id } = await server.call("POST", `/v1/key-requests/${request}/approve`, {
      deliver: "one_time_link",
    }) as { key_id: string };
    await server.call("PUT", `/v1/keys/${key_id}/labels`, { name: "Turnstile, north gate" });
    await page.reload();
    const used = drawer.getByRole("link", { name: "Turnstile, north gate" });
    await used.waitFor();
    await ada.show("certificates/used-by");
    await drawer.getByRole("button", { name: "Delete" }).click();
    await dialog(page).getByText("It is named by 1 key, which will miss it:").waitFor();
    await dialog(page).getByText("Turnstile, north gate").waitFor();
    await ada.show("certificates/delete-used");
    await page.keyboard.press("Escape");
    await used.click();
    await page.getByRole("heading", { level: 2, name: "Turnstile, north gate" }).waitFor();
    assert.equal(path(page), `/console/keys/${key_id}`);
  }));

Deno.test("certificates: of many that end soon the months are shown, and narrow the list", () =>
  desk(async (ada, page, server) => {
    await add(server, ending(Array.from({ length: 250 }, (_, index) => 1 + index * 0.7)));
    await openCertificates(page);
    await page.locator(".month").nth(23).waitFor();
    await ada.show("certificates/months");
    const month = page.locator(".month").nth(3);
    const count = Number(/^\d+/.exec(await month.getAttribute("aria-label") ?? "")?.[0]);
    await month.click();
    await page.getByRole("button", { name: /^Expires in / }).waitFor();
    // How many there are is known where the list ends, which is read once somebody points at it.
    await rows(page).first().hover();
    await page.locator(`table[aria-rowcount="${count + 1}"]`).waitFor();
  }));

Deno.test("certificates: on a phone", () =>
  desk(async (ada, page, server) => {
    const { authority, leaf } = family();
    await add(server, ending(usual));
    await add(server, leaf.certificate + authority.certificate + leaf.key);
    await page.goto(`${server.url}/console/certificates`);
    await page.locator(".dot[data-id]").nth(8).waitFor();
    await rows(page).first().waitFor();
    await ada.show("certificates/phone");
    await page.getByText("shop.example").first().click();
    await page.locator(".drawer").getByText("SHA-256 fingerprint").waitFor();
    await ada.show("certificates/phone-drawer");
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth),
      sizes.phone.width,
    );
  }, { size: sizes.phone }));

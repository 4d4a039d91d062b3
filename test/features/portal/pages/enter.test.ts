/**
 * A link of another site signs nobody in unawares: over the session of somebody else it takes a
 * press that names both, and drafts are one developer's.
 */
import assert from "node:assert/strict";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered } from "../../../support/developers.ts";
import { call } from "../../../support/people.ts";
import { Browser, type Seen } from "../../../support/portal.ts";

const linkFor = async (desk: TestDesk, id: string) =>
  (await succeed<{ token: string }>(desk, "POST", `/v1/developers/${id}/sign-in-links`)).token;

const nonceFor = async (desk: TestDesk, EmailAddress: string) =>
  (await succeed<{ Meta: string }>(desk, "POST", "/api/sso", {
    body: { ForSection: "portal", EmailAddress },
  })).Meta;

/** Opens a link as its page's script does. */
const enter = async (browser: Browser, link: string) =>
  await browser.submit(await browser.get("/portal/enter"), "/portal/enter", { link });

const signedInAs = async (browser: Browser) => {
  const page = await browser.get("/portal/account");
  return page.status === 200 ? /dev-\w+@example\.org/.exec(page.words)?.[0] : undefined;
};

async function twoDevelopers(desk: TestDesk) {
  await openPages(desk);
  const ada = await registered(desk, "dev-ada");
  const eve = await registered(desk, "dev-eve");
  return { ada, eve, browser: new Browser(desk) };
}

const draftsOf = ({ text }: Seen) => /data-drafts="(\w*)"/.exec(text)?.[1];

testOnEngines(
  "enter: a link over somebody else's session takes a press that names both, and ends that",
  async (desk) => {
    const { ada, eve, browser } = await twoDevelopers(desk);
    assert.equal((await enter(browser, await linkFor(desk, "dev-ada"))).status, 303);
    assert.equal(await signedInAs(browser), ada.email);
    const before = browser.cookies.get("keydesk_developer") ?? [...browser.cookies.values()][0];
    const asked = await enter(browser, await linkFor(desk, "dev-eve"));
    assert.equal(asked.status, 409);
    assert.ok(asked.words.includes(ada.email) && asked.words.includes(eve.email), asked.words);
    assert.equal(await signedInAs(browser), ada.email, "nothing has happened yet");
    assert.ok(before);
    // Another site cannot press for its visitor.
    browser.headers["sec-fetch-site"] = "cross-site";
    const pressed = await browser.submit(asked, "/portal/enter");
    assert.equal(pressed.status, 403);
    browser.headers["sec-fetch-site"] = "same-origin";
    const done = await browser.submit(asked, "/portal/enter");
    assert.equal(done.status, 303);
    assert.match(done.headers.get("clear-site-data") ?? "", /storage/);
    assert.equal(await signedInAs(browser), eve.email);
    const sessions = async (id: string) =>
      (await call(desk, "GET", `/v1/developers/${id}/sessions`)).data.length;
    assert.deepEqual([await sessions("dev-ada"), await sessions("dev-eve")], [0, 1]);
    assert.equal((await browser.submit(asked, "/portal/enter")).status, 400, "used once");
  },
);

testOnEngines(
  "enter: where nobody, or the same developer, is signed in a link signs in at once",
  async (desk) => {
    const { ada, browser } = await twoDevelopers(desk);
    for (let n = 0; n < 2; n++) {
      assert.equal((await enter(browser, await linkFor(desk, "dev-ada"))).status, 303);
      assert.equal(await signedInAs(browser), ada.email);
    }
    // The session of before is replaced by the next one.
    const { data } = await call(desk, "GET", "/v1/developers/dev-ada/sessions");
    assert.equal(data.length, 1);
    assert.equal((await enter(browser, "nobody's")).status, 400);
    assert.equal(await signedInAs(browser), ada.email);
  },
);

testOnEngines(
  "enter: the press is for the session that it named, and for no later one",
  async (desk) => {
    const { browser } = await twoDevelopers(desk);
    await registered(desk, "dev-zoe");
    await enter(browser, await linkFor(desk, "dev-ada"));
    const asked = await enter(browser, await linkFor(desk, "dev-eve"));
    const swapped = await enter(browser, await linkFor(desk, "dev-zoe"));
    await browser.submit(swapped, "/portal/enter");
    const again = await browser.submit(asked, "/portal/enter");
    assert.equal(again.status, 409);
    assert.ok(again.words.includes("dev-zoe@example.org"));
  },
);

testOnEngines(
  "enter: a broker's nonce signs in at /portal, at once or by the same press",
  async (desk) => {
    const { ada, eve, browser } = await twoDevelopers(desk);
    const arrive = async (email: string) => {
      const page = await browser.get(`/portal?nonce=${await nonceFor(desk, email)}`);
      assert.equal(page.status, 200);
      assert.ok(page.text.includes("data-at-once"));
      return await browser.submit(page, "/portal/enter");
    };
    assert.equal((await arrive(ada.email)).status, 303);
    assert.equal(await signedInAs(browser), ada.email);
    assert.equal((await arrive(ada.email)).status, 303);
    const asked = await arrive(eve.email);
    assert.equal(asked.status, 409);
    assert.equal(await signedInAs(browser), ada.email);
    assert.equal((await browser.submit(asked, "/portal/enter")).status, 303);
    assert.equal(await signedInAs(browser), eve.email);
    const gone = await browser.get("/portal?nonce=nobody");
    assert.equal((await browser.submit(gone, "/portal/enter")).status, 400);
  },
);

testOnEngines(
  "drafts: a page names whose they are, and no page of another developer the same",
  async (desk) => {
    const { browser } = await twoDevelopers(desk);
    assert.equal(draftsOf(await browser.get("/portal/sign-in")), "");
    await enter(browser, await linkFor(desk, "dev-ada"));
    const ada = draftsOf(await browser.get("/portal"));
    assert.match(ada ?? "", /^[0-9a-f]{16}$/);
    assert.equal(draftsOf(await browser.get("/portal/requests")), ada);
    const other = new Browser(desk);
    await enter(other, await linkFor(desk, "dev-eve"));
    assert.notEqual(draftsOf(await other.get("/portal")), ada);
  },
);

testOnEngines("sign-in: over a session of another one ends that", async (desk) => {
  const { eve, browser } = await twoDevelopers(desk);
  const password = "correct horse 9 battery";
  await succeed(desk, "POST", "/api/portal/developers/password/dev-eve", { body: { password } });
  await enter(browser, await linkFor(desk, "dev-ada"));
  const page = await browser.get("/portal/sign-in");
  await browser.submit(page, "/portal/sign-in", { email: eve.email, password });
  assert.equal(await signedInAs(browser), eve.email);
  const { data } = await call(desk, "GET", "/v1/developers/dev-ada/sessions");
  assert.deepEqual(data, []);
});

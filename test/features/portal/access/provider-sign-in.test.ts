/**
 * Developers come by a provider of their own: linked, signed up with it, and out; and never by one
 * for people.
 */
import assert from "node:assert/strict";
import { recheckDue } from "../../../../src/features/people/identity-providers/recheck.ts";
import { codesOf, openPages, registered, signInByLink } from "../../../support/developers.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import {
  addProvider,
  CLIENT,
  HOST,
  reach,
  type StandIn,
  standIn,
} from "../../../support/identity-provider.ts";
import { addMailChannel, mailBy } from "../../../support/mail-server.ts";
import { call, testClock } from "../../../support/people.ts";
import { Browser, type Seen, signInAtPages } from "../../../support/portal.ts";
import { storedText } from "../../../support/stored.ts";

const ACCOUNT = "/portal/account";
const FOR_DEVELOPERS = { for: "developers", groups: [], creates_people: false };

/** A desk with pages, whose codes are mailed, and a provider for developers. */
async function begin(desk: TestDesk, provider: StandIn, more: Record<string, unknown> = {}) {
  await openPages(desk, { sign_up: "open", ...more });
  mailBy(desk.app.ctx, "smtp://127.0.0.1:1");
  await addMailChannel(desk);
  return await addProvider(desk, provider, FOR_DEVELOPERS);
}

function browserAt(desk: TestDesk): Browser {
  const browser = new Browser(desk);
  browser.headers.host = HOST;
  return browser;
}

/** Where a page sends its browser by itself. */
const onTo = (page: Seen) => (page.headers.get("refresh") ?? "").replace("0; url=", "");

/** What comes back from a provider, brought by the page that it comes to. */
async function comeBack(browser: Browser, id: string, answer: string): Promise<Seen> {
  const path = `/portal/from/${id}`;
  return await browser.submit(await browser.get(`${path}?${answer}`), path);
}

/** There and back, from the sign-in page. */
async function come(
  browser: Browser,
  provider: StandIn,
  id: string,
  claims: Record<string, unknown>,
): Promise<Seen> {
  const left = await browser.submit(
    await browser.get("/portal/sign-in"),
    `/portal/sign-in/with/${id}`,
  );
  assert.equal(left.status, 200, left.words);
  return await comeBack(browser, id, provider.authorize(onTo(left), claims));
}

/** There and back, from the account's page. */
async function link(
  browser: Browser,
  provider: StandIn,
  id: string,
  claims: Record<string, unknown>,
): Promise<Seen> {
  const left = await browser.submit(await browser.get(ACCOUNT), `${ACCOUNT}/link/${id}`);
  assert.equal(left.status, 200, left.words);
  return await comeBack(browser, id, provider.authorize(onTo(left), claims));
}

async function signedInAs(desk: TestDesk, email: string): Promise<Browser> {
  const browser = await signInAtPages(desk, email);
  browser.headers.host = HOST;
  return browser;
}

const GRACE = { sub: "grace", name: "Grace", email: "grace@example.org", email_verified: true };

testOnEngines(
  "developers' provider: whoever is nobody yet signs up by a code, and comes by it from then on",
  async (desk) => {
    await using provider = await standIn();
    const id = await begin(desk, provider);
    const browser = browserAt(desk);
    const nobody = await come(browser, provider, id, GRACE);
    assert.match(nobody.words, /No one has this account yet/);
    assert.match(nobody.text, /value="grace@example.org"/, "what it says of her stands there");
    assert.equal(browser.cookies.has("keydesk_developer"), false);
    // Its word proves no address: she enters a code, as everybody.
    const asked = await browser.submit(nobody, "/portal/sign-up", {
      "email": "grace@example.org",
      "field-0": "Grace",
    });
    const [newest] = await codesOf(desk);
    const page = await browser.follow(asked);
    const entered = await browser.submit(page, "/portal/sign-in/code", {
      code: newest?.code ?? "",
    });
    assert.equal(entered.status, 303, entered.words);
    const account = await browser.get(ACCOUNT);
    assert.match(account.words, /Accounts that sign you in .*Veldhaven Transit/);
    const again = browserAt(desk);
    const back = await come(again, provider, id, { ...GRACE, email: "else@example.org" });
    assert.deepEqual([back.status, back.location], [303, "/portal"]);
    assert.match((await again.get(ACCOUNT)).words, /grace@example\.org/);
    // No word of its own in a form brings somebody else's account along.
    const forged = await browser.post("/portal/sign-up", {
      "email": "eve@example.org",
      "field-0": "Eve",
      "account": "1.forged",
    });
    const [eves] = await codesOf(desk);
    await browser.submit(await browser.follow(forged), "/portal/sign-in/code", {
      code: eves?.code ?? "",
    });
    assert.doesNotMatch((await browser.get(ACCOUNT)).words, /Unlink/);
    assert.ok(!(await storedText(desk)).includes(CLIENT.client_secret));
  },
);

testOnEngines(
  "developers' provider: an address links nobody; an own session that just began does",
  async (desk) => {
    await using provider = await standIn();
    const id = await begin(desk, provider);
    const { id: ada, email } = await registered(desk, "dev-ada");
    // Her address, verified as it says: she is not let in, and nothing of hers is shown.
    const liar = browserAt(desk);
    const page = await come(liar, provider, id, { sub: "liar", email, email_verified: true });
    assert.match(page.words, /No one has this account yet/);
    // Who asks for a code with her address gets none but her mailbox has it: nothing is linked.
    const asked = await liar.submit(page, "/portal/sign-up", { email, "field-0": "Liar" });
    const [hers] = await codesOf(desk);
    assert.equal(hers?.purpose, "sign_in");
    const guess = hers?.code === "000000" ? "111111" : "000000";
    await liar.submit(await liar.follow(asked), "/portal/sign-in/code", { code: guess });
    assert.equal(liar.cookies.has("keydesk_developer"), false);
    const own = await signedInAs(desk, email);
    const linked = await link(own, provider, id, { sub: "ada-there" });
    assert.equal(linked.location, `${ACCOUNT}?done=linked`, linked.words);
    const again = browserAt(desk);
    assert.equal((await come(again, provider, id, { sub: "ada-there" })).status, 303);
    assert.match((await again.get(ACCOUNT)).words, /dev-ada@example\.org/);
    // It is hers alone, and links nobody else.
    const { email: other } = await registered(desk, "dev-other");
    const second = await signedInAs(desk, other);
    const taken = await link(second, provider, id, { sub: "ada-there" });
    assert.match(taken.words, /signs in another developer already/);
    // A session that a back end opened links none, whatever the pages let it do.
    await openPages(desk, { sign_up: "open", back_end_access: "all" });
    const opened = await signInByLink(desk, ada);
    const theirs = browserAt(desk);
    theirs.setCookie("keydesk_developer", opened.cookie.replace(/^[^=]+=/, ""));
    const refused = await theirs.submit(await theirs.get(ACCOUNT), `${ACCOUNT}/link/${id}`);
    assert.equal(refused.location, `${ACCOUNT}/again`);
    // Deleted, and somebody else under the same id: the account is nobody's.
    await call(desk, "DELETE", `/v1/developers/${ada}?keys=revoke`);
    await registered(desk, ada, "new@example.org");
    const gone = await come(browserAt(desk), provider, id, { sub: "ada-there" });
    assert.match(gone.words, /No one has this account yet/);
  },
);

testOnEngines(
  "developers' provider: who is known comes by a second one, and is linked once the mailed code was entered",
  async (desk) => {
    await using provider = await standIn();
    await using second = await standIn();
    const id = await begin(desk, provider);
    const other = await addProvider(desk, second, FOR_DEVELOPERS);
    reach(desk, provider.host, second.host);
    const { email } = await registered(desk, "dev-ada");
    /** Comes by a provider that knows her as this, and enters the code that is mailed to her. */
    const enterCode = async (at: StandIn, at_id: string, sub: string): Promise<Browser> => {
      const browser = browserAt(desk);
      const page = await come(browser, at, at_id, { sub });
      assert.match(page.words, /No one has this account yet/);
      const asked = await browser.submit(page, "/portal/sign-up", { email, "field-0": "Ada" });
      const [newest] = await codesOf(desk);
      assert.equal(newest?.purpose, "sign_in");
      const code = newest?.code ?? "";
      await browser.submit(await browser.follow(asked), "/portal/sign-in/code", { code });
      return browser;
    };
    await enterCode(provider, id, "ada-here");
    await enterCode(second, other, "ada-there");
    for (
      const [at, at_id, sub] of [[provider, id, "ada-here"], [second, other, "ada-there"]] as const
    ) {
      const back = browserAt(desk);
      assert.equal((await come(back, at, at_id, { sub })).location, "/portal", sub);
      assert.match((await back.get(ACCOUNT)).words, /dev-ada@example\.org/);
    }
    const { data } = await call(desk, "GET", "/v1/audit-log?action=identity.created");
    assert.equal(data.length, 2);
    // Without an account that was proved a code signs in, and links nothing.
    await signInAtPages(desk, email);
    const again = await call(desk, "GET", "/v1/audit-log?action=identity.created");
    assert.equal(again.data.length, 2);
  },
);

testOnEngines(
  "developers' provider: asked again, whom it disabled is out, and a bound counts where it can't be asked",
  async (desk) => {
    await using provider = await standIn();
    const id = await begin(desk, provider);
    await call(desk, "PUT", `/v1/identity-providers/${id}`, {
      name: "Partner",
      ...CLIENT,
      domains: [],
      session_minutes: 30,
    });
    const { email } = await registered(desk, "dev-ada");
    const own = await signedInAs(desk, email);
    assert.equal((await link(own, provider, id, { sub: "ada" })).status, 303);
    const bound = browserAt(desk);
    await come(bound, provider, id, { sub: "ada" });
    provider.lies = { refreshes: true };
    const asked = browserAt(desk);
    await come(asked, provider, id, { sub: "ada" });
    const { data } = await call(desk, "GET", "/v1/developers/dev-ada/sessions");
    const lives = data.filter((one: { signed_in_by: string }) => one.signed_in_by === "provider")
      .map((one: { date_created: string; expires_at: string }) =>
        (Date.parse(one.expires_at) - Date.parse(one.date_created)) / 60_000
      );
    assert.deepEqual(lives.toSorted(), [7 * 24 * 60, 30].toSorted());
    const { ctx } = desk.app;
    const later = (ms: number) => ({ ...ctx, clock: { now: () => Date.now() + ms } });
    assert.equal(await recheckDue(later(60 * 60_000)), 0);
    assert.equal((await asked.get(ACCOUNT)).status, 200);
    provider.disabled.add("ada");
    assert.equal(await recheckDue(later(2 * 60 * 60_000 + 60_000)), 1);
    assert.equal((await asked.get(ACCOUNT)).status, 303);
    // What began otherwise goes on.
    assert.equal((await own.get(ACCOUNT)).status, 200);
  },
);

testOnEngines(
  "developers' provider: people's opens no portal, and theirs no console",
  async (desk) => {
    await using provider = await standIn();
    await using peoples = await standIn();
    const id = await begin(desk, provider);
    const other = await addProvider(desk, peoples);
    reach(desk, provider.host, peoples.host);
    const page = await browserAt(desk).get("/portal/sign-in");
    assert.ok(page.text.includes(`/portal/sign-in/with/${id}`));
    assert.ok(!page.text.includes(other));
    assert.equal((await browserAt(desk).post(`/portal/sign-in/with/${other}`, {})).status, 404);
    const init = { credential: null, headers: { host: HOST }, body: {} };
    const console = await desk.send("POST", `/v1/session/provider/${id}`, init);
    assert.equal((await console.json()).code, "not_found");
    // The way back of one is none of the other.
    const began = await desk.send("POST", `/v1/session/provider/${other}`, init);
    const answer = peoples.authorize((await began.json()).url, {
      sub: "grace",
      groups: ["admins"],
    });
    const ticket = /keydesk_provider=([^;]+)/.exec(began.headers.get("set-cookie") ?? "")?.[1] ??
      "";
    for (const where of [id, other]) {
      const browser = browserAt(desk);
      browser.setCookie("keydesk_developer_provider", ticket);
      const back = await comeBack(browser, where, answer);
      assert.equal(back.status, 401, where);
    }
    // What would make people is refused of it, and nobody changes whom it signs in.
    const given = { groups: [{ group: "desk", permissions: ["approve"] }] };
    const terms = { name: "X", client_id: "x", domains: ["anybody.example"] };
    const body = { ...terms, ...given, issuer: provider.issuer, for: "developers" };
    const refused = await desk.send("POST", "/v1/identity-providers", { body });
    assert.equal((await refused.json()).code, "invalid_input");
    const turned = await desk.send("PUT", `/v1/identity-providers/${id}`, {
      body: { ...terms, ...given },
    });
    assert.equal((await turned.json()).code, "invalid_input");
    await call(desk, "PUT", `/v1/identity-providers/${id}`, terms);
    assert.equal((await call(desk, "GET", `/v1/identity-providers/${id}`)).for, "developers");
    // Nor do people link an account there.
    const { providers } = await call(desk, "GET", "/v1/identities");
    assert.deepEqual(providers.map((one: { id: string }) => one.id), [other]);
  },
);

testOnEngines(
  "developers' provider: a domain is offered it, whoever has the address",
  async (desk) => {
    await using provider = await standIn();
    const id = await begin(desk, provider);
    const { email } = await registered(desk, "dev-ada");
    await call(desk, "PUT", `/v1/identity-providers/${id}`, {
      name: "Partner",
      client_id: CLIENT.client_id,
      domains: ["example.org"],
    });
    const shown = async (address: string) => {
      const browser = browserAt(desk);
      const page = await browser.get("/portal/sign-in");
      assert.ok(!page.text.includes(id), "not before the address is known");
      const ways = await browser.submit(page, "/portal/sign-in", { email: address });
      return { status: ways.status, text: ways.text.replaceAll(address, "…") };
    };
    const known = await shown(email);
    assert.deepEqual(await shown("nobody@example.org"), known);
    assert.match(known.text, /Continue with Partner/);
    assert.equal((await shown("dev-ada@elsewhere.example")).status, 303, "a code, as ever");
    // A code is still to be had.
    const browser = browserAt(desk);
    const ways = await browser.submit(await browser.get("/portal/sign-in"), "/portal/sign-in", {
      email,
    });
    const asked = await browser.submit(ways, "/portal/sign-in");
    assert.equal(asked.location, "/portal/sign-in/code");
  },
);

{
  const clock = testClock();
  testOnEngines(
    "developers' provider: what it ends is ended, once; unlinked and removed it opens nothing",
    async (desk) => {
      await using provider = await standIn(() => clock.at);
      const id = await begin(desk, provider);
      const { email } = await registered(desk, "dev-ada");
      const own = await signedInAs(desk, email);
      await link(own, provider, id, { sub: "ada" });
      const enter = async (sid: string) => {
        const browser = browserAt(desk);
        assert.equal((await come(browser, provider, id, { sub: "ada", sid })).status, 303);
        return browser;
      };
      const isIn = async (browser: Browser) => (await browser.get(ACCOUNT)).status === 200;
      const logout = async (where: string, logout_token: string) => {
        const answer = await desk.send("POST", where, {
          credential: null,
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams({ logout_token }).toString(),
        });
        const { ended, code } = await answer.json();
        return ended ?? code;
      };
      const at = `/v1/my/session/provider/${id}/logout`;
      const [one, two] = [await enter("one"), await enter("two")];
      const token = await provider.logoutToken({ sid: "one" });
      assert.equal(await logout(`/v1/session/provider/${id}/logout`, token), "logout_refused");
      assert.equal(await logout(at, token), 1);
      assert.equal(await logout(at, token), "logout_refused");
      assert.deepEqual([await isIn(one), await isIn(two)], [false, true]);
      assert.equal(await logout(at, await provider.logoutToken({ sub: "ada" })), 1);
      assert.deepEqual([await isIn(two), await isIn(own)], [false, true]);
      // A session by single sign-on is her own, and not fresh: what lasts asks for more.
      const three = await enter("three");
      const asks = await three.submit(await three.get(ACCOUNT), `${ACCOUNT}/tokens`, {
        "token-name": "x",
        "scope": "look",
        "days": "1",
      });
      const again = await three.follow(asks);
      const left = await three.submit(again, `/portal/sign-in/with/${id}`);
      assert.match(onTo(left), /max_age=0/);
      await comeBack(three, id, provider.authorize(onTo(left), { sub: "ada", sid: "four" }));
      const page = await three.get(ACCOUNT);
      const unlinks = page.forms().find(({ action }) => action.includes("/identities/"));
      const gone = await three.submit(page, unlinks?.action ?? "");
      assert.equal(gone.location, `${ACCOUNT}?done=unlinked`, gone.words);
      assert.equal(await isIn(three), true, "the one that did it goes on");
      // Removed, it ends what began by it, and nothing else.
      await link(own, provider, id, { sub: "ada" });
      const five = await enter("five");
      await call(desk, "DELETE", `/v1/identity-providers/${id}`);
      assert.deepEqual([await isIn(five), await isIn(own)], [false, true]);
    },
    { clock },
  );
}

testOnEngines("developers' provider: the last way in is not unlinked", async (desk) => {
  await using provider = await standIn();
  const id = await begin(desk, provider);
  const { email } = await registered(desk, "dev-ada");
  const own = await signedInAs(desk, email);
  await link(own, provider, id, { sub: "ada" });
  // No codes are mailed any more, and she has no password.
  Object.assign(desk.app.ctx, { mail: () => Promise.resolve(undefined) });
  const page = await own.get(ACCOUNT);
  const unlinks = page.forms().find(({ action }) => action.includes("/identities/"))?.action ?? "";
  const refused = await own.submit(page, unlinks);
  assert.equal(refused.status, 409);
  assert.match(refused.words, /Nothing else would let you in/);
  await own.submit(page, `${ACCOUNT}/password`, { password: "a long one of her own choice" });
  assert.equal((await own.submit(page, unlinks)).location, `${ACCOUNT}?done=unlinked`);
});

testOnEngines("developers' provider: the way back is one browser's, once", async (desk) => {
  await using provider = await standIn();
  const id = await begin(desk, provider);
  const { email } = await registered(desk, "dev-ada");
  const own = await signedInAs(desk, email);
  await link(own, provider, id, { sub: "ada" });
  const browser = browserAt(desk);
  const left = await browser.submit(
    await browser.get("/portal/sign-in?to=/portal/keys"),
    `/portal/sign-in/with/${id}`,
  );
  const answer = provider.authorize(onTo(left), { sub: "ada" });
  const before = provider.asked.length;
  assert.equal((await comeBack(browserAt(desk), id, answer)).status, 401);
  assert.equal(provider.asked.length, before, "nobody was asked");
  const ticket = browser.cookies.get("keydesk_developer_provider") ?? "";
  const back = await comeBack(browser, id, answer);
  assert.equal(back.location, "/portal/keys", "where she wanted to go");
  browser.setCookie("keydesk_developer_provider", ticket);
  assert.equal((await comeBack(browser, id, answer)).status, 401);
  // A link belongs to the session that went: another one's is signed in by nobody's answer.
  const linking = await own.submit(await own.get(ACCOUNT), `${ACCOUNT}/link/${id}`);
  const links = provider.authorize(onTo(linking), { sub: "second" });
  const stranger = browserAt(desk);
  stranger.setCookie(
    "keydesk_developer_provider",
    own.cookies.get("keydesk_developer_provider") ?? "",
  );
  assert.equal((await comeBack(stranger, id, links)).status, 401);
  // And nothing that is asked of it by a page of another site.
  own.headers["sec-fetch-site"] = "cross-site";
  assert.equal((await own.post(`/portal/from/${id}`, { answer: links })).status, 403);
});

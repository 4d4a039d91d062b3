/** A developers' provider that is away or lies lets nobody in, by the same rules as people's. */
import assert from "node:assert/strict";
import { findDeveloperSession } from "../../../../src/features/portal/access/developer-sessions.store.ts";
import { sha256 } from "../../../../src/kernel/sha256.ts";
import { openPages, registered } from "../../../support/developers.ts";
import { openTestDesk } from "../../../support/desk.ts";
import { addProvider, CLIENT, HOST, standIn } from "../../../support/identity-provider.ts";
import { LIES } from "../../../support/lying-providers.ts";
import { call } from "../../../support/people.ts";
import { Browser, signInAtPages } from "../../../support/portal.ts";

const TERMS = { name: "Partner", ...CLIENT, domains: [] };

Deno.test("developers' provider: whatever it lies about, nobody is let in, and none is told of it", async () => {
  await using provider = await standIn();
  // What the provider does has nothing to do with the store.
  await using desk = await openTestDesk("sqlite");
  await openPages(desk, { sign_up: "open" });
  const id = await addProvider(desk, provider, {
    ...TERMS,
    for: "developers",
    groups: [],
    creates_people: false,
  });
  const { email } = await registered(desk, "dev-ada");
  const own = await signInAtPages(desk, email);
  own.headers.host = HOST;
  const from = `/portal/from/${id}`;
  const onTo = (headers: Headers) => (headers.get("refresh") ?? "").replace("0; url=", "");
  const leave = async (browser: Browser, path: string) =>
    await browser.submit(await browser.get(path), `${path}/with/${id}`);
  const back = async (browser: Browser, answer: string) =>
    await browser.submit(await browser.get(`${from}?${answer}`), from);
  const linking = await own.submit(await own.get("/portal/account"), `/portal/account/link/${id}`);
  const answer = provider.authorize(onTo(linking.headers), { sub: "ada" });
  assert.equal((await back(own, answer)).location, "/portal/account?done=linked");
  const come = async () => {
    const browser = new Browser(desk);
    browser.headers.host = HOST;
    const left = await leave(browser, "/portal/sign-in");
    const seen = left.status === 200
      ? await back(browser, provider.authorize(onTo(left.headers), { sub: "ada" }))
      : left;
    return { seen, session: browser.cookies.get("keydesk_developer") };
  };
  for (const [name, [lies, code, where]] of Object.entries(LIES)) {
    provider.lies = lies;
    // It is read anew: what it said of itself counts for a minute.
    await call(desk, "PUT", `/v1/identity-providers/${id}`, TERMS);
    const { seen, session } = await come();
    assert.equal(session, undefined, name);
    assert.equal(seen.status, code === "provider_away" ? 503 : 401, `${name} ${where}`);
    assert.match(
      seen.words,
      code === "provider_away" ? /does not answer now/ : /You were not signed in/,
    );
  }
  provider.lies = {};
  await call(desk, "PUT", `/v1/identity-providers/${id}`, TERMS);
  const { seen, session = "" } = await come();
  assert.equal(seen.status, 303);
  const row = await findDeveloperSession(desk.app.ctx.storage.reader, { hash: sha256(session) });
  assert.deepEqual([row?.developer_id, row?.opened_by, row?.opens], ["dev-ada", "provider", "all"]);
});

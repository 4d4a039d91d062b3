/** The developer's pages of APIs, requests and keys, each in the states that there are. */
import assert from "node:assert/strict";
import { PSEUDO } from "../../../../src/kernel/pseudo-text.ts";
import { textsFor } from "../../../../src/features/portal/pages/texts.ts";
import { quotaCard } from "../../../../src/features/portal/pages/use-cards.ts";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { openPages, registered, signInByLink } from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";
import { Browser, signInAtPages } from "../../../support/portal.ts";

const USE = { name: "use_case", required: true };

async function begin(desk: TestDesk) {
  await openPages(desk);
  const { plans } = await offer(desk, [
    {
      api: "tides",
      plan: "Free",
      approval: "automatic",
      quota_max: 1000,
      quota_renewal_rate: 86400,
    },
    { api: "tides", plan: "Partners", fields: [USE] },
    { api: "hidden", plan: "Secret", show: false },
  ]);
  const { id, email } = await registered(desk, "dev-ada");
  const { Free: free = "", Partners: partners = "" } = plans;
  return { id, email, free, partners, ada: await signInAtPages(desk, email) };
}

testOnEngines("portal pages: from the first visit to a key that is shown once", async (desk) => {
  const { ada, free } = await begin(desk);
  const home = await ada.get("/portal");
  assert.match(home.words, /You have no key yet.* Free .*1,000 calls in 1 day/);
  assert.doesNotMatch(home.words, /hidden|Secret/);
  assert.match(home.text, new RegExp(`href="/portal/ask/${free}"`));
  const ask = await ada.get(`/portal/ask/${free}`);
  const asked = await ada.submit(ask, `/portal/ask/${free}`);
  const key = await ada.follow(asked);
  assert.match(key.words, /Your key is ready/);
  const path = asked.location.split("?")[0] ?? "";
  const shown = await ada.submit(key, `${path}/open`);
  assert.equal(shown.status, 200);
  const [, raw = ""] = /<code\s+id="key"[^>]*>([^<]+)<\/code>/.exec(shown.text) ?? [];
  assert.ok(raw.length > 20, shown.text);
  const verified = await succeed<{ valid: boolean }>(desk, "POST", "/v1/keys/verify", {
    body: { key: raw, api_id: "tides" },
  });
  assert.equal(verified.valid, true);
  const [, fresh = ""] = /action="(\/portal\/keys\/[0-9a-f]{64})"/.exec(shown.text) ?? [];
  for (const place of [fresh, "/portal/keys", "/portal/requests", "/portal"]) {
    const page = await ada.get(place);
    assert.equal(page.status, 200, place);
    assert.ok(!page.text.includes(raw), `${place} shows the key again`);
  }
  assert.match((await ada.get("/portal")).words, /Keys 1 1 key works/);
  assert.equal((await ada.submit(key, `${path}/open`)).status >= 400, true, "no second time");
});

testOnEngines(
  "portal pages: a first key is one press, and a press that comes twice makes one",
  async (desk) => {
    const { ada, free, partners } = await begin(desk);
    const home = await ada.get("/portal");
    const press = () => ada.submit(home, `/portal/ask/${free}/key`);
    const shown = await Promise.all([press(), press()]);
    const rawIn = ({ text }: { text: string }) =>
      /<code\s+id="key"[^>]*>([^<]+)<\/code>/.exec(text)?.[1];
    const again = await press();
    assert.ok(rawIn(again), again.words);
    const told = shown.map(rawIn).filter((raw) => raw !== undefined);
    assert.ok(told.length > 0 && told.every((raw) => raw === rawIn(again)), "the same key");
    assert.match((await ada.get("/portal")).words, /Keys 1 1 key works/);
    assert.doesNotMatch((await ada.get("/portal")).text, /\/key"/, "it is no first key any more");
    const { hidden = {} } = home.forms().find(({ action }) => action.endsWith("/key")) ?? {};
    const other = await ada.post(`/portal/ask/${partners}/key`, hidden);
    assert.equal(other.location, `/portal/ask/${partners}`, "people decide on that one");
    const nameless = await ada.post(`/portal/ask/${free}/key`, { ...hidden, press: "" });
    assert.equal(nameless.location, `/portal/ask/${free}`);
  },
);

const clock = { at: Date.parse("2026-03-01T00:00:00Z"), now: () => clock.at };

testOnEngines("portal pages: a first press that is sent anew later shows no key", async (desk) => {
  clock.at = Date.parse("2026-03-01T00:00:00Z");
  const { ada, free } = await begin(desk);
  const home = await ada.get("/portal");
  assert.match((await ada.submit(home, `/portal/ask/${free}/key`)).text, /id="key"/);
  clock.at += 10_001;
  const later = await ada.submit(home, `/portal/ask/${free}/key`);
  assert.match(later.location, /^\/portal\/keys\/[0-9a-f]{64}$/);
  assert.doesNotMatch((await ada.follow(later)).text, /id="key"/);
}, { clock });

testOnEngines("portal pages: asked, declined, asked again, withdrawn", async (desk) => {
  const { ada, partners } = await begin(desk);
  const place = `/portal/ask/${partners}`;
  const form = await ada.get(place);
  const incomplete = await ada.submit(form, place, {});
  assert.equal(incomplete.status, 400, incomplete.words);
  const evil = `<script>alert("use")</script>`;
  await ada.submit(form, place, { "field-0": evil });
  const waits = await ada.get("/portal/requests");
  assert.match(waits.words, /Partners .* Waits/);
  assert.match(waits.words, /<script>alert\("use"\)/);
  assert.doesNotMatch(waits.text, /<script>/);
  const [, id = ""] = /\/portal\/requests\/([^/"]+)\/withdraw/.exec(waits.text) ?? [];
  await succeed(desk, "POST", `/v1/key-requests/${id}/decline`, {
    body: { reason: `Say more. ${evil}` },
  });
  const declined = await ada.get("/portal/requests");
  assert.match(declined.words, /Declined .*Say more\. <script>/);
  assert.doesNotMatch(declined.text, /<script>/);
  assert.match((await ada.get("/portal")).words, /Declined Request/);
  const again = await ada.get(`${place}?from=${id}`);
  assert.match(again.words, /<script>alert\("use"\)/, "the answers are there");
  await ada.submit(again, place, { "field-0": "A map of tides" });
  const second = await ada.get("/portal/requests");
  const action = second.forms().find((one) => /withdraw$/.test(one.action))?.action ?? "";
  const withdrawn = await ada.submit(second, action);
  assert.match(withdrawn.words, /The request is withdrawn/);
  assert.doesNotMatch((await ada.get("/portal/requests")).words, /A map of tides/);
  await ada.submit(withdrawn, place);
  assert.match((await ada.get("/portal/requests")).words, /A map of tides .*Waits|Waits .*A map/);
});

testOnEngines(
  "portal pages: a key's use by day, its quota and how a first call goes",
  async (desk) => {
    const { ada, id, free } = await begin(desk);
    await succeed(desk, "PUT", "/v1/branding", {
      body: { base_url: "https://api.example.org/tides", key_header: "X-Key" },
    });
    const { key_id, RawKey } = await succeed<{ key_id: string; RawKey: string }>(
      desk,
      "POST",
      `/v1/developers/${id}/keys`,
      { body: { plans: [free] } },
    );
    for (const api_id of ["tides", "tides", "other"]) {
      await succeed(desk, "POST", "/v1/keys/verify", { body: { key: RawKey, api_id } });
    }
    const path = `/portal/keys/${key_id}`;
    const page = await ada.get(path);
    assert.match(page.words, /2 answered, 1 refused/);
    assert.equal(
      [...page.text.matchAll(/<rect class="refused"/g)].length,
      30,
      "a column for a day",
    );
    assert.match(page.text, /<rect x="[\d.]+%" y="33\.33%" width="[\d.]+%" height="66\.67%"/);
    assert.match(page.words, /998 of 1,000 calls left .*2 calls a day, it is enough/);
    const shown = await ada.submit(page, `${path}/rotate`, { overlap: "3600" });
    assert.match(shown.words, /curl -H 'X-Key: '"\$API_KEY" https:\/\/api\.example\.org\/tides/);
    assert.match(shown.words, /JavaScript .*process\.env\.API_KEY.* Python .*os\.environ/);
    assert.match(shown.text, /data-env="API_KEY"[\s\S]*type="checkbox"\s+required/);
    await succeed(desk, "POST", `/v1/keys/${key_id}/suspend`, { body: { reason: "x" } });
    const suspended = await ada.get(path);
    assert.match(suspended.words, /suspended it: it is not valid.* Since /);
    await succeed(desk, "POST", `/v1/keys/${key_id}/revoke`, { body: { reason: "x" } });
    assert.match((await ada.get(path)).words, /it was revoked on .* Request another/);
  },
);

testOnEngines(
  "portal pages: a spent quota says since when, as long as it is spent",
  async (desk) => {
    const { ada, id } = await begin(desk);
    const { plans } = await offer(desk, [
      { api: "maps", plan: "Few", quota_max: 2, quota_renewal_rate: 86400 },
    ]);
    const { key_id, RawKey: key } = await succeed<{ key_id: string; RawKey: string }>(
      desk,
      "POST",
      `/v1/developers/${id}/keys`,
      { body: { plans: [plans.Few] } },
    );
    const verify = () =>
      succeed(desk, "POST", "/v1/keys/verify", { body: { key, api_id: "maps" } });
    const words = async () => (await ada.get(`/portal/keys/${key_id}`)).words;
    await verify();
    assert.doesNotMatch(await words(), /Since/);
    await verify();
    await verify();
    await desk.app.ctx.verifier.writeUsage();
    const spent = /quota is spent: calls are refused with 429\. Since (.*?)\. See what other/;
    const [, since = ""] = spent.exec(await words()) ?? [];
    assert.match(since, /\d\d:\d\d.* UTC/);
    await verify();
    assert.equal(spent.exec(await words())?.[1], since, "further refusals change nothing");
  },
);

Deno.test("portal pages: where nobody noted when, a quota is spent since the last call that passed", () => {
  const counts = { calls: 3, passed: 2, refused_401: 0, refused_403: 0, refused_429: 1 };
  const days = [
    { day: "2026-01-04", ...counts },
    { day: "2026-01-05", ...counts, passed: 0, refused_429: 3 },
  ];
  const use = { from: "2026-01-01", to: "2026-01-30", days, total: counts };
  const left = { limit: 4, left: 0, used: 4, used_up_at: null, per_day: 1, is_enough: null };
  for (const language of ["en", "de"]) {
    const t = textsFor(language, null);
    const card = quotaCard(t, { ...left, renews_at: null }, use).text;
    assert.ok(card.includes(`${t.say("key.since")} ${t.day("2026-01-04")}.`), card);
  }
});

testOnEngines("portal pages: a key is rotated, suspended, switched on and ended", async (desk) => {
  const { ada, id, partners } = await begin(desk);
  const { key_id } = await succeed<{ key_id: string }>(desk, "POST", `/v1/developers/${id}/keys`, {
    body: { plans: [partners] },
  });
  const path = `/portal/keys/${key_id}`;
  const at = async (place: string) => await ada.get(place);
  await ada.submit(await at(path), `${path}/suspend`);
  const suspended = await at(path);
  assert.match(suspended.words, /Suspended .*You suspended it/);
  await ada.submit(suspended, `${path}/resume`);
  const rotated = await ada.submit(await at(path), `${path}/rotate`, { overlap: "3600" });
  assert.equal(rotated.status, 200, rotated.words);
  const [, next = ""] = /action="(\/portal\/keys\/[0-9a-f]{64})"/.exec(rotated.text) ?? [];
  const fresh = await at(next);
  assert.match(fresh.words, /The old key .* still works/);
  assert.match((await at(path)).words, /A newer key took over/);
  await ada.submit(fresh, `${path}/end`);
  assert.match((await at(path)).words, /Revoked/);
  assert.match((await at("/portal/keys?state=over")).text, new RegExp(path));
  assert.equal((await ada.submit(fresh, `${next}/rotate`, { overlap: "99" })).status, 400);
});

testOnEngines("portal pages: a later end is asked for at the key, and waits", async (desk) => {
  const { ada, id, free } = await begin(desk);
  const today = desk.app.ctx.clock.now();
  const day = (days: number) => new Date(today + days * 86_400_000).toISOString().slice(0, 10);
  const body = { plans: [free], expires_at: `${day(10)}T12:00:00Z` };
  const { key_id } = await succeed<{ key_id: string }>(desk, "POST", `/v1/developers/${id}/keys`, {
    body,
  });
  const path = `/portal/keys/${key_id}`;
  const page = await ada.get(path);
  // Before noon it is one more.
  assert.match(page.words, /This key expires in (9|10) days.* Request a later expiry /);
  for (const until of ["", "soon", day(9), "2026-02-31", `${day(40)}\u0000`]) {
    const refused = await ada.submit(page, `${path}/later-end`, { until, why: "<b>More</b>" });
    assert.equal(refused.status, 400, until);
  }
  const kept = await ada.submit(page, `${path}/later-end`, { until: day(9), why: "<b>More</b>" });
  assert.match(kept.words, /Choose a day after .*<b>More<\/b>/, "what was written stays");
  await ada.submit(page, `${path}/later-end`, { until: day(40), why: "<b>More</b>" });
  const waits = await ada.get(path);
  assert.match(waits.words, /decide whether this key lives until .*11:59:59 PM UTC/);
  assert.ok(waits.forms().every(({ action }) => action !== `${path}/later-end`));
  const requests = await ada.get("/portal/requests");
  assert.match(
    requests.words,
    /Later end: Free .*Waits .*Requested a later expiry: .*<b>More<\/b>/,
  );
  const [, withdraw = ""] = /action="(\/portal\/requests\/[^/]+\/withdraw)"/.exec(requests.text) ??
    [];
  const withdrawn = await ada.submit(requests, withdraw);
  assert.match(withdrawn.words, /The request is withdrawn/);
  assert.ok(withdrawn.forms().every(({ action }) => !action.startsWith("/portal/ask/")));
  const again = await ada.get(path);
  assert.match(again.words, /Last day that the key is to work \( UTC \)/);
  // The script says when the day ends where one reads, which is near its end in UTC.
  for (
    const [ends, told] of [
      [`${day(40)}T21:59:59.000Z`, /lives until .*9:59:59 PM UTC/],
      [`${day(60)}T21:59:59.000Z`, /lives until .*11:59:59 PM UTC/],
    ] as const
  ) {
    await ada.submit(again, `${path}/later-end`, { until: day(40), ends, why: "One\nTwo" });
    assert.match((await ada.get(path)).words, told);
    const asked = await ada.get("/portal/requests");
    assert.match(asked.text, /<dd class="lines">One\nTwo<\/dd>/);
    const [, back = ""] = /action="(\/portal\/requests\/[^/]+\/withdraw)"/.exec(asked.text) ?? [];
    await ada.submit(asked, back);
  }
});

testOnEngines("portal pages: a request for what is gone says so, and leads on", async (desk) => {
  const { ada, id: by_user, partners } = await begin(desk);
  const ask = async () =>
    (await succeed<{ Message: string }>(desk, "POST", "/api/portal/requests", {
      body: { by_user, for_plan: partners, for_api: "tides", fields: { use_case: "A map" } },
    })).Message;
  const declined = await ask();
  await succeed(desk, "POST", `/v1/key-requests/${declined}/decline`, {
    body: { reason: "One\nTwo" },
  });
  await ask();
  assert.doesNotMatch((await ada.get("/portal/requests")).words, /no longer offered/);
  await succeed(desk, "DELETE", `/api/portal/policies/${partners}`);
  const page = await ada.get("/portal/requests");
  assert.match(page.words, /Requests .*Partners requested on/);
  assert.match(
    page.words,
    /Partners is no longer offered\. You can withdraw this request and choose another plan\./,
  );
  assert.equal(page.text.match(/<a href="\/portal\/apis\/tides">Look at what is off/g)?.length, 2);
  assert.match(page.text, /<blockquote>One\nTwo<\/blockquote>/);
  assert.doesNotMatch(page.text, /\/portal\/ask\//, "what is gone is not asked for again");
  for (const path of ["/portal/ask/never-was", "/portal/apis/never-was"]) {
    const nothing = await ada.get(path);
    assert.equal(nothing.status, 404);
    assert.match(nothing.words, /This is not offered, or no longer\..* Look at what is offered/);
  }
  const { status } = await ada.get("/portal/apis/tides");
  assert.equal(status, 200);
});

testOnEngines("portal pages: another plan that is offered stands with its limits", async (desk) => {
  const { ada, id: by_user, free, partners } = await begin(desk);
  const { Message: id } = await succeed<{ Message: string }>(desk, "POST", "/api/portal/requests", {
    body: { by_user, for_plan: partners, fields: { use_case: "A map" } },
  });
  const conditions = { plans: [free] };
  await succeed(desk, "POST", `/v1/key-requests/${id}/offer`, { body: { conditions } });
  assert.match(
    (await ada.get("/portal/requests")).words,
    /Free · tides \(no limit on calls at a time, 1,000 calls in 1 day, Keys do not end/,
  );
});

testOnEngines(
  "portal pages: words are added to what waits, and a late one reminds",
  async (desk) => {
    const { ada, id: by_user, partners } = await begin(desk);
    const ask = async (hoursAgo: number) => {
      const date = new Date(desk.app.ctx.clock.now() - hoursAgo * 3_600_000).toISOString();
      const fields = { use_case: "A map" };
      const body = { by_user, for_plan: partners, date_created: date, fields };
      return (await succeed<{ Message: string }>(desk, "POST", "/api/portal/requests", { body }))
        .Message;
    };
    for (let n = 0; n < 5; n++) {
      await succeed(desk, "POST", `/v1/key-requests/${await ask(2)}/decline`, { body: {} });
    }
    const at = `/portal/requests/${await ask(48)}`;
    await ask(0);
    const page = await ada.get("/portal/requests");
    assert.match(page.words, /usually 2 hours; this one takes longer, since .* Remind them/);
    assert.deepEqual(
      page.forms().map(({ action }) => action).filter((action) => /remind$/.test(action)),
      [`${at}/remind`],
    );
    assert.equal((await ada.submit(page, `${at}/words`, { words: " " })).status, 400);
    await ada.submit(page, `${at}/words`, { words: "<b>Soon</b>" });
    const reminded = await ada.submit(page, `${at}/remind`);
    assert.equal(reminded.location, "/portal/requests");
    const after = await ada.get("/portal/requests");
    assert.match(after.words, /They were reminded: .* You added: <b>Soon<\/b>/);
    assert.doesNotMatch(after.text, /<b>Soon/);
    assert.ok(after.forms().every(({ action }) => !/remind$/.test(action)));
  },
);

testOnEngines("portal pages: a session of a back end looks; more asks for a code", async (desk) => {
  const { id, partners } = await begin(desk);
  const { key_id } = await succeed<{ key_id: string }>(desk, "POST", `/v1/developers/${id}/keys`, {
    body: { plans: [partners] },
  });
  const { cookie } = await signInByLink(desk, id);
  const browser = new Browser(desk);
  const [name = "", value = ""] = cookie.split("=");
  browser.setCookie(name, value);
  const page = await browser.get(`/portal/keys/${key_id}`);
  const sent = await browser.submit(page, `/portal/keys/${key_id}/suspend`);
  assert.equal(sent.location, `/portal/prove?to=/portal/keys/${key_id}`);
  assert.match((await browser.get(`/portal/keys/${key_id}`)).words, /Active/);
});

testOnEngines("portal pages: what is another's is not there", async (desk) => {
  const { id, partners, ada } = await begin(desk);
  const { key_id } = await succeed<{ key_id: string }>(desk, "POST", `/v1/developers/${id}/keys`, {
    body: { plans: [partners] },
  });
  await ada.submit(await ada.get(`/portal/ask/${partners}`), `/portal/ask/${partners}`, {
    "field-0": "Mine",
  });
  const hers = (await ada.get("/portal/requests")).forms()
    .find((one) => /withdraw$/.test(one.action))?.action ?? "";
  const { email } = await registered(desk, "dev-eve");
  const eve = await signInAtPages(desk, email);
  const { hidden } = (await eve.get("/portal/account")).forms()
    .find((one) => one.action === "/portal/sign-out") ?? { hidden: {} };
  const request = hers.split("/").at(-2) ?? "";
  for (
    const path of [
      `/portal/keys/${key_id}`,
      `/portal/ask/${partners}?from=${request}`,
      "/portal/ask/nothing",
      "/portal/apis/hidden",
    ]
  ) {
    assert.equal((await eve.get(path)).status, 404, path);
  }
  for (const action of ["open", "rotate", "suspend", "resume", "end", "later-end"]) {
    const fields = { ...hidden, overlap: "0", until: "2036-01-31" };
    const answer = await eve.post(`/portal/keys/${key_id}/${action}`, fields);
    assert.equal(answer.status, 404, action);
  }
  assert.equal((await eve.post(hers, hidden)).status, 404);
  assert.equal((await eve.get("/portal/keys")).text.includes(key_id), false);
});

testOnEngines("portal pages: their texts are of the catalogues too", async (desk) => {
  const { ada, id, free, partners } = await begin(desk);
  const { key_id } = await succeed<{ key_id: string }>(desk, "POST", `/v1/developers/${id}/keys`, {
    body: { plans: [free] },
  });
  await ada.submit(await ada.get(`/portal/ask/${partners}`), `/portal/ask/${partners}`, {
    "field-0": "1",
  });
  await succeed(desk, "PUT", "/v1/branding", {
    body: { name: "123", base_url: "https://1.example" },
  });
  ada.setCookie("keydesk_language", PSEUDO);
  const given = /\b(tides|Free|Partners|Use case|Authorization|https|example|[0-9a-f]{6,})\b/g;
  for (
    const path of [
      "/portal",
      "/portal/apis/tides",
      `/portal/ask/${partners}`,
      "/portal/requests",
      "/portal/keys",
      "/portal/keys?state=over",
      `/portal/keys/${key_id}`,
    ]
  ) {
    const page = await ada.get(path);
    assert.equal(page.status, 200, path);
    const shown = page.text.replace(/^[\s\S]*<body>/, "").replaceAll(/<time[\s\S]*?<\/time>/g, "")
      .replaceAll(/<option value="\w\w"[\s\S]*?<\/option>/g, "")
      .replaceAll(/<code[\s\S]*?<\/code>/g, "")
      .replaceAll(/<[^>]*>/g, " ").replaceAll(/[\w…]*[\d…][\w…]*/g, "").replaceAll(given, "");
    assert.deepEqual(shown.match(/[A-Za-z]{2,}/g) ?? [], [], path);
  }
});

testOnEngines(
  "portal pages: questions by their texts and kinds, plans with their API",
  async (desk) => {
    const { ada, partners } = await begin(desk);
    const key_request_fields = [
      {
        name: "team",
        label: "Which team?",
        kind: "choice",
        choices: ["A & B", "C"],
        required: true,
      },
      { name: "calls", label: "Calls a day", kind: "number", required: false },
      { name: "cost_center", kind: "text", required: false },
    ];
    await succeed(desk, "PUT", `/v1/plans/${partners}/approval`, { body: { key_request_fields } });
    const path = `/portal/ask/${partners}`;
    const page = await ada.get(path);
    assert.match(page.words, /Request Partners · tides/);
    assert.match(
      page.words,
      /Which team\? Choose one A & B C Calls a day optional Cost center opt/,
    );
    assert.match(page.text, /<select id="f-0" name="field-0"\s+required/);
    assert.match(page.text, /<input id="f-1"[^>]* inputmode="decimal"/);
    const refused = async (fields: Record<string, string>) => {
      const { status, words } = await ada.submit(page, path, fields);
      return `${status} ${words}`;
    };
    assert.match(await refused({}), /^400 .*An answer is missing: Which team\?\./);
    assert.match(
      await refused({ "field-0": "D" }),
      /^400 .*“Which team\?” takes one of its choices/,
    );
    const many = await refused({ "field-0": "C", "field-1": "many" });
    assert.match(many, /^400 .*“Calls a day” takes a number/);
    // What was answered is there still.
    const again = await ada.submit(page, path, { "field-0": "C", "field-1": "many" });
    assert.match(again.text, /<option selected\s*>C<|<option\s+selected\s*>C</);
    const sent = await ada.submit(page, path, { "field-0": "A & B", "field-1": "5000" });
    const requests = await ada.follow(sent);
    assert.match(requests.words, /Partners · tides .*Team A & B Calls 5000/);
  },
);

testOnEngines(
  "portal sign-in: the address is asked once; sign-up that is closed says so",
  async (desk) => {
    // Without mail no code is sent, so nobody can sign up, whatever is set.
    await openPages(desk, { sign_up: "open" });
    const visitor = new Browser(desk);
    const signIn = await visitor.get("/portal/sign-in");
    assert.equal(signIn.text.match(/name="email"/g)?.length, 1);
    assert.match(signIn.words, /E-mail Password Sign in Sign-up is closed here\. Ask Default/);
    for (
      const page of [
        await visitor.get("/portal/sign-up"),
        await visitor.post("/portal/sign-up", { email: "eve@example.org" }),
      ]
    ) {
      assert.equal(page.status, 404);
      assert.match(page.words, /Sign-up is closed here\. Ask Default/);
    }
  },
);

testOnEngines(
  "portal pages: an API's own base URL stands before the organisation's",
  async (desk) => {
    const { ada, free } = await begin(desk);
    const brand = { base_url: "https://gateway.example.org" };
    await succeed(desk, "PUT", "/v1/branding", { body: brand });
    assert.match((await ada.get("/portal/apis/tides")).words, /https:\/\/gateway\.example\.org/);
    const entries = () => succeed(desk, "GET", "/api/portal/catalogue");
    const before = JSON.stringify(await entries());
    const refused = await desk.send("PUT", "/v1/apis/tides", { body: { base_url: "ftp://x" } });
    assert.equal(refused.status, 400);
    const base_url = "https://tides.example.org/v2";
    await succeed(desk, "PUT", "/v1/apis/tides", { body: { base_url } });
    assert.match((await ada.get("/portal/apis/tides")).words, /https:\/\/tides\.example\.org\/v2/);
    const asked = await ada.submit(await ada.get(`/portal/ask/${free}`), `/portal/ask/${free}`);
    const path = asked.location.split("?")[0] ?? "";
    const shown = await ada.submit(await ada.follow(asked), `${path}/open`);
    assert.match(shown.words, /Free · tides/);
    for (
      const call of [
        /curl -H .* https:\/\/tides\.example\.org\/v2/,
        /http\.NewRequest\(.GET., .https:\/\/tides/,
      ]
    ) {
      assert.match(shown.words, call);
    }
    // Without one of its own an entry is as the older interface wrote it.
    await succeed(desk, "PUT", "/v1/apis/tides", { body: { base_url: "" } });
    assert.equal(JSON.stringify(await entries()).replaceAll(/,"base_url":""/g, ""), before);
  },
);

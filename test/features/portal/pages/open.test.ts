/** Pages of public APIs need no session, and tell nothing of what is not public. */
import assert from "node:assert/strict";
import { succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";
import { codesOf, openPages, registered } from "../../../support/developers.ts";
import { offer } from "../../../support/offer.ts";
import { Browser, signInAtPages } from "../../../support/portal.ts";

const DOCUMENT = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Tides", version: "2" },
  servers: [{ url: "https://evil.example.net" }],
  paths: { "/ports": { get: { summary: "All ports" } } },
});

async function begin(desk: TestDesk, settings: Record<string, unknown> = {}) {
  await openPages(desk, { sign_up: "open", ...settings });
  const { plans } = await offer(desk, [
    { api: "tides", plan: "Free", approval: "automatic", quota_max: 10 },
    { api: "waves", plan: "Silver" },
    { api: "partners", plan: "Gold" },
  ]);
  const path = (id: string) => `/v1/apis/${id}`;
  await succeed(desk, "PUT", path("tides"), {
    body: {
      visibility: "public",
      documentation: DOCUMENT,
      short_description: "High [and] low",
      base_url: "https://api.example.org/tides",
    },
  });
  await succeed(desk, "PUT", path("partners"), { body: { visibility: "invited" } });
  await succeed(desk, "PUT", `/v1/plans/${plans.Free}`, { body: { price_text: "Free of charge" } });
  return { plans };
}

const fetched = (
  desk: TestDesk,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
) =>
  desk.app.fetch(
    new Request(`http://desk.test${path}`, { method, headers: { host: "desk.test", ...headers } }),
  );

testOnEngines(
  "open pages: documentation and plans of public APIs, and of no other",
  async (desk) => {
    const { plans } = await begin(desk);
    const stranger = new Browser(desk);
    const home = await stranger.get("/portal");
    assert.equal(home.status, 200);
    assert.match(home.words, /tides High \[and\] low Free At once · Free of charge/);
    assert.doesNotMatch(home.text, /waves|partners|Silver|Gold|noindex/);
    assert.match(home.text, /<link rel="canonical" href="https?:\/\/[^"]+\/portal">/);
    const page = await stranger.get("/portal/apis/tides");
    assert.match(page.words, /Documentation .*1 operation .*GET \/ports All ports .*Plans .*Free/);
    assert.match(page.text, /<meta name="description" content="High \[and\] low">/);
    assert.match(page.text, /<link rel="canonical" href="[^"]+\/portal\/apis\/tides">/);
    assert.doesNotMatch(page.text, /noindex|usually|evil\.example/);
    // A search is for people, and finds no more.
    const search = await stranger.get("/portal?q=wav");
    assert.match(search.text, /noindex/);
    assert.match(search.words, /No API holds/);
    for (const path of ["/portal/apis/waves", "/portal/apis/partners", "/portal/apis/nothing"]) {
      const sent = await stranger.get(path);
      assert.deepEqual([sent.status, sent.location], [303, `/portal/sign-in?to=${path}`]);
    }
    assert.equal(stranger.cookies.size, 0);
    // The way to a plan leads through the sign-in.
    const ask = `/portal/ask/${plans.Free}`;
    assert.ok(page.text.includes(`href="${ask}"`));
    const { email } = await registered(desk, "dev-ada");
    const signIn = await stranger.follow(await stranger.get(ask));
    const code = await stranger.follow(await stranger.submit(signIn, "/portal/sign-in", { email }));
    const [newest] = await codesOf(desk);
    const entered = await stranger.submit(code, "/portal/sign-in/code", {
      code: newest?.code ?? "",
    });
    assert.equal(entered.location, ask);
    const form = await stranger.follow(entered);
    assert.equal(form.status, 200);
    assert.match((await stranger.get("/portal")).words, /waves/);
  },
);

testOnEngines("open pages: kept by their tag until something changes", async (desk) => {
  await begin(desk);
  const path = "/portal/apis/tides";
  const first = await fetched(desk, path);
  const etag = first.headers.get("etag") ?? "";
  assert.match(etag, /^W\/"[0-9a-f]{32}"$/);
  assert.equal(first.headers.get("set-cookie"), null);
  for (let n = 0; n < 3; n++) {
    const again = await fetched(desk, path, { "if-none-match": `"x", ${etag}` });
    assert.deepEqual([again.status, await again.text()], [304, ""]);
    assert.equal(again.headers.get("etag"), etag);
  }
  const german = await fetched(desk, path, { "if-none-match": etag, "accept-language": "de" });
  assert.deepEqual([german.status, german.headers.get("content-language")], [200, "de"]);
  assert.match(await german.text(), /Anmelden und beantragen/);
  await succeed(desk, "PUT", "/v1/apis/tides", { body: { short_description: "New words" } });
  const changed = await fetched(desk, path, { "if-none-match": etag });
  assert.equal(changed.status, 200);
  assert.match(await changed.text(), /New words/);
  await succeed(desk, "PUT", "/v1/apis/tides", { body: { visibility: "signed_in" } });
  assert.equal((await fetched(desk, path, { "if-none-match": etag })).status, 303);
  assert.equal((await fetched(desk, "/portal")).status, 303);
});

testOnEngines(
  "open texts: robots.txt, llms.txt and the API catalog tell what is public",
  async (desk) => {
    const robots = async () => await (await fetched(desk, "/robots.txt")).text();
    assert.equal(await robots(), "User-agent: *\nDisallow: /\n");
    assert.equal((await fetched(desk, "/llms.txt")).status, 404);
    await begin(desk);
    const allowed = await robots();
    assert.match(allowed, /^User-agent: \*\nAllow: \/portal\$\nAllow: \/portal\/apis\/tides\$\n/);
    assert.match(allowed, /\nDisallow: \/\n$/);
    const llms = await fetched(desk, "/llms.txt");
    assert.match(
      await llms.clone().text(),
      /^# .+\n\n> .*\n\n## APIs\n\n- \[tides\]\(http.*\/portal\/apis\/tides\): High \\\[and\\\] low\n$/,
    );
    const path = "/.well-known/api-catalog";
    const head = await fetched(desk, path, {}, "HEAD");
    assert.match(
      head.headers.get("link") ?? "",
      /^<https?:.*\/\.well-known\/api-catalog>; rel="api-catalog"$/,
    );
    const catalog = await fetched(desk, path);
    assert.equal(
      catalog.headers.get("content-type"),
      `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`,
    );
    const { linkset } = await catalog.json();
    assert.deepEqual(linkset[0].item, [{ href: "https://api.example.org/tides", title: "tides" }]);
    assert.equal(linkset.length, 2);
    assert.match(linkset[1]["service-doc"][0].href, /\/portal\/apis\/tides$/);
    const [described] = linkset[1]["service-desc"];
    assert.equal(described.type, "application/json");
    assert.equal(new URL(described.href).pathname, "/portal/apis/tides/openapi");
    for (const text of [allowed, await llms.text(), JSON.stringify(linkset)]) {
      assert.doesNotMatch(text, /waves|partners/);
    }
    assert.equal((await fetched(desk, path, {}, "POST")).status, 404);
    // Pages that are off are nowhere.
    await openPages(desk, { enabled: false });
    assert.equal(await robots(), "User-agent: *\nDisallow: /\n");
    assert.equal((await fetched(desk, path)).status, 404);
    assert.equal((await fetched(desk, "/portal/apis/tides")).status, 404);
  },
);

testOnEngines(
  "open texts: the OpenAPI document of a public API is there as it was written, and of no other",
  async (desk) => {
    await begin(desk);
    const path = (id: string) => `/portal/apis/${id}/openapi`;
    const written = async (id: string, documentation: string) =>
      await succeed(desk, "PUT", `/v1/apis/${id}`, { body: { documentation } });
    const json = await fetched(desk, path("tides"));
    assert.equal(json.status, 200);
    assert.equal(json.headers.get("content-type"), "application/json");
    assert.equal(await json.text(), DOCUMENT);
    const described = async () => {
      const { linkset } = await (await fetched(desk, "/.well-known/api-catalog")).json();
      return linkset[1]["service-desc"]?.[0].type;
    };
    assert.equal(await described(), "application/json");
    const yaml = "openapi: 3.1.0\ninfo: { title: Tides, version: '2' }\npaths: {}";
    await written("tides", yaml);
    const other = await fetched(desk, path("tides"));
    assert.equal(other.headers.get("content-type"), "application/yaml");
    assert.equal(await other.text(), yaml);
    assert.equal(await described(), "application/yaml");
    // Documentation in words is none that a program reads.
    await written("tides", "# Tides");
    assert.equal((await fetched(desk, path("tides"))).status, 404);
    assert.equal(await described(), undefined);
    await written("waves", DOCUMENT);
    for (const id of ["waves", "nothing"]) {
      assert.equal((await fetched(desk, path(id))).status, 303);
    }
    const ada = await signInAtPages(desk, (await registered(desk, "dev-ada")).email);
    assert.equal((await ada.get(path("waves"))).text, DOCUMENT);
    assert.match(
      (await ada.get("/portal/apis/waves")).text,
      /href="\/portal\/apis\/waves\/openapi"/,
    );
    assert.equal((await ada.get(path("partners"))).status, 404);
  },
);

testOnEngines("open texts: each host tells of its own organisation", async (desk) => {
  await begin(desk, { host: "first.example.org" });
  assert.equal(await (await fetched(desk, "/robots.txt")).text(), "User-agent: *\nDisallow: /\n");
  const own = await fetched(desk, "/llms.txt", { host: "first.example.org" });
  assert.match(await own.text(), /\(https:\/\/first\.example\.org\/portal\/apis\/tides\)/);
});

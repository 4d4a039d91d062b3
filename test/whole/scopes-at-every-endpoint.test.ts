/**
 * Walks the registry with people who have a scope: at every endpoint that is open to them, what is
 * outside answers like what does not exist, and nothing that is done outside changes anything that
 * they are told. An endpoint that declares `withinScope` and forgets to look fails here by itself.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { rolePresets } from "../../src/contract/roles.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { wholeAnswer } from "../support/answers.ts";
import { type TestDesk, testOnEngines } from "../support/desk.ts";
import { create, smallRequest } from "../support/key-requests.ts";
import { known } from "../support/known-parties.ts";
import { openDesk, report, workOff } from "../support/leaks.ts";
import { call, testClock } from "../support/people.ts";
import { storedCredentials } from "../support/stored.ts";
import { planWith } from "../support/verification.ts";
import { acceptedBody, guardedCalls, presenting } from "../support/walk.ts";

const V1 = "/v1/key-requests";

/** Endpoints that are open within a scope, but for those of one's own account. */
const within = guardedCalls.filter(({ endpoint: { withinScope, path, permission } }) =>
  withinScope === true && typeof permission !== "string" &&
  !/^\/v1\/(sessions?|me|passkeys|identities|identity-providers|views|temporary-access)(\/|$)/.test(
    path,
  )
);

/** Their own tests tell what they tell within a scope: here there is nothing of it. */
const NOTHING_TO_TELL = [
  // Nothing was called; its days are no ids.
  "getKeyActivity",
  "getKeysActivity",
  "getDeniedCall",
];

/** A developer's key, made without a request. */
async function issue(desk: TestDesk, developer: string, plans: string[], name: string) {
  const body = {
    plans,
    name,
    tags: [`${name}-tag`],
    environment: `${name}-env`,
    deliver: "one_time_link",
  };
  const { key_id, one_time_link } = await call(
    desk,
    "POST",
    `/v1/developers/${developer}/keys`,
    body,
  );
  return { key: key_id as string, one_time_link: one_time_link.id as string };
}

/** The client_id of an OAuth client of a developer who is on both sides. */
async function client(desk: TestDesk, plans: string[]) {
  const { RawKey } = await call(desk, "POST", "/v1/developers/dev-both/keys", { plans });
  return { client: RawKey as string };
}

/** What somebody without a scope said about a request. */
async function comment(desk: TestDesk, request: string): Promise<string> {
  return (await call(desk, "POST", `${V1}/${request}/comments`, { words: "Look at this." })).id;
}

/** A key that somebody reported as leaked. */
async function leaked(desk: TestDesk, plans: string[]): Promise<string> {
  const path = "/v1/developers/dev-both/keys";
  const { RawKey, key_id } = await call(desk, "POST", path, { plans });
  await (await report(desk, [RawKey])).body?.cancel();
  await workOff(desk);
  return key_id;
}

interface Plans {
  mine: string;
  theirs: string;
  client: string;
  theirClient: string;
}

/** Plans on both sides, which the catalogue offers. */
async function plansOf(desk: TestDesk): Promise<Plans> {
  const mine = await planWith(desk, { tags: ["team"] }, ["api-inside"]);
  const theirs = await planWith(desk, {}, ["api-outside"]);
  const entry = (api_id: string, policy_id: string) => ({ name: api_id, api_id, policy_id });
  const apis = [entry("api-inside", mine), entry("api-outside", theirs)];
  await call(desk, "PUT", "/api/portal/catalogue", { apis });
  const auth_type = "oauth";
  return {
    mine,
    theirs,
    client: await planWith(desk, { tags: ["team"], auth_type }, ["api-inside"]),
    theirClient: await planWith(desk, { auth_type }, ["api-outside"]),
  };
}

async function ask(desk: TestDesk, by_user: string, [for_plan, ...apply_policies]: string[]) {
  const portal_developer = { id: by_user, email: `${by_user}@example.org` };
  const asked = { by_user, for_plan, apply_policies, portal_developer };
  const id = await create(desk, smallRequest(asked));
  await known(desk, id);
  return id;
}

interface Side {
  /** What can be asked for, by what it is. */
  requests: string[];
  keys: string[];
  plans: string[];
  developers: string[];
  oneTimeLinks: string[];
  apis: string[];
  emails: string[];
  clients: string[];
  comments: string[];
}

/** What names nothing, and reads as long as this: a 403 tells its own length. */
const absentFor = (id: string) => id.replaceAll(/[a-z0-9]/gi, "0");

const oneOfEach = (side: Side) => Object.values(side).map((ids: string[]) => ids.at(-1) ?? "");

const all = (side: Side) => Object.values(side).flat() as string[];

/** What is within: one of each, and a developer who will have something outside besides. */
async function inside(desk: TestDesk, plans: Plans): Promise<Side> {
  const { mine } = plans;
  const issued = await ask(desk, "dev-inside", [mine]);
  const declined = await ask(desk, "dev-inside", [mine]);
  const pending = await ask(desk, "dev-both", [mine]);
  await call(desk, "POST", `${V1}/${issued}/approve`, { deliver: "one_time_link" });
  await call(desk, "POST", `${V1}/${declined}/decline`, {});
  const made = await issue(desk, "dev-both", [mine], "inside");
  const suspended = await issue(desk, "dev-inside", [mine], "suspended");
  await call(desk, "POST", `/v1/keys/${suspended.key}/suspend`, { reason: "x" });
  return {
    requests: [issued, declined, pending],
    keys: [made.key, suspended.key],
    plans: [mine],
    developers: ["dev-inside", "dev-both"],
    oneTimeLinks: [made.one_time_link],
    apis: ["api-inside"],
    emails: ["dev-inside@example.org", "dev-both@example.org"],
    clients: [(await client(desk, [plans.client])).client],
    comments: [await comment(desk, pending)],
  };
}

/** The same outside, and what is within by one of its plans alone. */
async function outside(desk: TestDesk, plans: Plans): Promise<Side> {
  const { mine, theirs } = plans;
  const requests: string[] = [];
  for (const asked of [[theirs], [mine, theirs], [theirs, mine]]) {
    requests.push(await ask(desk, "dev-both", asked));
    const decided = await ask(desk, "dev-outside", asked);
    await call(desk, "POST", `${V1}/${decided}/approve`, { deliver: "one_time_link" });
    requests.push(decided);
  }
  const declined = await ask(desk, "dev-outside", [theirs]);
  await call(desk, "POST", `${V1}/${declined}/decline`, {});
  const made = await issue(desk, "dev-both", [theirs], "outside");
  const mixed = await issue(desk, "dev-both", [mine, theirs], "outside");
  const foreign = await issue(desk, "dev-outside", [theirs], "outside");
  await call(desk, "POST", `/v1/keys/${foreign.key}/suspend`, { reason: "x" });
  return {
    requests: [...requests, declined],
    keys: [made.key, mixed.key, foreign.key],
    plans: [theirs],
    developers: ["dev-outside"],
    oneTimeLinks: [made.one_time_link, mixed.one_time_link, foreign.one_time_link],
    apis: ["api-outside"],
    emails: ["dev-outside@example.org"],
    clients: [(await client(desk, [plans.theirClient])).client],
    comments: [await comment(desk, declined)],
  };
}

/** Every way to fill a path's parameters: each of them is one of these. */
function pathsOf({ path }: Endpoint, first: readonly string[], last: readonly string[]): string[] {
  const names = path.match(/\{\w+\}/g) ?? [];
  const put = (filled: string, name: string, id: string) =>
    filled.replace(name, encodeURIComponent(id));
  const [name = ""] = names;
  if (names.length < 2) return last.map((id) => put(path, name, id));
  return first.flatMap((one) =>
    last.map((id) =>
      names.slice(1).reduce((filled, other) => put(filled, other, id), put(path, name, one))
    )
  );
}

const hasScope = async (desk: TestDesk, role: string, scope: unknown): Promise<string> => {
  const { id } = await call(desk, "POST", "/v1/people", { name: role, role, scope });
  const body = { name: "laptop", deliver: "answer" };
  return (await call(desk, "POST", `/v1/people/${id}/access-tokens`, body)).access_token;
};

/** An answer as it is compared: status, headers and body, without what differs at each call. */
async function told(desk: TestDesk, method: string, path: string, init: object): Promise<string> {
  return JSON.stringify(await wholeAnswer(await desk.send(method, path, init)));
}

/** What a cursor would tell to whoever looks into it. */
function unfolded(text: string): string {
  return text.replaceAll(
    /[A-Za-z0-9_-]{24,}/g,
    (one) => `${one} ${Buffer.from(one, "base64url").toString("latin1")}`,
  );
}

/** What lists are asked for, beside nothing. */
function queriesOf({ id, path }: Endpoint, mine: Side, theirs: Side): string[] {
  if (id === "getUsage") {
    return [...mine.keys, ...theirs.keys].map((key) => `?key=${key}`)
      .concat([...mine.plans, ...theirs.plans].map((plan) => `?plan=${plan}`))
      .concat("", "?last=day", "?last=year");
  }
  if (id === "getUsageOfKeys") return [`?keys=${[...mine.keys, ...theirs.keys].join()}`];
  if (path.startsWith("/api/")) return ["", "?p=1", "?p=2", "?q=a", "?q=outside"];
  return [
    "",
    "?limit=1",
    "?limit=100",
    ...["dev", "inside", "outside", "example"].map((q) => `?q=${q}`),
    ...[...mine.developers, ...theirs.developers].map((one) => `?developer=${one}`),
    ...[...mine.plans, ...theirs.plans].map((one) => `?plan=${one}`),
    ...[...mine.keys, ...theirs.keys].map((one) => `?key_id=${one}`),
    ...[...mine.requests, ...theirs.requests].map((one) => `?key_request_id=${one}`),
    ...["active", "suspended", "pending", "issued", "declined"].map((one) => `?state=${one}`),
    ...["oldest", "email", "created", "expires_at", "decided_at"]
      .map((one) => `?sort=${one}`),
    ...["me", "nobody"].flatMap((one) => [`?waits_for=${one}`, `?assignee=${one}`]),
    "?tag=outside-tag",
    "?environment=outside-env",
    "?api=api-outside",
  ];
}

/** All pages of a list, each one row. */
async function walked(desk: TestDesk, path: string, credential: string): Promise<string[]> {
  const pages: string[] = [];
  let cursor = "";
  for (let n = 0; n < 40; n++) {
    const response = await desk.send("GET", `${path}?limit=1${cursor}`, { credential });
    const text = await response.text();
    pages.push(text + (response.headers.get("link") ?? ""));
    if (response.status !== 200) return [];
    if (!text.includes(`"next_cursor":"`)) break;
    cursor = `&cursor=${JSON.parse(text).next_cursor}`;
  }
  return pages;
}

const own = { name: "First line", permissions: ["portal:read", "revoke", "audit"] };

testOnEngines(
  "scopes at every endpoint: what is outside answers like what does not exist",
  async (desk) => {
    const plans = await plansOf(desk);
    const seen = await inside(desk, plans);
    const hidden = await outside(desk, plans);
    hidden.keys.push(await leaked(desk, [plans.theirs]));
    const before = [await storedCredentials(desk), await call(desk, "GET", `${V1}?limit=100`)];
    const { id } = await call(desk, "POST", "/v1/roles", own);
    const unseen: string[] = [];
    const reached = new Set<string>();
    // What is outside is the same to both engines.
    const roles = desk.engine === "sqlite"
      ? [...rolePresets.map((one) => one.id), id]
      : ["administrator"];
    for (const role of roles) {
      const credential = await hasScope(desk, role, { tags: ["team"] });
      for (const { endpoint, method, name } of within) {
        if (!endpoint.path.includes("{")) continue;
        const { headers, ...accepted } = acceptedBody(endpoint);
        const by = presenting(endpoint, credential);
        const init = { ...accepted, ...by, headers: { ...headers, ...by.headers } };
        const answer = async (path: string, absent: string, one: string) =>
          [one, sha256(one), absent, sha256(absent)].reduce(
            (text, name) => text.replaceAll(encodeURIComponent(name), "<id>"),
            await told(desk, method, path, init),
          );
        const requests = [seen.requests.at(-1) ?? "", hidden.requests.at(-1) ?? ""];
        const first = ["dev-both", "dev-outside", "api-inside", ...requests];
        for (const one of role === "administrator" ? all(hidden) : oneOfEach(hidden)) {
          const absent = absentFor(one);
          const paths = pathsOf(endpoint, first, [one]);
          for (const [at, path] of paths.entries()) {
            const without = pathsOf(endpoint, first, [absent])[at] ?? "";
            const given = await answer(path, absent, one);
            const expected = await answer(without, absent, one);
            if (given !== expected) unseen.push(`${name} by ${role}: ${path}: ${given}`);
          }
        }
      }
    }
    assert.deepEqual(unseen, []);
    assert.deepEqual(
      [await storedCredentials(desk), await call(desk, "GET", `${V1}?limit=100`)],
      before,
    );
    // The walk is none where nobody is shown anything: each endpoint tells of something within.
    const credential = await hasScope(desk, "administrator", { tags: ["team"] });
    for (const { endpoint, method, name } of within) {
      if (!endpoint.path.includes("{") || NOTHING_TO_TELL.includes(endpoint.id)) continue;
      const init = { ...acceptedBody(endpoint), credential };
      // Those before have ended what they could.
      const fresh = await leaked(desk, [plans.mine]);
      const { client: freshClient } = await client(desk, [plans.client]);
      for (const one of [fresh, freshClient, ...all(seen)]) {
        const absent = absentFor(one);
        const answer = async (path: string) =>
          (await told(desk, method, path, init)).replaceAll(encodeURIComponent(one), absent);
        for (const first of ["dev-both", "api-inside", seen.requests.at(-1) ?? ""]) {
          const [path = ""] = pathsOf(endpoint, [first], [one]);
          const [without = ""] = pathsOf(endpoint, [first], [absent]);
          if (await answer(path) !== await answer(without)) reached.add(name);
        }
        if (reached.has(name)) break;
      }
    }
    const never = within.filter(({ endpoint, name }) =>
      endpoint.path.includes("{") && !reached.has(name) && !endpoint.path.startsWith("/v1/jobs") &&
      !NOTHING_TO_TELL.includes(endpoint.id)
    ).map(({ name }) => name);
    assert.deepEqual(never, []);
  },
  { environment: openDesk },
);

testOnEngines(
  "scopes at every endpoint: nothing that is outside changes what is told, nor is told",
  async (desk) => {
    const plans = await plansOf(desk);
    const seen = await inside(desk, plans);
    seen.keys.push(await leaked(desk, [plans.mine]));
    const credential = await hasScope(desk, "administrator", { tags: ["team"] });
    const reads = within.filter(({ method }) => method === "GET");
    const notYet: Side = {
      requests: [],
      keys: [],
      plans: [plans.theirs],
      developers: ["dev-outside"],
      oneTimeLinks: [],
      apis: ["api-outside"],
      emails: [],
      clients: [],
      comments: [],
    };
    const look = async () => {
      const answers = new Map<string, string>();
      for (const { endpoint, name } of reads) {
        const paths = endpoint.path.includes("{")
          ? pathsOf(endpoint, [...seen.developers, ...seen.apis], all(seen))
          : queriesOf(endpoint, seen, notYet).map((query) => endpoint.path + query);
        for (const path of paths) {
          answers.set(`${name}: ${path}`, await told(desk, "GET", path, { credential }));
        }
        if (!endpoint.path.includes("{") && endpoint.path.startsWith("/v1/")) {
          const pages = await walked(desk, endpoint.path, credential);
          answers.set(`${name}: pages`, pages.join("\n"));
        }
      }
      return answers;
    };
    const before = await look();
    const hidden = await outside(desk, plans);
    hidden.keys.push(
      await leaked(desk, [plans.theirs]),
      await leaked(desk, [plans.mine, plans.theirs]),
    );
    const after = await look();
    const wrong: string[] = [];
    for (const [what, given] of after) {
      const rows = (text = "") => steady(what, text);
      if (rows(given) !== rows(before.get(what))) {
        wrong.push(`${what}\n${rows(before.get(what))}\n${rows(given)}`);
      }
      for (const one of all(hidden)) {
        if (!what.includes(one) && unfolded(given).includes(one)) {
          wrong.push(`${what} tells ${one}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
    // Lists that are asked for what is outside, now that it is there.
    for (const { endpoint, name } of reads) {
      if (endpoint.path.includes("{")) continue;
      for (const query of queriesOf(endpoint, seen, hidden)) {
        const text = await told(desk, "GET", endpoint.path + query, { credential });
        for (const one of all(hidden)) {
          if (!query.includes(one)) assert.ok(!text.includes(one), `${name}${query} tells ${one}`);
        }
      }
    }
    const find = await desk.send("POST", "/v1/keys/find", {
      credential,
      body: { key: "no-such-key" },
    });
    assert.equal(find.status, 404);
    await find.body?.cancel();
  },
  { clock: testClock(), environment: openDesk },
);

/**
 * A text without what differs at each look: cursors, which are sealed anew, and pages that look at
 * a bounded number of rows. A plan's own figures count whatever has it.
 */
function steady(what: string, text: string): string {
  const same = text.replaceAll(/(\\?"next_cursor\\?":\\?")[^"\\]*/g, "$1…")
    .replaceAll(/cursor=[^&>"\\]*/g, "cursor=…");
  return /\/(plans|apis|catalogue)/.test(what)
    ? same.replaceAll(/\\?"(keys|pending_requests)\\?":\d+/g, "")
    : same;
}

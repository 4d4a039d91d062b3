import assert from "node:assert/strict";
import type { Method } from "../../src/contract/endpoint.ts";
import {
  exampleApi,
  exampleIds,
  exampleKey,
  exampleSince,
} from "../../src/contract/example-ids.ts";
import { appendAll } from "../../src/maintenance/audit-log/appender.ts";
import { signInExample } from "../../src/features/people/sessions.operations.ts";
import { exampleToken } from "../../src/features/keys/one-time-links/one-time-links.operations.ts";
import { exampleNonce } from "../../src/features/accounts/sso.operations.ts";
import { exampleEmailToken } from "../../src/features/portal/emails/developer-emails.operations.ts";
import { offerToken } from "../../src/features/key-requests/offer-link.ts";
import { exampleOfferToken } from "../../src/features/key-requests/offer-links.operations.ts";
import { issueToken } from "../../src/features/keys/oauth.operations.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { exampleRenewal } from "../../src/features/certificates/v1.operations.ts";
import { made } from "./certificates.ts";
import type { TestDesk } from "./desk.ts";
import { fileReports } from "../../src/features/hygiene/leaks/leaks.transactions.ts";
import { emailTokenOf } from "./email-links.ts";
import { makeKnown } from "./known-parties.ts";
import { smallRequest } from "./key-requests.ts";
import { signed, workOff } from "./leaks.ts";
import { tokenOf } from "./v1-requests.ts";
import { codesOf, signIn as signInDeveloper } from "./developers.ts";
import { exampleCode, exampleTicket } from "../../src/features/portal/access/sign-in.contract.ts";
import { exampleInvitation } from "../../src/features/sign-in/invitations.operations.ts";
import { exampleLogoutToken as ofDevelopers } from "../../src/features/portal/access/provider-logout.operations.ts";
import { exampleSecret } from "../../src/features/people/one-time-codes.operations.ts";
import { examplePasskey } from "../../src/features/people/passkeys.operations.ts";
import { Authenticator } from "./authenticator.ts";
import { beginCodes, codeNow, setUpCodes } from "./one-time-codes.ts";
import { addPasskey, HOST, passkeyChallenge, SITE } from "./passkeys.ts";
import {
  exampleAnswer,
  exampleLogoutToken,
} from "../../src/features/people/identity-providers/provider-sign-in.operations.ts";
import { noteCanary } from "../../src/features/gateways/settle-key.transactions.ts";
import { begin, link, reach, type StandIn, standIn, TERMS } from "./identity-provider.ts";
import { oauthClientOf } from "./oauth.ts";
import { awaitLoss } from "./learning.ts";
import { call } from "./people.ts";
import { engineOf } from "./receiver.ts";
import { addCode, bySession, callInPerson, cookieOf, signIn } from "./sign-in.ts";
import { written } from "./usage.ts";

/**
 * An operation's example as the document has it: a request, whose ids stand for things that must be
 * there.
 */
export interface Example {
  operationId: string;
  method: Method;
  path: string;
  headers: Record<string, string>;
  /** The body as it is sent; null: none. */
  body: string | null;
}

/** An organisation of its own for one example, and what was made in it so far. */
export interface Stage {
  desk: TestDesk;
  org_id: string;
  admin: string;
  /** What stands in the example → what is really there. */
  readonly real: Map<string, string>;
}

/** An empty organisation. */
export async function newStage(desk: TestDesk): Promise<Stage> {
  return { desk, ...await desk.otherOrganisation(), real: new Map() };
}

/**
 * Makes what an example names and needs, and gives it with the real ids in the places of its own.
 */
export async function prepared(stage: Stage, example: Example): Promise<Example> {
  const text = JSON.stringify(example);
  const isDevelopers = /^\/v1\/my(\/|$)/.test(example.path);
  if (isDevelopers) await makeOwn(stage, text);
  // Only the whole body can be signed.
  const sign = example.operationId === "reportPartnerLeaks" ? signed : () => ({});
  for (const { named, make } of nameable(stage)) {
    if (text.includes(named) && !stage.real.has(named)) stage.real.set(named, await make());
  }
  const own = isDevelopers ? await asDeveloper(stage, example) : {};
  const state = states[example.operationId];
  const more = await state?.(stage) ?? {};
  let filled = text;
  for (const [named, real] of stage.real) filled = filled.replaceAll(named, real);
  const ready: Example = JSON.parse(filled);
  return { ...ready, headers: { ...ready.headers, ...own, ...more, ...sign(ready.body ?? "") } };
}

/** Sends an example that is ready, with the credential that its operation asks for. */
export async function sent(
  { desk, admin }: Stage,
  { method, path, headers, body }: Example,
  security: Record<string, unknown>[],
): Promise<Response> {
  const scheme = Object.keys(security[0] ?? {})[0];
  const credential = scheme === undefined || headers.cookie ? null : admin;
  // A credential in a header of its own, where Authorization is somebody else's.
  const isOwn = scheme !== undefined && !["credential", "developer"].includes(scheme);
  const own = isOwn ? { [scheme]: admin } : {};
  return await desk.send(method, encodeURI(path), {
    credential,
    body,
    headers: { ...headers, ...own },
  });
}

/** At a host of the stage's own, and but for whoever signs in, with a developer's session. */
async function asDeveloper(
  stage: Stage,
  { operationId }: Pick<Example, "operationId">,
): Promise<Record<string, string>> {
  const { desk, org_id, real, admin } = stage;
  const host = `${org_id}.example.org`;
  await call(desk, "PUT", "/v1/developer-pages", { enabled: true, host }, admin);
  const { email } = await caller(stage);
  const asked = await desk.send("POST", "/v1/my/codes", {
    credential: null,
    headers: { host },
    body: { email },
  });
  const { ticket } = await asked.json();
  const [{ code } = { code: "" }] = await codesOf(desk);
  if (operationId === "signInDeveloper") {
    real.set(exampleTicket, ticket);
    real.set(exampleCode, code);
  }
  if (["signInDeveloper", "requestSignInCode", "getMyPages"].includes(operationId)) {
    return { host };
  }
  const { cookie, session } = await signInDeveloper(desk, { ticket, code }, host);
  const headers = { host, cookie, "x-csrf-token": session.csrf_token };
  if (operationId === "enterProofCode") {
    const proof = await desk.send("POST", "/v1/my/session/codes", { credential: null, headers });
    real.set(exampleTicket, (await proof.json()).ticket);
    real.set(exampleCode, (await codesOf(desk))[0]?.code ?? "");
  }
  if (operationId === "putMyEmail") {
    // Their own: the address stays.
    const init = { credential: null, headers, body: { email } };
    const mailed = await desk.send("POST", "/v1/my/email/codes", init);
    real.set(exampleTicket, (await mailed.json()).ticket);
    real.set(exampleCode, (await codesOf(desk))[0]?.code ?? "");
  }
  if (operationId === "endMyToken") {
    const made = await desk.send("POST", "/v1/my/tokens", {
      credential: null,
      headers,
      body: { name: "Nightly report", scope: "look", days: 1 },
    });
    real.set(exampleIds.token, (await made.json()).id);
  }
  if (operationId === "resumeMyKey") {
    const path = `/v1/my/keys/${real.get(exampleIds.key)}/suspend`;
    const suspended = await desk.send("POST", path, { credential: null, headers });
    assert.equal(suspended.status, 200, await suspended.text());
  }
  if (operationId === "endMySession") {
    const list = await desk.send("GET", "/v1/my/sessions", { credential: null, headers });
    real.set(exampleIds.session, (await list.json()).data[0].id);
  }
  return headers;
}

/** The developer who calls, registered where they are not yet. */
async function caller({ desk, admin, real }: Stage): Promise<{ id: string; email: string }> {
  const email = "mine@example.org";
  const known = real.get("developer who calls");
  if (known !== undefined) return { id: known, email };
  const { Message: id } = await call(desk, "POST", "/api/portal/developers", { email }, admin);
  real.set("developer who calls", id);
  return { id, email };
}

/** Makes what an example names so that it is the developer's who calls, or offered to them. */
async function makeOwn(stage: Stage, text: string): Promise<void> {
  const { desk, admin, real } = stage;
  const names = (named: string) => text.includes(named) && !real.has(named);
  if (names(exampleIds.plan) || names(exampleApi)) {
    const body = {
      name: "The plan of the example",
      access_rights: { [exampleApi]: { api_id: exampleApi } },
    };
    const { Message: plan } = await call(desk, "POST", "/api/portal/policies", body, admin);
    real.set(exampleIds.plan, plan);
    const apis = [{ name: "Tides", show: true, api_id: exampleApi, policy_id: plan }];
    await call(desk, "POST", "/api/portal/catalogue", { apis }, admin);
  }
  if (names(exampleIds.keyRequest)) {
    const { id } = await caller(stage);
    const body = { by_user: id, for_plan: real.get(exampleIds.plan) ?? "some plan" };
    const asked = await call(desk, "POST", "/api/portal/requests", body, admin);
    real.set(exampleIds.keyRequest, asked.Message);
  }
  if (names(exampleIds.offer)) real.set(exampleIds.offer, await offerOf(stage));
  if (names(exampleIds.key)) {
    const { id } = await caller(stage);
    const plan = async () =>
      (await call(desk, "POST", "/api/portal/policies", { name: "Of the key" }, admin)).Message;
    const before = real.get(exampleIds.developer);
    real.set(exampleIds.developer, id);
    real.set(exampleIds.key, sha256(await newKey(stage, plan, () => Promise.resolve(id))));
    if (before === undefined) real.delete(exampleIds.developer);
  }
}

/** Offers less for the request of the example. Gives the offer's id. */
async function offerOf({ desk, org_id, admin, real }: Stage): Promise<string> {
  const id = real.get(exampleIds.keyRequest) ?? "";
  await desk.app.ctx.storage.commit(makeKnown, { org_id, requests: [id] });
  const body = { conditions: { rate: { calls: 60, seconds: 60 } } };
  return (await call(desk, "POST", `/v1/key-requests/${id}/offer`, body, admin)).offer.id;
}

/** What examples name, each after what it is made of. */
function nameable(stage: Stage): { named: string; make: () => Promise<string> }[] {
  const { desk, admin, real } = stage;
  const send = (method: string, path: string, body?: unknown) =>
    call(desk, method, path, body, admin);
  const asked = async (plan: string, who: Parameters<typeof smallRequest>[0] = {}) => {
    const sent = smallRequest({ for_plan: plan, ...who });
    const { Message: id } = await send("POST", "/api/portal/requests", sent);
    await desk.app.ctx.storage.commit(makeKnown, { org_id: stage.org_id, requests: [id] });
    return id;
  };
  const plan = async () =>
    (await send("POST", "/api/portal/policies", {
      name: "The plan of the example",
      access_rights: { [exampleApi]: { api_id: exampleApi } },
    })).Message;
  const developer = async (email: string) =>
    (await send("POST", "/api/portal/developers", { email, password: WORDS })).Message;
  return [
    { named: exampleIds.plan, make: plan },
    { named: exampleIds.developer, make: () => developer("ada@example.org") },
    {
      named: exampleIds.email,
      make: async () => {
        if (!real.has(exampleIds.developer)) await developer(exampleIds.email);
        return exampleIds.email;
      },
    },
    {
      named: exampleIds.ssoKey,
      make: async () => {
        const sso_key = exampleIds.ssoKey;
        await send("POST", "/api/portal/developers", { email: "sso@example.org", sso_key });
        return sso_key;
      },
    },
    {
      named: exampleIds.oauthClient,
      make: async () => {
        const client = { client_id: exampleIds.oauthClient, client_secret: "secret" };
        await oauthClientOf(desk, client, stage.org_id);
        return client.client_id;
      },
    },
    {
      named: exampleIds.document,
      make: async () => (await send("POST", "/api/portal/documentation", {})).Message,
    },
    { named: exampleIds.keyRequest, make: () => asked(real.get(exampleIds.plan) ?? "some plan") },
    {
      named: exampleIds.invitation,
      make: async () =>
        (await send("POST", "/v1/developer-invitations", { email: "new@example.org" })).id,
    },
    {
      named: exampleOfferToken,
      make: async () => {
        const by_user = "dev-offered";
        await send("POST", "/v1/developers", { id: by_user, email: "offered@example.org" });
        const request_id = await asked(await plan(), { by_user });
        real.set(exampleIds.keyRequest, request_id);
        const { org_id } = stage;
        const offer_id = await offerOf(stage);
        return offerToken(desk.app.ctx.sealer, { org_id, request_id, offer_id });
      },
    },
    {
      named: exampleEmailToken,
      make: async () => {
        await send("POST", "/v1/channels", { kind: "mail", name: "Mail" });
        const id = "dev-confirms";
        await send("POST", "/v1/developers", { id, email: "before@example.org" });
        await send("PUT", `/v1/developers/${id}`, {
          email: "after@example.org",
          account: "same_person",
        });
        return await emailTokenOf(desk, id, "new", stage.org_id);
      },
    },
    {
      named: exampleNonce,
      make: async () => {
        const EmailAddress = "nonce@example.org";
        await send("POST", "/api/portal/developers", { email: EmailAddress });
        return (await send("POST", "/api/sso", { ForSection: "portal", EmailAddress })).Meta;
      },
    },
    {
      named: exampleToken,
      make: async () => {
        const path = `/v1/key-requests/${await asked("some plan")}/approve`;
        const { one_time_link } = await send("POST", path, { deliver: "one_time_link" });
        stage.real.set(exampleIds.oneTimeLink, one_time_link.id);
        return tokenOf(one_time_link);
      },
    },
    {
      named: exampleIds.oneTimeLink,
      make: async () => {
        const path = `/v1/key-requests/${await asked("some plan")}/approve`;
        return (await send("POST", path, { deliver: "one_time_link" })).one_time_link.id;
      },
    },
    {
      named: exampleKey,
      make: () => newKey(stage, plan, developer),
    },
    {
      named: exampleIds.key,
      make: async () => sha256(await newKey(stage, plan, developer)),
    },
    {
      named: exampleIds.certificate,
      make: async () => {
        const init = { body: made({ cn: "example.org" }), credential: admin };
        return (await (await desk.send("POST", "/api/certs", init)).json()).id;
      },
    },
    {
      named: exampleIds.passkey,
      make: async () => (await addPasskey(desk, await signIn(desk, { credential: admin }))).id,
    },
    {
      named: exampleIds.role,
      make: async () => {
        const body = { name: "Second line", permissions: ["portal:read"] };
        return (await send("POST", "/v1/roles", body)).id;
      },
    },
    {
      named: exampleIds.temporaryAccessRule,
      make: async () => {
        const { person } = await send("GET", "/v1/me");
        const { id } = await send("POST", PEOPLE, { name: "Second", permissions: ["portal:read"] });
        return await temporaryAccessRule(stage, [person.id], [id]);
      },
    },
    { named: exampleIds.temporaryAccess, make: () => askedTemporaryAccess(stage) },
    {
      named: exampleIds.provider,
      make: async () => {
        const provider = await standInOf(desk);
        const body = { issuer: provider.issuer, ...TERMS };
        return (await send("POST", "/v1/identity-providers", body)).id;
      },
    },
    {
      named: exampleIds.identity,
      make: async () => {
        const provider = await standInOf(desk);
        const body = { issuer: provider.issuer, ...TERMS };
        const { id } = await send("POST", "/v1/identity-providers", body);
        const browser = await signIn(desk, { credential: admin });
        return (await (await link(desk, provider, id, browser, ADA)).json()).id;
      },
    },
    {
      named: exampleInvitation,
      make: async () => {
        const { link } = await send("POST", `${PEOPLE}/invitations`, INVITED);
        return link.slice(link.indexOf("=") + 1);
      },
    },
    { named: exampleIds.person, make: async () => (await send("POST", PEOPLE, GRACE)).id },
    {
      named: exampleIds.file,
      make: async () => {
        const page = await (await desk.send("GET", "/reference", { credential: null })).text();
        return /reference\.[0-9a-f]{16}\.js/.exec(page)?.[0] ?? "";
      },
    },
    {
      named: exampleIds.session,
      make: async () => {
        const browser = await signIn(desk, { credential: admin });
        const { data } = await (await bySession(desk, browser, "GET", "/v1/sessions")).json();
        return data[0].id;
      },
    },
    {
      named: exampleIds.channel,
      make: async () => (await send("POST", "/v1/channels", CHANNEL)).id,
    },
    {
      named: exampleIds.delivery,
      make: async () => {
        await send("POST", "/v1/channels", CHANNEL);
        await asked("some plan");
        // Nobody listens there, so it waits for its next try.
        const engine = engines.get(desk) ?? engineOf(desk);
        engines.set(desk, engine);
        await engine.turn();
        return (await send("GET", "/v1/deliveries")).data[0].id;
      },
    },
    {
      named: exampleIds.deniedCall,
      make: async () => {
        await send("POST", "/v1/keys/verify", { key: "no such key" });
        await written(desk);
        return (await send("GET", "/v1/denied-calls")).data[0].id;
      },
    },
    {
      named: exampleIds.job,
      make: async () => (await send("POST", "/v1/jobs", { kind: "decline", filter: {} })).id,
    },
    {
      named: exampleIds.comment,
      make: async () => {
        const path = `/v1/key-requests/${real.get(exampleIds.keyRequest)}/comments`;
        return (await send("POST", path, { words: "They called." })).id;
      },
    },
    {
      named: exampleIds.view,
      make: async () => (await send("POST", "/v1/views", { list: "keys", name: "Ends soon" })).id,
    },
    {
      named: exampleIds.gateway,
      make: async () => {
        const body = GATEWAY;
        const { id } = await callInPerson(desk, "POST", "/v1/gateways", body, stage.admin);
        const { storage, clock } = desk.app.ctx;
        await storage.commit(noteCanary, {
          org_id: stage.org_id,
          id,
          canary: "0a1b2c3d",
          now: clock.now(),
        });
        return id;
      },
    },
    {
      named: exampleIds.event,
      make: async () => (await send("GET", "/v1/audit-log")).data[0].id,
    },
    {
      named: exampleIds.accessToken,
      make: async () => {
        const { id } = await send("POST", PEOPLE, GRACE);
        return (await send("POST", `${PEOPLE}/${id}/access-tokens`, { name: "laptop" })).id;
      },
    },
  ];
}

/** One node for each desk: the first has the right to fan out. */
const engines = new WeakMap<TestDesk, ReturnType<typeof engineOf>>();
/** The stand-in of an identity provider that a desk may call, beside what the example names. */
function standInOf(desk: TestDesk): Promise<StandIn> {
  const known = standIns.get(desk);
  if (known) return known;
  const made = standIn().then((one) => {
    reach(desk, one.host, "localhost:4000", ...desk.config.OUTBOUND);
    return one;
  });
  standIns.set(desk, made);
  return made;
}
const standIns = new WeakMap<TestDesk, Promise<StandIn>>();
/** Who signs in there. */
const ADA = { sub: "ada", name: "Ada", groups: ["desk"] };

const CHANNEL = { name: "Portal", url: "http://127.0.0.1:9/hook", topics: ["key_request.*"] };
const GATEWAY = {
  name: "Gateway",
  connection: "synced",
  url: "https://gateway.example.org",
  secret: "s",
};
const PEOPLE = "/v1/people";
const GRACE = { name: "Grace", permissions: ["portal:read", "approve"] };
const INVITED = { ...GRACE, email: "grace@example.org" };
const WORDS = "a long sentence that only she knows";

/** A developer's key for a plan that opens the example's API. */
async function newKey(
  { desk, admin, real }: Stage,
  plan: () => Promise<string>,
  developer: (email: string) => Promise<string>,
): Promise<string> {
  const holder = real.get(exampleIds.developer) ?? await developer("key@example.org");
  // An example that names a plan gives it to a key that has another one.
  const body = {
    apply_policies: [real.has(exampleIds.plan) ? await other(desk, admin) : await plan()],
  };
  const path = `/api/portal/developers/${holder}/keys`;
  return (await call(desk, "POST", path, body, admin)).RawKey;
}

async function other(desk: TestDesk, admin: string): Promise<string> {
  return (await call(desk, "POST", "/api/portal/policies", { name: "Another" }, admin)).Message;
}

/** A rule by which a second person says yes. */
async function temporaryAccessRule(
  { desk, admin }: Stage,
  people: string[],
  seconds: string[],
): Promise<string> {
  const name = `Incidents ${crypto.randomUUID()}`;
  const rule = { name, people, role: "approver", minutes: 60, seconds };
  const body = { ...rule, proof: "second_person" };
  return (await call(desk, "POST", "/v1/temporary-access-rules", body, admin)).id;
}

/** Somebody asks, and the administrator is to say yes. */
async function askedTemporaryAccess(stage: Stage): Promise<string> {
  const { desk, admin } = stage;
  const me = (await call(desk, "GET", "/v1/me", undefined, admin)).person.id;
  const { id } = await call(desk, "POST", PEOPLE, GRACE, admin);
  const token = { name: "laptop", deliver: "answer" };
  const { access_token: credential } = await call(
    desk,
    "POST",
    `${PEOPLE}/${id}/access-tokens`,
    token,
    admin,
  );
  const rule_id = await temporaryAccessRule(stage, [id], [me]);
  const browser = await signIn(desk, { credential });
  const body = { rule_id, reason: "An incident", minutes: 5 };
  return (await (await bySession(desk, browser, "POST", "/v1/temporary-access", body)).json()).id;
}

/** Asks for a person's yes to a change by a file, and gives its digest. */
async function reviewIn(desk: TestDesk, admin: string): Promise<string> {
  const body = { config: { branding: { name: "Coastal Data" } }, source: "platform.yaml" };
  const { digest } = await call(desk, "POST", "/v1/config/diff", body, admin);
  const asked = await desk.send("POST", "/v1/config/apply", { body, credential: admin });
  assert.equal(asked.status, 409);
  return digest;
}

/** What a session sends that an access token may not do. */
async function bySessionAtHost({ desk, admin }: Stage): Promise<Record<string, string>> {
  const { cookie, csrf } = await signIn(desk, { credential: admin });
  return { host: HOST, cookie, "x-csrf-token": csrf };
}

/** A session of somebody with one-time codes. */
async function withCodes({ desk, admin }: Stage): Promise<Record<string, string>> {
  const browser = await signIn(desk, { credential: admin });
  await setUpCodes(desk, browser);
  return { cookie: browser.cookie, "x-csrf-token": browser.csrf };
}

/** A session beside a mail server that takes no mail. */
async function withMailServer(stage: Stage): Promise<Record<string, string>> {
  reach(stage.desk, "127.0.0.1:9");
  const body = { host: "127.0.0.1", port: 9, security: "starttls" };
  await callInPerson(stage.desk, "PUT", "/v1/server/mail", body, stage.admin);
  return await bySessionAtHost(stage);
}

/** The passkey and the account of examples are the administrator's own. */
async function asOneself({ desk, admin, real }: Stage): Promise<void> {
  const { person } = await call(desk, "GET", "/v1/me", undefined, admin);
  real.set(exampleIds.person, person.id);
}

/** Makes what a developer's own operation names, and names that developer. */
async function asTheirs(stage: Stage, operationId: string): Promise<void> {
  await asDeveloper(stage, { operationId });
  stage.real.set(exampleIds.developer, (await caller(stage)).id);
}

/** What some operations need besides: a state of what they name, or headers. */
const states: Readonly<
  Record<string, (stage: Stage) => Promise<Record<string, string> | void>>
> = {
  fetchGatewayMap: async ({ desk, admin, real }) => {
    const body = { name: "Far", connection: "map", map: { socket: "fetched" } };
    const { id } = await callInPerson(desk, "POST", "/v1/gateways", body, admin);
    real.set(exampleIds.gateway, id);
  },
  confirmGateway: async (stage) => {
    const { desk, admin, real } = stage;
    const made = await call(desk, "POST", "/v1/gateways", GATEWAY, admin);
    real.set(exampleIds.gateway, made.id);
    real.set(exampleSince, made.unconfirmed_since);
    return await bySessionAtHost(stage);
  },
  confirmLosses: async (stage) => {
    const { desk, admin, real } = stage;
    const made = await callInPerson(desk, "POST", "/v1/gateways", GATEWAY, admin);
    real.set(exampleIds.gateway, made.id);
    await awaitLoss(desk, { org_id: stage.org_id, gateway_id: made.id });
    return await bySessionAtHost(stage);
  },
  getConfigReview: async ({ desk, admin, real }) => {
    real.set(exampleIds.digest, await reviewIn(desk, admin));
  },
  confirmConfigReview: async (stage) => {
    const { desk, admin, real } = stage;
    real.set(exampleIds.digest, await reviewIn(desk, admin));
    return await bySessionAtHost(stage);
  },
  setMailServer: async (stage) => {
    reach(stage.desk, "mail.example.org:465");
    return await bySessionAtHost(stage);
  },
  deleteMailServer: withMailServer,
  testMailServer: withMailServer,
  beginPasskeySignIn: () => Promise.resolve({ host: HOST }),
  beginPasskey: bySessionAtHost,
  getOwnTemporaryAccess: bySessionAtHost,
  challengeForTemporaryAccess: bySessionAtHost,
  startTemporaryAccess: bySessionAtHost,
  confirmTemporaryAccess: bySessionAtHost,
  renamePasskey: bySessionAtHost,
  deletePasskey: bySessionAtHost,
  createPasskey: async ({ desk, admin, real }) => {
    const browser = await signIn(desk, { credential: admin });
    const { ticket, challenge } = await passkeyChallenge(desk, browser);
    const made = new Authenticator().create({ ...SITE, challenge });
    real.set(examplePasskey.ticket, ticket);
    real.set(examplePasskey.id, made.id);
    real.set(examplePasskey.client_data, made.client_data);
    real.set(examplePasskey.attestation, made.attestation);
    return { host: HOST, cookie: browser.cookie, "x-csrf-token": browser.csrf };
  },
  beginOneTimeCodes: bySessionAtHost,
  createOneTimeCodes: async ({ desk, admin, real }) => {
    const browser = await signIn(desk, { credential: admin });
    const { ticket, secret } = await beginCodes(desk, browser);
    real.set(exampleSecret.ticket, ticket);
    real.set(exampleSecret.code, codeNow(desk, secret));
    return { cookie: browser.cookie, "x-csrf-token": browser.csrf };
  },
  renewRecoveryCodes: withCodes,
  deleteOneTimeCodes: withCodes,
  deletePersonOneTimeCodes: async (stage) => {
    await asOneself(stage);
    await withCodes(stage);
  },
  setCertificateRenewal: async ({ desk, admin, real }) => {
    const init = { body: made({ cn: "other.example.org" }), credential: admin };
    real.set(exampleRenewal, (await (await desk.send("POST", "/api/certs", init)).json()).id);
  },
  createIdentityProvider: async ({ desk }) => {
    await standInOf(desk);
  },
  beginProviderSignIn: () => Promise.resolve({ host: HOST }),
  finishProviderSignIn: async ({ desk, real }) => {
    const away = await begin(desk, real.get(exampleIds.provider) ?? "");
    real.set(exampleAnswer, (await standInOf(desk)).authorize(away.url, ADA));
    return { host: HOST, cookie: away.cookie };
  },
  endByProvider: async ({ desk, real }) => {
    real.set(exampleLogoutToken, await (await standInOf(desk)).logoutToken({ sub: ADA.sub }));
  },
  endDevelopersByProvider: async ({ desk, admin, real }) => {
    const provider = await standInOf(desk);
    const terms = { ...TERMS, for: "developers", groups: [], creates_people: false };
    const body = { ...terms, issuer: provider.issuer };
    const made = await call(desk, "POST", "/v1/identity-providers", body, admin);
    real.set(exampleIds.provider, made.id);
    real.set(ofDevelopers, await provider.logoutToken({ sub: ADA.sub }));
  },
  deleteIdentity: bySessionAtHost,
  deletePersonPasskey: asOneself,
  deletePersonIdentity: asOneself,
  beginIdentity: bySessionAtHost,
  createIdentity: async ({ desk, admin, real }) => {
    const browser = await signIn(desk, { credential: admin });
    const path = `/v1/identity-providers/${real.get(exampleIds.provider)}/link`;
    const way = await bySession(desk, browser, "POST", path, undefined, { host: HOST });
    real.set(exampleAnswer, (await standInOf(desk)).authorize((await way.json()).url, ADA));
    const cookie = `${browser.cookie}; ${cookieOf(way)}`;
    return { host: HOST, cookie, "x-csrf-token": browser.csrf };
  },
  withdrawPersonInvitation: async ({ desk, admin, real }) => {
    const path = `${PEOPLE}/${real.get(exampleIds.person)}/invitation`;
    await call(desk, "POST", path, undefined, admin);
  },
  withdrawOffer: async (stage) => void await offerOf(stage),
  createSignInLink: async ({ desk, admin }) => {
    await call(desk, "PUT", "/v1/developer-pages", { enabled: true }, admin);
  },
  createDeveloperView: async ({ desk, org_id, admin }) => {
    await call(
      desk,
      "PUT",
      "/v1/developer-pages",
      { enabled: true, host: `${org_id}.example.org` },
      admin,
    );
  },
  openMyKey: async (stage) => {
    const { desk, admin, real } = stage;
    const { id } = await caller(stage);
    const body = { plans: [await other(desk, admin)], deliver: "one_time_link" };
    const { key_id } = await call(desk, "POST", `/v1/developers/${id}/keys`, body, admin);
    real.set(exampleIds.key, key_id);
  },
  requestMyLaterEnd: async (stage) => {
    const { desk, admin, real } = stage;
    const { id } = await caller(stage);
    const body = { plans: [await other(desk, admin)], expires_at: "2035-01-31T09:00:00Z" };
    const { key_id } = await call(desk, "POST", `/v1/developers/${id}/keys`, body, admin);
    real.set(exampleIds.key, key_id);
  },
  setKeyAddresses: async ({ desk, admin, real }) => {
    const policy = { name: "For some addresses" };
    const for_plan = (await call(desk, "POST", "/api/portal/policies", policy, admin)).Message;
    const developer = { id: "dev-of-addresses", email: "addresses@example.org" };
    await call(desk, "POST", "/v1/developers", developer, admin);
    const request = { by_user: developer.id, for_plan };
    const { id } = await call(desk, "POST", "/v1/key-requests", request, admin);
    const conditions = { addresses: ["203.0.113.0/24"] };
    const path = `/v1/key-requests/${id}/approve`;
    real.set(exampleIds.key, (await call(desk, "POST", path, { conditions }, admin)).key_id);
  },
  remindOfMyRequest: async (stage) => {
    const { desk, admin, real } = stage;
    const { id: by_user } = await caller(stage);
    const ask = async (hoursAgo: number): Promise<string> => {
      const date = new Date(desk.app.ctx.clock.now() - hoursAgo * 3_600_000).toISOString();
      const body = { by_user, for_plan: "some plan", date_created: date };
      return (await call(desk, "POST", "/api/portal/requests", body, admin)).Message;
    };
    for (let n = 0; n < 5; n++) {
      await call(desk, "POST", `/v1/key-requests/${await ask(1)}/decline`, {}, admin);
    }
    real.set(exampleIds.keyRequest, await ask(48));
  },
  previewMail: async ({ desk, admin, real }) => {
    const { id } = await call(desk, "POST", "/v1/channels", { kind: "mail", name: "Mail" }, admin);
    real.set(exampleIds.channel, id);
  },
  getAuditLogCheckpoint: ({ desk }) => appendAll(desk.app.ctx),
  getTilesCheckpoint: ({ desk }) => appendAll(desk.app.ctx),
  getAuditLogTile: ({ desk }) => appendAll(desk.app.ctx),
  getAuditLogProof: ({ desk }) => appendAll(desk.app.ctx),
  restartKeyRequestApproval: async ({ desk, org_id, admin, real }) => {
    const send = (method: string, path: string, body: unknown, by = admin) =>
      call(desk, method, path, body, by);
    const { id: person } = await send("POST", PEOPLE, GRACE);
    const { Message: plan } = await send("POST", "/api/portal/policies", { name: "For two" });
    const steps = [{ name: "One", need: 1, people: [person] }];
    const policy = `/v1/plans/${plan}/approval-policy`;
    await send("PUT", policy, { outcome: "steps", steps });
    const developer = { id: "dev-restart", email: "restart@example.org" };
    await send("POST", "/v1/developers", developer);
    // Whoever filed it restarts nothing.
    const portal = await desk.token(["portal:write"], org_id);
    const request = { by_user: developer.id, for_plan: plan };
    const { id } = await send("POST", "/v1/key-requests", request, portal);
    await send("POST", `${PEOPLE}/${person}/suspend`, undefined);
    await send("PUT", policy, { outcome: "one" });
    real.set(exampleIds.keyRequest, id);
  },
  reopenKeyRequest: (stage) => decide(stage, "decline"),
  setDeclineReason: (stage) => decide(stage, "decline"),
  reissueKey: (stage) => decide(stage, "approve"),
  dismissLeak: async ({ desk, real }) => {
    // As a report of the key itself, whose text nobody knows any more, is stored.
    const report = {
      hash: real.get(exampleIds.key) ?? "",
      name_hash: "",
      secret_hash: "",
      at: "2026-01-01T00:00:00.000Z",
      reported_by: "",
      url: "",
      request_id: "",
      caller_request_id: "",
      client_address: "",
    };
    await desk.app.ctx.storage.commit(fileReports, { reports: [report] });
    await workOff(desk);
  },
  resumeKey: async ({ desk, admin, real }) => {
    const path = `/v1/keys/${real.get(exampleIds.key)}/suspend`;
    await call(desk, "POST", path, { reason: "to be resumed" }, admin);
  },
  restoreKey: async ({ desk, org_id, real }) => {
    const portal = await desk.token(["portal:read", "revoke"], org_id);
    const path = `/v1/keys/${real.get(exampleIds.key)}/revoke`;
    await call(desk, "POST", path, { reason: "to be brought back" }, portal);
  },
  restoreDeveloper: async ({ desk, admin, real }) => {
    const path = `/v1/developers/${real.get(exampleIds.developer)}?keys=revoke`;
    await call(desk, "DELETE", path, undefined, admin);
  },
  resumePerson: async ({ desk, admin, real }) => {
    await call(desk, "POST", `/v1/people/${real.get(exampleIds.person)}/suspend`, undefined, admin);
  },
  setPlanApproval: async ({ desk, admin, real }) => {
    const apis = [{ name: "The entry of the example", policy_id: real.get(exampleIds.plan) }];
    await call(desk, "POST", "/api/portal/catalogue", { apis }, admin);
  },
  getCatalogueApi: addApi,
  editCatalogueApi: addApi,
  deleteCatalogueApi: addApi,
  verifyCredentials: async ({ desk, admin }) => {
    const body = { email: "mary@example.org", password: WORDS };
    await call(desk, "POST", "/api/portal/developers", body, admin);
  },
  signIn: ({ desk, admin }) => addCode(desk, signInExample.code, admin),
  previewSignIn: ({ desk, admin }) => addCode(desk, signInExample.code, admin),
  endPersonSession: asOneself,
  endDeveloperSession: (stage) => asTheirs(stage, "endMySession"),
  endDeveloperToken: (stage) => asTheirs(stage, "endMyToken"),
  getSession: bySessionHeaders,
  signOut: bySessionHeaders,
  listSessions: bySessionHeaders,
  endSession: bySessionHeaders,
  endSessions: bySessionHeaders,
  issueToken: ({ desk, org_id }) => oauthClientOf(desk, issueToken.example, org_id),
  revokeToken: async ({ desk }) => {
    // A client's id is known once in all organisations.
    const answer = await desk.send("POST", "/oauth/token", {
      credential: null,
      // as: the schemas of forms hold texts alone.
      body: new URLSearchParams(issueToken.example as Record<string, string>).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    assert.equal(answer.status, 200, await answer.text());
  },
};

async function addApi({ desk, admin }: Stage): Promise<void> {
  await call(desk, "POST", "/v1/apis", { id: exampleApi, name: "The API of the example" }, admin);
}

async function decide({ desk, admin, real }: Stage, word: string): Promise<void> {
  await call(
    desk,
    "POST",
    `/v1/key-requests/${real.get(exampleIds.keyRequest)}/${word}`,
    {},
    admin,
  );
}

async function bySessionHeaders({ desk, admin }: Stage): Promise<Record<string, string>> {
  const { cookie, csrf } = await signIn(desk, { credential: admin });
  assert.equal((await bySession(desk, { cookie, csrf }, "GET", "/v1/session")).status, 200);
  return { cookie, "x-csrf-token": csrf };
}

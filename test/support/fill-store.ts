/**
 * Every kind of row that clients can make, made over HTTP alone: so a server of any revision can be
 * filled.
 */
import assert from "node:assert/strict";
import { fullKeyRequest } from "../../src/features/key-requests/key-requests.example.ts";
import { issue } from "./certificates.ts";
import { HOST, type Lies, type StandIn, TERMS } from "./identity-provider.ts";
import { cookieOf } from "./sign-in.ts";

/** A server to fill, with its administrator's credential. */
export interface Filling {
  readonly url: string;
  readonly admin: string;
  /** What reaches it; absent: the network. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
  /** By what people sign in, which the server may call; absent: nobody comes by one. */
  readonly provider?: StandIn | undefined;
}

/** Lines for `keydesk keys import --allow-murmur`, which no endpoint stands for. */
export const importedKeys = [
  { developer: "full", plans: ["full"], key: "a-key-of-another-system-0123456789" },
  { developer: "new", plans: ["least"], key: "a-suspended-key-0123456789", state: "suspended" },
  {
    developer: "new",
    plans: ["full"],
    hash: "0123456789abcdef",
    algorithm: "murmur64",
    created: "2020-01-01T00:00:00Z",
  },
];

type Body = Record<string, unknown>;
// deno-lint-ignore no-explicit-any -- answers of many shapes, of a revision whose types are not here
type Answer = any;
type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

/** Fills an empty store, and gives the plain keys that were issued and not ended. */
export async function fillStore(filling: Filling): Promise<string[]> {
  const { url, admin, fetch: reach = fetch, provider } = filling;
  const send: Send = async (method, path, body, headers = {}) => {
    const isText = body === undefined || typeof body === "string";
    const response = await reach(
      new Request(url + path, {
        method,
        headers: { authorization: admin, ...headers },
        body: isText ? body ?? null : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    assert.equal(response.status, 200, `${method} ${path}: ${text}`);
    return text.startsWith("{") ? JSON.parse(text) : text;
  };
  await addPlans(send);
  await addDevelopers(send);
  const keys = [...await addKeyRequests(send), ...await addKeys(send)];
  await addTokenOfClient(send);
  await addCertificates(send);
  await addPeople(send);
  await addSettings(send, keys);
  if (provider) await addSignIns(send, filling, provider);
  for (const key of keys) await send("POST", "/v1/keys/verify", { key });
  return keys;
}

const PLANS = "/api/portal/policies";

async function addPlans(send: Send): Promise<void> {
  await send("POST", PLANS, { id: "least", name: "The least" });
  await send("POST", PLANS, {
    _id: "5ead7120575961000181867f",
    id: "full",
    name: "With every member",
    active: true,
    is_inactive: false,
    tags: ["one", "two"],
    meta_data: { ours: null },
    partitions: { quota: true, rate_limit: true, acl: true, complexity: false, per_api: false },
    rate: 60,
    per: 60,
    quota_max: 20_000,
    quota_renewal_rate: 2_592_000,
    access_rights: { api: { api_id: "api", api_name: "The API", versions: ["Default"] } },
    auth_type: "authToken",
    key_expires_in: 0,
  });
  await send("POST", PLANS, { id: "basic", name: "Names and passwords", auth_type: "basic" });
  await send("POST", PLANS, { id: "oauth", name: "Clients", auth_type: "oauth" });
  await send("POST", PLANS, { id: "short", name: "For an hour", key_expires_in: 3600 });
  await send("PUT", "/v1/plans/short", { expiry_applies_to: "access", max_keys_per_developer: 3 });
  await send("PUT", "/v1/plans/full", { price_text: "20 euros a month" });
  await send("POST", "/v1/plans", { id: "closed", name: "Closed" });
  await send("POST", "/v1/plans/closed/deactivate");
  const gone = await send("POST", PLANS, { id: "gone", name: "Gone" });
  await send("DELETE", `${PLANS}/${gone.Message}`);
  await send("POST", "/api/portal/documentation", {
    api_id: "api",
    doc_type: "swagger",
    documentation: "eyJvcGVuYXBpIjoiMy4wLjAifQ==",
  });
  await send("PUT", `${PLANS}/least`, { tags: ["changed"] });
  const entry = fullKeyRequest.catalogue_entry;
  await send("POST", "/api/portal/catalogue", {
    apis: [{ ...entry, api_id: "api", policy_id: "full" }, { name: "Least", policy_id: "least" }],
    email: "apis@example.org",
  });
  await send("PUT", "/v1/apis/api", { visibility: "invited", invited: ["example.org"] });
  await send("POST", "/api/portal/configuration", entry.config);
  const asked = [{ name: "use_case", required: false }];
  await send("PUT", "/v1/plans/least/approval", {
    approval: "automatic",
    key_request_fields: asked,
  });
}

const DEVELOPERS = "/api/portal/developers";
const PASSWORD = "a long sentence that only she knows";

async function addDevelopers(send: Send): Promise<void> {
  await send("POST", DEVELOPERS, { id: "least", email: "least@example.org" });
  await send("POST", DEVELOPERS, {
    ...fullKeyRequest.portal_developer,
    id: "full",
    email: "full@example.org",
    password: PASSWORD,
    nonce: "n",
    sso_key: "s",
  });
  await send("POST", "/v1/developers", { email: "v1@example.org", fields: { name: "Grace" } });
  await send("PUT", "/v1/developers/full/tags", { tags: ["partners", "beta"] });
  const moved = await send("POST", "/v1/developers", { email: "before@example.org" });
  await send("PUT", `/v1/developers/${moved.id}`, {
    email: "after@example.org",
    account: "same_person",
  });
  const away = await send("POST", "/v1/developers", { email: "away@example.org" });
  await send("POST", `/v1/developers/${away.id}/deactivate`, { keys: "keep" });
}

const REQUESTS = "/api/portal/requests";
const V1_REQUESTS = "/v1/key-requests";

async function addKeyRequests(send: Send): Promise<string[]> {
  const asked = async (body: Body): Promise<string> =>
    (await send("POST", REQUESTS, { by_user: "least", for_plan: "least", ...body })).Message;
  const issued = async (body: Body): Promise<Answer> =>
    await send("PUT", `${REQUESTS}/approve/${await asked(body)}`);
  // Pending.
  await asked({});
  await asked({ ...fullKeyRequest, jwt_secret: "sealed", certificate: "some text" });
  await asked({ approved: true });
  await asked({ by_user: "full", for_plan: "oauth", oauth_info: { redirect_uri: "https://a.b" } });
  const embedded = { ...fullKeyRequest.portal_developer, id: "embedded", email: "e@example.org" };
  const shown = {
    keys: { shown: ["full"] },
    subscriptions: { full: "shown" },
    oauth_clients: { oauth: [{ client_id: "shown", secret: "sealed" }] },
  };
  await asked({ ...fullKeyRequest, by_user: "", portal_developer: { ...embedded, ...shown } });
  const edited = await asked({ for_plan: "full" });
  await send("PUT", `${REQUESTS}/${edited}`, { ...fullKeyRequest, by_user: "full" });
  // Declined, and opened again.
  const declined = await asked({});
  await send("POST", `${V1_REQUESTS}/${declined}/decline`, { reason: "Not for this." });
  const reopened = await asked({ for_plan: "full" });
  await send("POST", `${V1_REQUESTS}/${reopened}/decline`);
  await send("POST", `${V1_REQUESTS}/${reopened}/reopen`);
  // Issued; a one-time link of each state among them.
  const { RawKey: token } = await issued({ for_plan: "full", by_user: "full" });
  await issued({ for_plan: "basic" });
  await issued({ key: token, by_user: "full", for_plan: "short", apply_policies: ["short"] });
  const handedOver = async (): Promise<Answer> => {
    const path = `${V1_REQUESTS}/${await asked({ for_plan: "full" })}/approve`;
    return (await send("POST", path, { deliver: "one_time_link", reason: "Agreed." }))
      .one_time_link;
  };
  await handedOver();
  await send("DELETE", `/v1/one-time-links/${(await handedOver()).id}`);
  const opened = (await handedOver()).link.split("#")[1];
  await send("POST", "/v1/one-time-links/open", { token: opened });
  return [token];
}

async function addKeys(send: Send): Promise<string[]> {
  const added = async (plan: string): Promise<{ RawKey: string; key_id: string }> =>
    await send("POST", "/v1/developers/full/keys", { plans: [plan] });
  const [plain, ending, suspended, revoked, rotated] = [
    await added("full"),
    await added("short"),
    await added("full"),
    await added("full"),
    await added("least"),
  ];
  await send("PUT", `/v1/keys/${ending.key_id}/expiry`, { expires_at: "2099-01-01T00:00:00Z" });
  await send("POST", `/v1/keys/${suspended.key_id}/suspend`, { reason: "Asked the developer" });
  await send("POST", `/v1/keys/${revoked.key_id}/revoke`, { reason: "It was published" });
  await send("POST", `/v1/keys/${rotated.key_id}/rotate`, { overlap_seconds: 86_400 });
  await send("POST", `${DEVELOPERS}/least/keys`, { apply_policies: ["full"] });
  return [plain.RawKey, ending.RawKey];
}

async function addTokenOfClient(send: Send): Promise<void> {
  const { Message } = await send("POST", REQUESTS, {
    by_user: "full",
    for_plan: "oauth",
    fields: { oauth_use_case: "Trips" },
    oauth_info: { redirect_uri: "https://example.org/callback" },
  });
  const { client_id, secret } = await send("PUT", `${REQUESTS}/approve/${Message}`);
  await send("POST", "/oauth/token", "grant_type=client_credentials", {
    authorization: `Basic ${btoa(`${client_id}:${secret}`)}`,
    "content-type": "application/x-www-form-urlencoded",
  });
}

async function addCertificates(send: Send): Promise<void> {
  const authority = issue({ subject: { CN: "The authority" }, authority: true });
  const leaf = issue({
    subject: { CN: "leaf.example.org", O: "Example" },
    names: [
      { dNSName: "leaf.example.org" },
      { iPAddress: "127.0.0.1" },
      { uniformResourceIdentifier: "https://a.b" },
      { rfc822Name: "a@b.c" },
    ],
    issuer: authority,
  });
  const alone = issue({ subject: { CN: "alone" } });
  await send("POST", "/api/certs", authority.certificate);
  await send("POST", "/api/certs", leaf.certificate + authority.certificate + leaf.key);
  await send("POST", "/v1/certificates", alone.certificate);
}

/** What an organisation sets for itself, who is told of changes, and what nobody is told of. */
async function addSettings(send: Send, keys: readonly string[]): Promise<void> {
  await send("PUT", "/v1/branding", { name: "Coastal Data", colour: "#0f6b5c" });
  await send("POST", "/v1/views", {
    list: "keys",
    name: "Ends soon",
    query: { state: "active", sort: "ends" },
    shared: true,
  });
  await send("PUT", "/v1/me/columns", { list: "developers", columns: ["state"] });
  await send("PUT", "/v1/settings/alerts", { days: [30, 7], at_end: true });
  const { data: [certificate, other] } = await send("GET", "/v1/certificates");
  await send("PUT", `/v1/certificates/${certificate.id}`, {
    owner: "ops@example.org",
    tags: ["edge", "tls"],
  });
  await send("PUT", `/v1/certificates/${certificate.id}/renewal`, {
    certificate: other.id,
    renews: false,
  });
  const mute = { until: "2099-01-01T00:00:00Z", reason: "Renewal ordered." };
  await send("PUT", `/v1/certificates/${certificate.id}/mute`, mute);
  const [key = ""] = keys;
  const { key_id } = await send("POST", "/v1/keys/verify", { key });
  await send("PUT", `/v1/keys/${key_id}/mute`, mute);
  await send("PUT", `/v1/keys/${key_id}/labels`, {
    name: "Checkout, live",
    environment: "production",
    note: "Ask Ada first.",
    tags: ["payments", "edge"],
  });
  const channel = { name: "Portal", url: "https://portal.example.org/", topics: ["key.*"] };
  const { id } = await send("POST", "/v1/channels", channel);
  await send("POST", `/v1/channels/${id}/pause`);
}

/**
 * Somebody comes by an identity provider, which is asked again by what it gave; then it refuses
 * somebody, and then it fails.
 */
async function addSignIns(
  send: Send,
  { url, fetch: reach }: Filling,
  provider: StandIn,
): Promise<void> {
  const terms = { ...TERMS, issuer: provider.issuer };
  const { id } = await send("POST", "/v1/identity-providers", terms);
  // In process nothing else says by which name a browser came.
  const host: Record<string, string> = reach ? { host: HOST } : {};
  const call = async (path: string, body: Body, headers: Record<string, string> = {}) => {
    const init = { method: "POST", headers: { ...host, ...headers }, body: JSON.stringify(body) };
    const answer = await (reach ?? fetch)(new Request(url + path, init));
    return { answer, body: await answer.json() };
  };
  const come = async (status: number, lies: Lies) => {
    const way = `/v1/session/provider/${id}`;
    const away = await call(way, { fresh: false });
    provider.lies = lies;
    const answer = provider.authorize(away.body.url, { sub: "grace", groups: ["desk"] });
    const back = await call(`${way}/answer`, { answer }, { cookie: cookieOf(away.answer) });
    assert.equal(back.answer.status, status, JSON.stringify(back.body));
  };
  await come(200, { refreshes: true });
  await come(401, { claims: { aud: "another" } });
  const isAway = (path: string) =>
    path === "/token" ? new Response(null, { status: 502 }) : undefined;
  await come(503, { answer: isAway });
  provider.lies = {};
}

async function addPeople(send: Send): Promise<void> {
  const { id } = await send("POST", "/v1/people", {
    name: "Grace",
    permissions: ["portal:read", "portal:write", "approve"],
  });
  const path = `/v1/people/${id}/access-tokens`;
  await send("POST", path, {
    name: "laptop",
    scope: ["portal:read"],
    expires_at: "2099-01-01T00:00:00Z",
  });
  const { id: replaced } = await send("POST", path, { name: "replaced" });
  await send("POST", `/v1/access-tokens/${replaced}/rotate`, { overlap_seconds: 86_400 });
  const { id: ended } = await send("POST", path, { name: "ended" });
  await send("DELETE", `/v1/access-tokens/${ended}`);
  await send("POST", "/v1/people", { name: "Ada", permissions: ["certs:read"] });
  await send("POST", "/v1/organisations", { name: "Another", administrator: "Mary" });
}

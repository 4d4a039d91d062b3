/**
 * What a gateway answers: its own interface under `/tyk`, and `/{api}/…` as callers reach an API.
 */
import { randomBytes } from "node:crypto";
import { type Gateway, type Members, plansOf, Refusal, seconds, type Verdict } from "./gateway.ts";
import { organisationIn } from "./keys.ts";

/** What opens the gateway's interface. */
export const GATEWAY_SECRET = "the-stand-in-s-gateway-secret";

/** What it says of itself, to anyone. */
function healthOf({ version }: Gateway) {
  return { status: "pass", version, description: "Tyk GW" };
}

/** Answers a call of either. */
export async function atGateway(gateway: Gateway, request: Request): Promise<Response> {
  try {
    return await answered(gateway, request);
  } catch (error) {
    if (error instanceof Refusal) return problem(error.status, error.message);
    throw error;
  }
}

async function answered(gateway: Gateway, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const [, first = "", ...rest] = url.pathname.split("/");
  if (first === "hello") return Response.json(healthOf(gateway));
  if (first !== "tyk") {
    return rest[0] === "oauth"
      ? await atTokens(gateway, request, first)
      : await atDoor(gateway, request, first);
  }
  if (request.headers.get("x-tyk-authorization") !== GATEWAY_SECRET) {
    return problem(403, "Attempted administrative access with invalid or missing key!");
  }
  const [resource = "", ...names] = rest.map(decodeURIComponent);
  const isRead = request.method === "GET";
  if (resource === "keys") return await atKeys(gateway, request, names[0] ?? "");
  // As the open-source gateway has them: what the dashboard calls `_id` is `id`, and `_id` is
  // empty.
  if (resource === "policies" && isRead) {
    const shown = gateway.plans.map(({ _id, ...plan }) => ({ ...plan, _id: "", id: _id }));
    if (names[0] === undefined) return Response.json(shown);
    const one = shown.find(({ id }) => id === names[0]);
    return one ? Response.json(one) : problem(404, "Policy not found");
  }
  if (resource === "policies") return await writtenPolicy(gateway, request, names[0]);
  if (resource === "reload" && isRead) {
    gateway.reload();
    return Response.json({ status: "ok", message: "" });
  }
  if (resource === "apis" && isRead) return Response.json(gateway.apis);
  if (resource === "certs") return await atCertificates(gateway, request, names[0] ?? "");
  if (resource === "oauth" && names[0] === "clients") {
    return await atClients(gateway, request, names[1] ?? "", names[2] ?? "");
  }
  return Response.json({ error: "Method not supported" }, { status: 405 });
}

/** Certificates in PEM; the private key, where there is one, stands behind them. */
async function atCertificates(gateway: Gateway, request: Request, id: string): Promise<Response> {
  const { method } = request;
  if (id === "" && method === "POST") {
    const added = gateway.addCertificate(await request.text());
    return Response.json({ id: added, message: "Certificate added", status: "ok" });
  }
  if (id === "" && method === "GET") return Response.json({ certs: gateway.certificates() });
  if (method === "DELETE") {
    gateway.removeCertificate(id);
    return Response.json({ message: "removed", status: "ok" });
  }
  const pem = gateway.certificate(id);
  if (pem === undefined) {
    throw new Refusal(404, "Certificate with given SHA256 fingerprint not found");
  }
  return Response.json({ id, fingerprint: id.slice(24), has_private: pem.includes("PRIVATE KEY") });
}

/** What is written counts once the policies are loaded again. */
async function writtenPolicy(gateway: Gateway, request: Request, id = ""): Promise<Response> {
  if (request.method !== "POST" && request.method !== "PUT") {
    return Response.json({ error: "Method not supported" }, { status: 405 });
  }
  if (gateway.policiesAreElsewhere) {
    const message = "Due to enabled service policy source, please use the Dashboard API";
    throw new Refusal(500, message);
  }
  const sent: Members = Object(await request.json());
  if (request.method === "PUT" && sent.id !== id) {
    throw new Refusal(
      400,
      "Request ID does not match that in policy! For Update operations these must match.",
    );
  }
  gateway.writePlan(sent);
  const action = request.method === "PUT" ? "modified" : "added";
  return Response.json({ key: sent.id, status: "ok", action });
}

/** OAuth clients: `create` beside the ids of APIs. */
async function atClients(
  gateway: Gateway,
  request: Request,
  api_id: string,
  id: string,
): Promise<Response> {
  if (request.method === "GET") return Response.json(gateway.clients(api_id).map(shownClient));
  if (request.method === "DELETE") {
    gateway.removeClient(api_id, id);
    return Response.json({ key: id, status: "ok", action: "deleted" });
  }
  const { client_id, secret, redirect_uri, policy_id, api_id: of } = Object(await request.json());
  if (gateway.apis.some((api) => api.api_id === of && !api.use_oauth2)) {
    throw new Refusal(400, "API is not OAuth2");
  }
  const client = { id: client_id, secret, redirecturi: redirect_uri, policyid: policy_id };
  gateway.addClient(client);
  return Response.json(shownClient(client));
}

async function atKeys(gateway: Gateway, request: Request, given: string): Promise<Response> {
  const { method } = request;
  if (given === "" && method === "GET") return Response.json({ keys: gateway.names() });
  const isByHash = new URL(request.url).searchParams.get("hashed") === "true";
  if (isByHash && gateway.hashing === "none") {
    return problem(400, "Key requested by hash but key hashing is not enabled");
  }
  const body = ["POST", "PUT"].includes(method) ? await sessionIn(gateway, request) : {};
  if (method === "POST") {
    const text = given === "create" ? randomBytes(16).toString("hex") : given;
    // By hash nothing is made, though it says so.
    const { key, name } = isByHash ? { key: given, name: given } : await gateway.add(text, body);
    // A user name is nobody's key.
    const isUser = Boolean(Object(body.basic_auth_data).password);
    return Response.json({
      key: isUser ? "" : key,
      status: "ok",
      action: "added",
      key_hash: name,
    });
  }
  const name = isByHash ? given : await nameIn(gateway, request, given);
  const session = gateway.shown(name);
  if (!session) return problem(404, MISSING[method] ?? "Key not found");
  if (method === "GET") return Response.json(session);
  if (method === "PUT") await gateway.replace(name, body);
  else if (method === "DELETE") gateway.revoke(name);
  else return Response.json({ error: "Method not supported" }, { status: 405 });
  const action = method === "PUT" ? "modified" : "deleted";
  return Response.json({ key: given, status: "ok", action });
}

/** What an interface says of a key that is not there, by what was asked of it. */
const MISSING: Record<string, string> = {
  PUT: "Key is not found",
  DELETE: "There is no such key found",
};

/** A text that somebody chose is found where its organisation is named, and else as it is. */
async function nameIn(gateway: Gateway, request: Request, given: string): Promise<string> {
  const isNamed = new URL(request.url).searchParams.has("org_id");
  const isKey = organisationIn(given) !== undefined || gateway.hashing === "none";
  return isNamed || isKey ? await gateway.find(given) ?? given : await gateway.nameOf(given);
}

/**
 * A session that is sent. One unknown plan beside known ones goes through; a past end, but for 1,
 * is as if none. A new key ends as its plan says, unless it has an end of its own.
 */
async function sessionIn(gateway: Gateway, request: Request): Promise<Members> {
  const sent = await objectIn(request);
  const plans = plansOf(sent);
  if (plans.length > 0 && !plans.some((one) => gateway.plan(one))) {
    throw new Refusal(500, `Failed to create key - policy not found: "${plans[0]}"`);
  }
  const { expires = 0 } = sent;
  const isPast = typeof expires === "number" && expires > 1 && expires * 1000 < Date.now();
  const plan = plans.map((one) => gateway.plan(one)).find((one) => one !== undefined);
  const life = Number(plan?.key_expires_in ?? 0);
  const { quota_max, quota_renewal_rate = 0 } = plan ?? {};
  const ofPlan = request.method === "POST" && expires === 0 && life > 0 ? seconds() + life : 0;
  return {
    ...gateway.newSession("", plans),
    ...sent,
    // A plan's quota counts, whatever a session says.
    ...plan ? { quota_max, quota_renewal_rate } : {},
    expires: isPast || expires === 0 ? ofPlan : expires,
    last_updated: String(seconds()),
  };
}

async function objectIn(request: Request): Promise<Members> {
  try {
    return Object(await request.json());
  } catch {
    throw new Refusal(500, "Unmarshalling failed");
  }
}

function shownClient({ id, secret, redirecturi, policyid }: Members): Members {
  return { client_id: id, secret, redirect_uri: redirecturi, policy_id: policyid };
}

/**
 * A key raw or after `Bearer`, or user name and password after `Basic`. The API reads what it is
 * sent to its end: so long the call is in flight.
 */
async function atDoor(gateway: Gateway, request: Request, api_id: string): Promise<Response> {
  const api = gateway.apis.find((one) => one.api_id === api_id);
  if (!api) {
    const headers = { "content-type": "text/plain; charset=utf-8" };
    return new Response("Not Found", { status: 404, headers });
  }
  const text = request.headers.get("authorization") ?? "";
  const basic = userIn(text);
  const upstream = async () => void await request.arrayBuffer();
  const verdict = basic
    ? await gateway.openAsUser(...basic, api_id, upstream)
    : await gateway.open(text.replace(/^Bearer +/i, ""), api_id, upstream);
  const { status, error } = verdict;
  const headers = headersOf(verdict);
  if (status === 401 && api.use_basic_auth) {
    headers["www-authenticate"] = `Basic realm="${api_id}"`;
  }
  return Response.json(status === 200 ? { api: api_id } : { error }, { status, headers });
}

/** Of a quota alone, whatever the rate; a refusal tells nothing of either. */
function headersOf({ status, quota = [0, 0, 0] }: Verdict): Record<string, string> {
  if (status !== 200) return { "x-generator": "tyk.io" };
  const [most, left, anew] = quota.map(String) as [string, string, string];
  return {
    "x-ratelimit-limit": most,
    "x-ratelimit-remaining": left,
    "x-ratelimit-reset": anew,
  };
}

function userIn(header: string): [user: string, password: string] | undefined {
  const [, encoded] = /^Basic +(\S+)$/i.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const [user = "", ...rest] = atob(encoded).split(":");
  return [user, rest.join(":")];
}

/** Tokens of OAuth clients, for their own credentials. */
async function atTokens(gateway: Gateway, request: Request, api_id: string): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  const [client_id = "", secret = ""] = userIn(request.headers.get("authorization") ?? "") ??
    ["client_id", "client_secret"].map((name) => form.get(name) ?? "");
  const client = gateway.client(api_id, client_id);
  if (!client || client.secret !== secret) {
    return Response.json({ error: "server_error" }, { status: 403 });
  }
  const session = { ...gateway.newSession("", [String(client.policyid)]) };
  const access_token = gateway.org_id + randomBytes(16).toString("hex");
  const name = await gateway.nameOf(access_token);
  gateway.records.set(`apikey-${name}`, { ...session, oauth_client_id: client_id });
  return Response.json({ access_token, token_type: "bearer", expires_in: 3600 });
}

function problem(status: number, message: string): Response {
  return Response.json({ status: "error", message }, { status });
}

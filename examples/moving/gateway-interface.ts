/**
 * What a gateway answers: its own interface under `/tyk`, and `/{api}/…` as callers reach an API.
 */
import { randomBytes } from "node:crypto";
import { type Gateway, type Members, NOT_MADE, plansOf, Refusal } from "./gateway.ts";

/** What opens the gateway's interface. */
export const GATEWAY_SECRET = "the-stand-in-s-gateway-secret";

/** Answers a call of either. */
export async function atGateway(gateway: Gateway, request: Request): Promise<Response> {
  try {
    return await answered(gateway, request);
  } catch (error) {
    if (error instanceof Refusal) return trouble(error.status, error.message);
    throw error;
  }
}

async function answered(gateway: Gateway, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const [, first = "", ...rest] = url.pathname.split("/");
  if (first === "hello") return Response.json({ status: "pass", version: "5.14.0" });
  if (first !== "tyk") {
    return rest[0] === "oauth"
      ? await atTokens(gateway, request, first)
      : await atDoor(gateway, request, first);
  }
  if (request.headers.get("x-tyk-authorization") !== GATEWAY_SECRET) {
    return trouble(403, "Attempted administrative access with invalid or missing key!");
  }
  const [resource = "", ...names] = rest.map(decodeURIComponent);
  const isRead = request.method === "GET";
  if (resource === "keys") return await atKeys(gateway, request, names[0] ?? "");
  // As the open-source gateway has them: what the dashboard calls `_id` is `id`, and `_id` is
  // empty.
  if (resource === "policies" && isRead) {
    return Response.json(gateway.plans.map(({ _id, ...plan }) => ({ ...plan, _id: "", id: _id })));
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
  const { client_id, secret, redirect_uri, policy_id } = Object(await request.json());
  const client = { id: client_id, secret, redirecturi: redirect_uri, policyid: policy_id };
  gateway.addClient(client);
  return Response.json(shownClient(client));
}

async function atKeys(gateway: Gateway, request: Request, given: string): Promise<Response> {
  const { method } = request;
  if (given === "" && method === "GET") return Response.json({ keys: gateway.names() });
  const isByHash = new URL(request.url).searchParams.get("hashed") === "true";
  if (isByHash && gateway.hashing === "none") {
    return trouble(400, "Key requested by hash but key hashing is not enabled");
  }
  const body = ["POST", "PUT"].includes(method) ? await sessionIn(gateway, request) : {};
  if (method === "POST") {
    // By hash nothing is made, though it says so.
    const { key, name } = isByHash ? { key: given, name: given } : await gateway.add(given, body);
    return Response.json({ key, status: "ok", action: "added", key_hash: name });
  }
  const name = isByHash ? given : await gateway.find(given) ?? given;
  const session = gateway.shown(name);
  if (!session) return trouble(404, "Key not found");
  if (method === "GET") return Response.json(session);
  if (method === "PUT") await gateway.replace(name, body);
  else if (method === "DELETE") gateway.revoke(name);
  else return Response.json({ error: "Method not supported" }, { status: 405 });
  const action = method === "PUT" ? "modified" : "deleted";
  return Response.json({ key: given, status: "ok", action });
}

/**
 * A session that is sent. One unknown plan beside known ones goes through; a past end, but for 1,
 * is as if none.
 */
async function sessionIn(gateway: Gateway, request: Request): Promise<Members> {
  const sent: Members = Object(await request.json());
  const plans = plansOf(sent);
  if (plans.length > 0 && !plans.some((one) => gateway.plan(one))) {
    throw new Refusal(500, NOT_MADE);
  }
  const { expires } = sent;
  const isPast = typeof expires === "number" && expires > 1 && expires * 1000 < Date.now();
  return { ...gateway.newSession("", plans), ...sent, ...isPast ? { expires: 0 } : {} };
}

function shownClient({ id, secret, redirecturi, policyid }: Members): Members {
  return { client_id: id, secret, redirect_uri: redirecturi, policy_id: policyid };
}

/**
 * A key raw or after `Bearer`, or user name and password after `Basic`. The API reads what it is
 * sent to its end: so long the call is in flight.
 */
async function atDoor(gateway: Gateway, request: Request, api_id: string): Promise<Response> {
  const text = request.headers.get("authorization") ?? "";
  const basic = userIn(text);
  const upstream = async () => void await request.arrayBuffer();
  const { status, error } = basic
    ? await gateway.openAsUser(...basic, api_id, upstream)
    : await gateway.open(text.replace(/^Bearer +/i, ""), api_id, upstream);
  return Response.json(status === 200 ? { api: api_id } : { error }, { status });
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

function trouble(status: number, message: string): Response {
  return Response.json({ status: "error", message }, { status });
}

/** A desk with one of everything that a screen can show, and the ids of it. */
import assert from "node:assert/strict";
import { issue, made } from "../../test/support/certificates.ts";
import type { DemoServer } from "./browser.ts";
import { fillDesk } from "./busy-desk.ts";
import { eventually } from "../../test/support/eventually.ts";
import { fetchInPerson } from "../../test/support/sign-in.ts";

/** The ids of what is shown, by what it is. */
export type Ids = Readonly<Record<string, string>>;

// deno-lint-ignore no-explicit-any -- answers of many shapes, of which ids alone are read
type Answer = any;

/** Fills a fresh demo, whose server starts again meanwhile and takes reports of leaks. */
export async function fillWholeDesk(server: DemoServer): Promise<Ids> {
  await fillDesk(server);
  const get = (path: string): Promise<Answer> => server.call("GET", path);
  const post = (path: string, body: unknown = {}): Promise<Answer> =>
    server.call("POST", path, body);
  const firstOf = async (path: string) => (await get(path)).data[0];
  const ids: Record<string, string> = {};

  const plan = await firstOf("/v1/plans?state=active&q=Free");
  const developer = await firstOf("/v1/developers?limit=1");
  ids.developer = developer.id;
  ids.activeDeveloper = (await post("/v1/developers", { email: "late@example.org" })).id;
  ids.plan = plan.id;
  ids.freePlan = (await post("/v1/plans", { name: "Of nobody yet" })).id;
  ids.api = (await firstOf("/v1/apis?limit=1")).id;
  await post("/v1/apis", { id: "lifts", name: "Lifts", plans: [] });
  ids.closedApi = "lifts";

  const key = async (words: object = {}) =>
    (await post(`/v1/developers/${developer.id}/keys`, { plans: [plan.id], ...words })).key_id;
  ids.key = (await firstOf("/v1/keys?state=active&limit=1")).key_id;
  ids.linkedKey = await key({ deliver: "one_time_link" });
  const labels = { name: "Checkout, live", environment: "production", note: "Ask Lena first." };
  ids.namedKey = await key({ ...labels, tags: ["payments", "partner"], deliver: "one_time_link" });
  const view = { list: "keys", name: "Ends soon", query: { sort: "ends" } };
  ids.view = (await post("/v1/views", { ...view, shared: true })).id;
  ids.suspendedKey = await key({ deliver: "one_time_link" });
  await post(`/v1/keys/${ids.suspendedKey}/suspend`, { reason: "Unusual traffic" });
  ids.revokedKey = await key({ deliver: "one_time_link" });
  await post(`/v1/keys/${ids.revokedKey}/revoke`, { reason: "Found in a repository" });

  const found = await post(`/v1/developers/${developer.id}/keys`, {
    plans: [plan.id],
    deliver: "answer",
    name: "Found in public",
  });
  await post("/v1/leaks", { keys: [found.RawKey], url: "https://example.org/repository/.env" });
  const isWorkedOff = async () => (await get("/v1/leaks")).data.length > 0;
  await eventually("the report is worked off", isWorkedOff, 100);

  const ask = async (use_case: string, for_plan = plan.id) =>
    (await post("/v1/key-requests", { by_user: developer.id, for_plan, fields: { use_case } })).id;
  // Nobody can approve it under /v1, so it is the last of the list.
  ids.unknownPlan = (await post("/api/portal/requests", {
    by_user: "somebody",
    for_plan: "plan-of-nobody",
    date_created: "2024-02-29T12:00:00Z",
    fields: { use_case: "No entry" },
  })).Message;
  ids.hintedRequest = await ask("A fourth one this week, which hints tell of");
  ids.declinedRequest = await ask("To be declined");
  await post(`/v1/key-requests/${ids.declinedRequest}/decline`, { reason: "Asked twice" });
  ids.approvedRequest = await ask("To be approved");
  const approve = { deliver: "one_time_link", reason: "Agreed with their team lead." };
  ids.oneTimeLink =
    (await post(`/v1/key-requests/${ids.approvedRequest}/approve`, approve)).one_time_link.link;
  ids.usedOneTimeLink = "/claim#used-0123456789012345678901234567890123456";
  const job = { kind: "decline", ids: [await ask("To be declined in a job")] };
  ids.job = (await post("/v1/jobs", job)).id;

  // A gateway that checks calls.
  ids.checkingGateway = (await post("/v1/gateways", {
    connection: "checks",
    name: "edge-9",
    kind: "nginx",
    silent_minutes: 60,
  })).id;
  const tides = { api_id: "tides", api_name: "Tides", versions: ["Default"] };
  const limits = { rate: 1, per: 3600, access_rights: { tides } };
  const slow = (await post("/v1/plans", { name: "Once an hour", ...limits })).id;
  const often = await post(`/v1/developers/${developer.id}/keys`, {
    plans: [slow],
    deliver: "answer",
    name: "Refused often",
  });
  const limited = await post(`/v1/key-requests/${await ask("From one place", slow)}/approve`, {
    conditions: { addresses: ["192.0.2.0/24"] },
    deliver: "answer",
  });
  ids.limitedKey = limited.key_id;
  for (
    const asked of [
      { key: often.RawKey, api_id: "waves" },
      { key: often.RawKey },
      { key: often.RawKey },
      { key: limited.key.RawKey, address: "198.51.100.7" },
    ]
  ) await post("/v1/keys/verify", asked);

  const person = async (name: string) =>
    (await post("/v1/people", { name, permissions: ["portal:read", "approve"] })).id;
  ids.person = await person("Grace Hopper");
  ids.accessToken = (await post(`/v1/people/${ids.person}/access-tokens`, { name: "laptop" })).id;
  const reader = { name: "Hedy Lamarr", permissions: ["portal:read", "certs:read"] };
  const { id: readerId } = await post("/v1/people", reader);
  ids.readerToken = (await post(`/v1/people/${readerId}/access-tokens`, { name: "laptop" })).id;
  const token = { name: "phone", deliver: "one_time_link" };
  ids.otherOneTimeLink =
    (await post(`/v1/people/${readerId}/access-tokens`, token)).one_time_link.link;
  ids.tokenOneTimeLink =
    (await post(`/v1/people/${ids.person}/access-tokens`, token)).one_time_link.link;
  ids.suspendedPerson = await person("Rita Levi-Montalcini");
  await post(`/v1/people/${ids.suspendedPerson}/suspend`);
  const guest = { name: "Mary Shaw", email: "mary@example.org", permissions: ["portal:read"] };
  const invited = await post("/v1/people/invitations", guest);
  ids.invitedPerson = invited.person_id;
  ids.invitation = invited.link;

  await fillTeam(server, ids);

  ids.channel = (await firstOf("/v1/channels")).id;
  const topics = ["certificate.*", "key.*"];
  ids.mailChannel = (await post("/v1/channels", { kind: "mail", name: "Mail", topics })).id;
  ids.delivery = (await firstOf("/v1/deliveries?state=dead")).id;

  const root = issue({ subject: { CN: "Harborline Root" }, authority: true });
  const leaf = issue({
    subject: { CN: "shop.example", O: "Harborline Ltd" },
    issuer: root,
    days: 825,
    names: [{ dNSName: "shop.example" }, { dNSName: "www.shop.example" }],
  });
  const add = async (pem: string): Promise<string> => {
    const response = await fetch(`${server.url}/v1/certificates`, {
      method: "POST",
      headers: { authorization: server.admin },
      body: pem,
    });
    const answer: Answer = await response.json();
    assert.ok(response.ok, JSON.stringify(answer));
    return answer.results[0].id;
  };
  ids.authority = await add(root.certificate);
  ids.certificate = await add(leaf.certificate + leaf.key);
  ids.mutedCertificate = await add(made({ cn: "muted.example" }));
  const until = new Date(Date.now() + 20 * 24 * 60 * 60 * 1000).toISOString();
  await server.call("PUT", `/v1/certificates/${ids.mutedCertificate}/mute`, {
    until,
    reason: "Renewal ordered",
  });
  // Nobody is there: its key waits.
  const gateway = {
    name: "Harbour gateway",
    connection: "synced",
    url: "https://gateway.invalid",
    secret: "not-used",
  };
  ids.gateway = (await fetchInPerson(server.url, server.admin, "/v1/gateways", gateway)).id;
  ids.gatewayKey = await key({ name: "At a gateway", deliver: "one_time_link" });
  ids.event = (await firstOf("/v1/audit-log?action=key_request.declined")).id;
  ids.change = (await firstOf("/v1/audit-log?limit=1")).id;
  return ids;
}

/** What several people do together: steps, comments, a delegate. */
async function fillTeam(server: DemoServer, ids: Record<string, string>): Promise<void> {
  // deno-lint-ignore no-explicit-any -- answers of several shapes, of which ids alone are read
  const call = (...of: Parameters<typeof server.call>): Promise<any> => server.call(...of);
  const marit = { name: "Marit Solberg", permissions: ["portal:read", "approve"] };
  const { id: maritId } = await call("POST", "/v1/people", marit);
  const rights = { access_rights: { tides: { api_id: "tides" } } };
  const { id: plan } = await call("POST", "/v1/plans", { name: "Tides, commercial", ...rights });
  await call("POST", "/v1/apis", { id: "tides", name: "Tides", plans: [plan] });
  ids.stepsPlan = plan;
  await call("PUT", `/v1/plans/${plan}/approval-policy`, {
    outcome: "steps",
    steps: [
      { name: "API product", role: null, people: null, need: 1 },
      { name: "Security", role: null, people: [maritId, ids.person], need: 2 },
    ],
    not_by_filer: true,
  });
  // Old enough to stand below what other views decide.
  const { Message: id } = await call("POST", "/api/portal/requests", {
    by_user: ids.developer,
    for_plan: plan,
    date_created: "2024-03-01T12:00:00Z",
    fields: { use_case: "Water levels in the harbour’s own displays" },
  });
  ids.stepsRequest = id;
  const token = { name: "laptop", deliver: "answer" };
  const { access_token: credential } = await call(
    "POST",
    `/v1/people/${maritId}/access-tokens`,
    token,
  );
  // Who filed it decides nothing.
  const approved = await fetch(`${server.url}/v1/key-requests/${id}/approve`, {
    method: "POST",
    headers: { authorization: credential },
    body: JSON.stringify({ reason: "Their contract is signed." }),
  });
  assert.ok(approved.ok, await approved.text());
  const words = "Their lead asked for it by phone. Who knows their security contact?";
  await call("POST", `/v1/key-requests/${id}/comments`, { words, mentions: [ids.person] });
  await call("PUT", `/v1/key-requests/${id}/assignee`, { assignee: ids.person });
  await call("PUT", `/v1/key-requests/${ids.hintedRequest}/assignee`, { assignee: "me" });
  const until = new Date(Date.now() + 10 * 24 * 60 * 60 * 1000).toISOString();
  await call("PUT", "/v1/me/delegation", { delegate_id: ids.person, until });
}

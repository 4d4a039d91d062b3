/** A desk whose lists have two rows or more each that differ, so that what narrows them is seen. */
import { toTimestamp } from "../../src/kernel/clock.ts";
import { sha256 } from "../../src/kernel/sha256.ts";
import { issue, made } from "./certificates.ts";
import type { TestDesk } from "./desk.ts";
import { openPages, registered, signInByCode } from "./developers.ts";
import { fillStore } from "./fill-store.ts";
import type { StandIn } from "./gateway.ts";
import { addGateway, engineOf as gatewayEngineOf, plansOf, provision } from "./gateways.ts";
import { engineOf as jobEngineOf, work } from "./jobs.ts";
import { report, workOff } from "./leaks.ts";
import { call, newPerson } from "./people.ts";
import { addChannel, deliver, engineOf as deliveriesOf, type Receiver } from "./receiver.ts";
import { planWith } from "./verification.ts";

/** What paths of the lists name, and who else calls. */
export interface FilledLists {
  /** By the name of a path's parameter, then by its place below `/v1/…`. */
  readonly ids: Readonly<Record<string, string>>;
  readonly developer: (path: string) => Promise<Response>;
  readonly people: readonly string[];
  readonly requests: readonly string[];
  readonly keys: readonly string[];
  /** Behind everything that was done. */
  readonly moment: string;
}

/** Fills a desk whose settings take leaks reported and let it call `door` and `receiver`. */
export async function fillLists(
  desk: TestDesk,
  clock: { at: number },
  { door, receiver }: { door: StandIn; receiver: Receiver },
): Promise<FilledLists> {
  await fillStore({ url: "http://desk.test", admin: desk.admin, fetch: desk.app.fetch });
  const send = (method: string, path: string, body?: unknown) => call(desk, method, path, body);
  const channel = await addChannel(desk, receiver, { topics: ["key.*", "key_request.*"] });
  await openPages(desk);
  const ada = await registered(desk, "dev-ada", "ada@lists.example");
  await registered(desk, "dev-bob", "bob@lists.example");
  const apis = ["weather", "tides"];
  const plans = [await planWith(desk, {}, apis), await planWith(desk, {}, ["tides"])];
  const entries = plans.map((policy_id, n) => ({
    name: apis[n],
    api_id: apis[n],
    policy_id,
    show: true,
  }));
  await send("PUT", "/api/portal/catalogue", { apis: entries });
  const requests = await filledRequests(desk, plans, ada.id);
  const keys = await filledKeys(desk, plans, ada.id);
  for (const by_user of ["dev-ada", "dev-bob"]) {
    const body = { by_user, for_plan: "oauth", oauth_info: { redirect_uri: "https://a.example/" } };
    const { Message } = await send("POST", "/api/portal/requests", body);
    await send("PUT", `/api/portal/requests/approve/${Message}`);
  }
  const people = await filledPeople(desk);
  await filledCertificates(desk);
  await filledDevelopers(desk);
  for (const list of ["keys", "developers"]) {
    await send("POST", "/v1/views", { list, name: `Of ${list}`, query: {}, shared: true });
  }
  await deliver(deliveriesOf(desk));
  await filledUse(desk, keys);
  // What an old gateway let in yesterday is a list; runs of canaries are kept for a day.
  clock.at += 24 * 60 * 60 * 1000;
  const gateway = await filledGateway(desk, clock, door);
  const jobs = jobEngineOf(desk);
  let job = "";
  for (const credential of [desk.admin, people[0]?.credential ?? ""]) {
    const body = {
      kind: "tag_keys",
      ids: keys.slice(0, 2).map((key) => key.key_id),
      tags: ["filed", "kept"],
    };
    ({ id: job } = await call(desk, "POST", "/v1/jobs", body, credential));
    await work(jobs);
  }
  await jobs.giveBack();
  const client = await signInByCode(desk, ada.email);
  const path = "/v1/certificates?is_ca=true&q=Another%20authority";
  const { data: certificates } = await send("GET", path);
  return {
    ids: {
      gateways: gateway,
      jobs: job,
      people: people[0]?.id ?? "",
      certificates: certificates[0].id,
      "key-requests": requests[0] ?? "",
      keys: keys[0]?.key_id ?? "",
      channels: channel.id,
    },
    developer: (path) => client.send("GET", path),
    people: people.map(({ id }) => id),
    requests,
    keys: keys.map(({ key_id }) => key_id),
    moment: toTimestamp(clock.at + 1),
  };
}

/** Requests in each state, one of which somebody else alone may decide, and comments on one. */
async function filledRequests(desk: TestDesk, plans: readonly string[], id: string) {
  const asked = async (by_user: string, for_plan: string | undefined): Promise<string> =>
    (await call(desk, "POST", "/api/portal/requests", { by_user, for_plan })).Message;
  const requests: string[] = [];
  for (const developer of [id, "dev-bob"]) {
    for (const plan of plans) requests.push(await asked(developer, plan));
  }
  for (let n = 0; n < 2; n++) {
    const declined = await asked(id, plans[0]);
    await call(desk, "POST", `/v1/key-requests/${declined}/decline`, { reason: "No." });
    const words = `Look at this, ${n}`;
    await call(desk, "POST", `/v1/key-requests/${requests[0]}/comments`, { words });
  }
  const theirs = await planWith(desk, {}, ["tides"]);
  const eve = await newPerson(desk, ["portal:read", "approve"], { name: "Eve" });
  const steps = [{ name: "Eve", need: 1, people: [eve.id] }];
  await call(desk, "PUT", `/v1/plans/${theirs}/approval-policy`, { outcome: "steps", steps });
  await asked("dev-bob", theirs);
  return requests;
}

/** Keys that differ, handed over by links; two were reported as leaked. */
async function filledKeys(desk: TestDesk, plans: readonly string[], id: string) {
  const issued = async (more: object) =>
    await call(desk, "POST", `/v1/developers/${id}/keys`, { plans, ...more });
  const keys: { key_id: string; RawKey: string }[] = [
    await issued({ name: "First", environment: "production", tags: ["one"] }),
    await issued({ name: "Second", expires_at: "2098-01-01T00:00:00Z" }),
    await issued({ plans: plans.slice(0, 1) }),
  ];
  for (let n = 0; n < 2; n++) await issued({ deliver: "one_time_link" });
  const leaked = [await issued({}), await issued({})];
  const reported = await report(desk, leaked.map(({ RawKey }) => RawKey));
  await reported.body?.cancel();
  await workOff(desk);
  return keys;
}

async function filledPeople(desk: TestDesk) {
  const people = [
    await newPerson(desk, ["portal:read", "approve"], { name: "Mary" }),
    await newPerson(desk, ["portal:read"], { name: "Nell" }),
  ];
  await call(desk, "POST", `/v1/people/${people[0]?.id}/access-tokens`, { name: "phone" });
  return people;
}

async function filledCertificates(desk: TestDesk): Promise<void> {
  const authority = issue({ subject: { CN: "Another authority" }, authority: true });
  const leaves = ["one", "two"].map((CN) => issue({ subject: { CN }, issuer: authority }));
  for (const { certificate } of [authority, ...leaves]) {
    await call(desk, "POST", "/v1/certificates", certificate);
  }
  await call(desk, "POST", "/v1/certificates", made({ cn: "ended", to: "20210101000000Z" }));
}

/** Two that somebody who may revoke alone has deleted. */
async function filledDevelopers(desk: TestDesk): Promise<void> {
  const { credential } = await newPerson(desk, ["portal:read", "portal:write", "revoke"]);
  for (const id of ["gone-1", "gone-2"]) {
    await registered(desk, id);
    await call(desk, "POST", `/v1/developers/${id}/keys`, { plans: ["least"] });
    await call(desk, "DELETE", `/v1/developers/${id}?keys=revoke`, undefined, credential);
  }
}

/** A gateway with keys that nobody knows here, and two runs of its canary. */
async function filledGateway(
  desk: TestDesk,
  clock: { at: number },
  door: StandIn,
): Promise<string> {
  await plansOf(desk);
  for (const name of ["strange-1", "strange-2"]) {
    const session = door.gateway.newSession("dev-ada", ["plan-free"]);
    door.gateway.records.set(`apikey-${sha256(name)}`, session);
  }
  const checking = { connection: "checks", name: "edge-1" };
  await call(desk, "POST", "/v1/gateways", checking);
  const id = await addGateway(desk, door);
  const engine = gatewayEngineOf(desk, door);
  await provision(engine);
  for (const minutes of [1, 1, 120]) {
    clock.at += minutes * 60_000;
    await engine.turn();
  }
  await engine.giveBack();
  return id;
}

/** Calls that passed and that were refused, and others that an old gateway decided. */
async function filledUse(
  desk: TestDesk,
  keys: readonly { RawKey: string }[],
): Promise<void> {
  const asked = async (path: string, body: object) => await call(desk, "POST", path, body);
  for (const { RawKey: key } of keys) {
    await asked("/v1/keys/verify", { key, api_id: "weather" });
    await asked("/v1/keys/verify", { key, api_id: "of-nobody" });
    await asked("/v1/keys/shadow", { key, api_id: "of-nobody" });
    await asked("/v1/keys/shadow", { key, api_id: "weather" });
    const { receipt } = await asked("/v1/keys/shadow", { key, api_id: "of-nobody" });
    if (receipt !== "") await asked("/v1/keys/shadow/allowed", { receipt });
  }
  await desk.app.ctx.shadowCalls.flush();
  await desk.app.ctx.verifier.writeUses();
}

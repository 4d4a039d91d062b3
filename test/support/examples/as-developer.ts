import assert from "node:assert/strict";
import { exampleApi, exampleIds } from "../../../src/contract/example-ids.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { codesOf, signIn as signInDeveloper } from "../developers.ts";
import {
  exampleCode,
  exampleTicket,
} from "../../../src/features/portal/access/sign-in.contract.ts";
import { call } from "../people.ts";
import { caller, newKey, offerOf, type Stage } from "./stage.ts";

/** At a host of the stage's own, with a developer's session unless the example signs in. */
export async function asDeveloper(
  stage: Stage,
  { operationId }: { operationId: string },
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

/** Makes what an example names so that it is the developer's who calls, or offered to them. */
export async function makeOwn(stage: Stage, text: string): Promise<void> {
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

import assert from "node:assert/strict";
import { exampleApi, exampleIds, exampleSince } from "../../../src/contract/example-ids.ts";
import { appendAll } from "../../../src/maintenance/audit-log/appender.ts";
import { signInExample } from "../../../src/features/people/sessions.operations.ts";
import { issueToken } from "../../../src/features/keys/oauth.operations.ts";
import { exampleRenewal } from "../../../src/features/certificates/v1.operations.ts";
import { made } from "../certificates.ts";
import type { TestDesk } from "../desk.ts";
import { fileReports } from "../../../src/features/hygiene/leaks/leaks.transactions.ts";
import { workOff } from "../leaks.ts";
import { exampleLogoutToken as ofDevelopers } from "../../../src/features/portal/access/provider-logout.operations.ts";
import { exampleSecret } from "../../../src/features/people/one-time-codes.operations.ts";
import { examplePasskey } from "../../../src/features/people/passkeys.operations.ts";
import { Authenticator } from "../authenticator.ts";
import { beginCodes, codeNow, setUpCodes } from "../one-time-codes.ts";
import { HOST, passkeyChallenge, SITE } from "../passkeys.ts";
import {
  exampleAnswer,
  exampleLogoutToken,
} from "../../../src/features/people/identity-providers/provider-sign-in.operations.ts";
import { begin, reach, TERMS } from "../identity-provider.ts";
import { oauthClientOf } from "../oauth.ts";
import { awaitLoss } from "../learning.ts";
import { call } from "../people.ts";
import { addCode, bySession, callInPerson, cookieOf, signIn } from "../sign-in.ts";
import {
  ADA,
  caller,
  GATEWAY,
  GRACE,
  offerOf,
  other,
  PEOPLE,
  type Stage,
  standInOf,
  WORDS,
} from "./stage.ts";
import { asDeveloper } from "./as-developer.ts";

/** What some operations need besides: a state of what they name, or headers. */
export const states: Readonly<
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

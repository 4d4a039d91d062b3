import { exampleApi, exampleIds, exampleKey } from "../../../src/contract/example-ids.ts";
import { exampleToken } from "../../../src/features/keys/one-time-links/one-time-links.operations.ts";
import { exampleNonce } from "../../../src/features/accounts/sso.operations.ts";
import { exampleEmailToken } from "../../../src/features/portal/emails/developer-emails.operations.ts";
import { offerToken } from "../../../src/features/key-requests/offer-link.ts";
import { exampleOfferToken } from "../../../src/features/key-requests/offer-links.operations.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { made } from "../certificates.ts";
import type { TestDesk } from "../desk.ts";
import { emailTokenOf } from "../email-links.ts";
import { makeKnown } from "../known-parties.ts";
import { smallRequest } from "../key-requests.ts";
import { tokenOf } from "../v1-requests.ts";
import { exampleInvitation } from "../../../src/features/sign-in/invitations.operations.ts";
import { addPasskey } from "../passkeys.ts";
import { noteCanary } from "../../../src/features/gateways/settle-key.transactions.ts";
import { link, TERMS } from "../identity-provider.ts";
import { oauthClientOf } from "../oauth.ts";
import { call } from "../people.ts";
import { engineOf } from "../receiver.ts";
import { bySession, callInPerson, signIn } from "../sign-in.ts";
import { written } from "../usage.ts";
import {
  ADA,
  GATEWAY,
  GRACE,
  newKey,
  offerOf,
  PEOPLE,
  type Stage,
  standInOf,
  WORDS,
} from "./stage.ts";

/** What examples name, each after what it is made of. */
export function nameable(stage: Stage): { named: string; make: () => Promise<string> }[] {
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

const CHANNEL = { name: "Portal", url: "http://127.0.0.1:9/hook", topics: ["key_request.*"] };

const INVITED = { ...GRACE, email: "grace@example.org" };

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

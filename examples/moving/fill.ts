/**
 * Fills the stand-in: ordinary developers with requests and keys of every form, and beside them one
 * example of each difference that `keydesk import tyk report` can find there. The shapes are those
 * of the vendor's public documents.
 */
import { createHash } from "node:crypto";
import { makeCertificate } from "./certificates.ts";
import { clientRecord, type Members, type Plan } from "./gateway.ts";
import { type Hashing, type HashName, legacyKey, rawKey } from "./keys.ts";
import {
  type Certificate,
  type Developer,
  newDeveloper,
  newRequest,
  Original,
} from "./original.ts";

/** The organisation that moves. */
export const ORG = "5e9d9544a1dcd60001d0ed20";
const ANOTHER = "0".repeat(24);

/** The ids of what is filled in. */
export const ids = {
  plan: (n: number) => idOf("aa", n),
  developer: (n: number) => idOf("bb", n),
  request: (n: number) => idOf("cc", n),
  documentation: idOf("dd", 1),
  /** Of a plan that keys name and nobody knows. */
  unknownPlan: idOf("aa", 99),
  /** Of a developer with a trait of its own. */
  odd: (n: number) => idOf("bd", n),
};

/** The bcrypt hash of "correct horse", of cost 4. */
const BCRYPT = "$2b$04$nPbW0839yRM.oZkvky0IEuY1g.Odt/IPjeUXmQTQw2R2Cun89VlKS";
const MADE = "2019-03-04T05:06:07.089Z";
const WEATHER = "weather";
/** A key that somebody chose. */
export const CHOSEN_KEY = "chosen-by-hand-in-2019";
/** Another one, which is so short that it may be guessed, of the time before keys were hashed. */
const SHORT_KEY = "k2019";

/**
 * An organisation with so many ordinary developers, each with a key that opens the API `weather`.
 * `hashing`: the setting of its gateway, which decides of chosen keys and user names; the others
 * say themselves how they are hashed.
 */
export async function filled(developers: number, hashing?: Hashing): Promise<Original> {
  const original = new Original(ORG, hashing);
  fillPortal(original);
  for (let n = 0; n < developers; n++) await addOrdinary(original, n);
  await addOddKeys(original);
  addOddDevelopers(original);
  addClients(original);
  addCertificates(original);
  addAnothers(original);
  return original;
}

function fillPortal(original: Original): void {
  const { plans, org_id, gateway } = original;
  gateway.apis.push({ api_id: WEATHER, org_id, use_oauth2: false });
  gateway.apis.push({ api_id: "climate", org_id, use_oauth2: true });
  plans.push(planOf(1, "plan-weather", "Weather"), planOf(2, "plan-climate", "Climate"));
  // Two plans of one name, and two of one id.
  plans.push(
    planOf(3, "plan-weather-old", "Weather"),
    planOf(4, "plan-climate", "Climate, copied"),
  );
  original.configuration = {
    id: idOf("ee", 1),
    org_id,
    signup_fields: ["Name"],
    key_request_fields: ["usecase"],
    require_key_approval: true,
    HashKeys: true,
  };
  const entry = { show: true, version: "v2", config: {}, fields: {} };
  original.catalogue = {
    id: idOf("dc", 1),
    org_id,
    email: "api@example.org",
    apis: [
      {
        ...entry,
        name: "Weather",
        api_id: WEATHER,
        policy_id: ids.plan(1),
        documentation: ids.documentation,
        auth_type: "authToken",
      },
      {
        ...entry,
        name: "Climate",
        api_id: "climate",
        policy_id: ids.plan(2),
        documentation: "",
        auth_type: "oauth",
      },
    ],
  };
  original.documentation.push({
    id: ids.documentation,
    org_id,
    api_id: "",
    doc_type: "swagger",
    documentation: btoa(`{"openapi":"3.0.3"}`),
  });
}

function planOf(n: number, id: string, name: string): Plan {
  const api_id = n % 2 === 1 ? WEATHER : "climate";
  return {
    _id: ids.plan(n),
    id,
    name,
    org_id: ORG,
    active: true,
    is_inactive: false,
    rate: 1000,
    per: 1,
    quota_max: 1_000_000,
    quota_renewal_rate: 3600,
    key_expires_in: 0,
    access_rights: { [api_id]: { api_id, api_name: name, versions: ["Default"] } },
    tags: [],
    partitions: { quota: false, rate_limit: false, acl: false, complexity: false },
    hmac_enabled: false,
    meta_data: {},
  };
}

/** The forms of keys of ten developers, one after the other. */
const FORMS: readonly (HashName | "legacy")[] = [
  "sha256",
  "sha256",
  "sha256",
  "legacy",
  "sha256",
  "murmur64",
  "sha256",
  "murmur128",
  "sha256",
  "sha256",
];

async function addOrdinary(original: Original, n: number): Promise<void> {
  const { org_id, requests } = original;
  const id = ids.developer(n);
  const developer = personOf(id, `dev-${n}@example.org`);
  original.developers.push({ ...developer, fields: { Name: `Developer ${n}` } });
  for (const [i, approved] of [true, false].entries()) {
    const date_created = new Date(Date.UTC(2020, 0, 1) + n * 1000 + i).toISOString();
    const names = { by_user: id, for_plan: ids.plan(1), date_created };
    const request = newRequest(org_id, ids.request(2 * n + i), names);
    requests.push({ ...request, fields: { usecase: `Case ${n}` }, approved });
  }
  const inner = innerId(`ordinary ${n}`);
  const form = FORMS[n % FORMS.length] ?? "sha256";
  const key = form === "legacy" ? legacyKey(org_id, inner) : rawKey(org_id, inner, form);
  const name = await original.issue(key, id, [ids.plan(1)]);
  Object.assign(original.gateway.session(name) ?? {}, { alias: `App ${n}`, tags: ["mobile"] });
  original.holders.push({ key, api_id: WEATHER, developer_id: id });
}

/** Keys with a trait each; those that open something there have a holder. */
async function addOddKeys(original: Original): Promise<void> {
  const { org_id, gateway, developers } = original;
  const { records } = gateway;
  const owner = personOf(ids.odd(1), "keys@example.org");
  developers.push(owner);
  const [plan, another] = [ids.plan(1), ids.plan(2)];
  const add = async (
    name: string,
    changes: Members,
    { plans = [plan], mapped = [plan], isHeld = true }: {
      plans?: string[];
      mapped?: string[] | null;
      isHeld?: boolean;
    } = {},
  ) => {
    const key = rawKey(org_id, innerId(name), "sha256");
    const own = await gateway.nameOf(key);
    const session = { ...gateway.newSession(mapped ? owner.id : "", plans), ...changes };
    records.set(`apikey-${own}`, session);
    if (mapped) owner.keys[own] = mapped;
    if (isHeld && (await gateway.open(key, WEATHER)).status === 200) {
      original.holders.push({ key, api_id: WEATHER, developer_id: mapped ? owner.id : "" });
    }
    return { key, own };
  };
  await add("without owner", {}, { mapped: null });
  await add("without plans", {
    access_rights: { [WEATHER]: { api_id: WEATHER, versions: ["Default"] } },
  }, { plans: [], mapped: [] });
  await add("other plans", {}, { mapped: [another] });
  await add("inactive beside plans", { is_inactive: true });
  await add("a plan that nobody knows", {}, { plans: [plan, ids.unknownPlan] });
  await add("ended long ago", { expires: 1 });
  await add("token of a client", { oauth_client_id: "client-one" }, {
    mapped: null,
    isHeld: false,
  });
  await add("signs its calls", { hmac_enabled: true, hmac_string: "what it signs with" }, {
    isHeld: false,
  });
  // Known to the developer's map alone.
  const lost = await add("not in the gateway", {}, { isHeld: false });
  records.delete(`apikey-${lost.own}`);
  // Of the time before keys were hashed: the key itself names it, there and in the developer's map.
  const { key, own } = await add("never hashed", {}, { mapped: null });
  const session = { ...gateway.session(own), meta_data: { tyk_developer_id: owner.id } };
  records.delete(`apikey-${own}`);
  records.set(`apikey-${key}`, session);
  owner.keys[key] = [plan];
  // A user name, which its password opens, and a text that somebody chose as a key.
  owner.keys[await gateway.addUser("ada", "correct horse", owner.id, [plan])] = [plan];
  const chosen = await gateway.add(CHOSEN_KEY, gateway.newSession(owner.id, [plan]));
  owner.keys[chosen.name] = [plan];
  // 32 bits are not taken.
  if (gateway.hashing !== "murmur32") {
    original.holders.push({ key: CHOSEN_KEY, api_id: WEATHER, developer_id: owner.id });
  }
  records.set(`apikey-${org_id}${SHORT_KEY}`, gateway.newSession(owner.id, [plan]));
}

/** Developers with a trait each. */
function addOddDevelopers(original: Original): void {
  const add = (n: number, email: string, changes: Members) =>
    original.developers.push({ ...personOf(ids.odd(n), email), ...changes });
  add(2, "DEV-0@example.org", {});
  add(3, "sso-one@example.org", { sso_key: "the same" });
  add(4, "sso-two@example.org", { sso_key: "the same" });
  add(5, "no-password@example.org", { password: "" });
  add(6, "old-password@example.org", { password: "sha1:2fd4e1c67a2d28fced849ee1bb76e7391b93eb12" });
  add(7, "wrong-member@example.org", { fields: "none" });
  add(8, "text@example.org", { fields: { note: "a\0b" } });
  original.developers.push(personOf("", "no-id@example.org"));
}

function addClients({ developers, gateway }: Original): void {
  const owner = personOf(ids.odd(9), "clients@example.org");
  const [plan] = [ids.plan(2)];
  const client = (client_id: string, secret: string) => ({
    client_id,
    secret,
    redirect_uri: "https://app.example.org/cb",
    app_description: "",
    use_case: "",
    date_created: MADE,
  });
  owner.oauth_clients = {
    [plan]: [client("client-one", "secret-of-client-one"), client("client-without-secret", "")],
  };
  developers.push(owner);
  // One that came with its developer, and one that the gateway alone knows.
  for (const id of ["client-one", "client-two"]) {
    gateway.records.set(clientRecord("climate", id), {
      id,
      secret: `secret-of-${id}`,
      policyid: plan,
      redirecturi: "https://app.example.org/cb",
    });
  }
}

function addCertificates({ org_id, certificates, gateway: { records } }: Original): void {
  certificates.push(...made ??= makeCertificates(org_id));
  for (const { basics, pem } of certificates) records.set(`cert-raw-${basics.id}`, pem);
  records.set(
    `cert-raw-${org_id}${"2".repeat(64)}`,
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  );
}

/** Their keys take seconds to make, so it is done once. */
let made: Certificate[] | undefined;

function makeCertificates(org_id: string): Certificate[] {
  // An id that is not that of its text, and a text that is no certificate.
  const renamed = makeCertificate(org_id, "renamed.example.org", { withKey: false });
  return [
    makeCertificate(org_id, "mutual.example.org", { withKey: true }),
    makeCertificate(org_id, "upstream.example.org", { withKey: false }),
    { ...renamed, basics: { ...renamed.basics, id: org_id + "1".repeat(64) } },
  ];
}

/** What another organisation has in the same places; nothing of it moves. */
function addAnothers({ plans, developers, gateway: { records } }: Original): void {
  plans.push({ ...planOf(90, "another", "Another's"), org_id: ANOTHER });
  developers.push(newDeveloper(ANOTHER, ids.odd(90), "another@example.org"));
  records.set(`apikey-${"9".repeat(64)}`, { org_id: ANOTHER, apply_policies: [ids.plan(90)] });
}

function personOf(id: string, email: string): Developer {
  return { ...newDeveloper(ORG, id, email), password: BCRYPT, date_created: MADE };
}

function idOf(kind: string, n: number): string {
  return `5f00${kind}${n.toString(16).padStart(18, "0")}`;
}

/** 32 hexadecimal digits that are the same at each start. */
function innerId(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 32);
}

/**
 * Every member of a session at every place where one is read, compared or written back: absent,
 * null and zero are one, since the gateway leaves out what is zero.
 */
import assert from "node:assert/strict";
import { Gateway, type Members } from "../../../examples/moving/gateway.ts";
import { atGateway, GATEWAY_SECRET } from "../../../examples/moving/gateway-interface.ts";
import { nobodysId } from "../../../src/features/developers/nobodys-id.ts";
import { TykCalls } from "../../../src/features/gateways/tyk/tyk-calls.ts";
import { TykGateway } from "../../../src/features/gateways/tyk/tyk-gateway.ts";
import { labelsIn } from "../../../src/features/gateways/tyk/tyk-labels.ts";
import { readPolicies } from "../../../src/features/gateways/tyk/tyk-policies.ts";
import { differencesOf } from "../../../src/features/gateways/tyk/tyk-terms.ts";
import { sessionKeyOf } from "../../../src/features/migration/lazy-migration/session-key.ts";
import { saidThere } from "../../../src/features/migration/lazy-migration/gateway-answers.ts";
import { sha256 } from "../../../src/kernel/sha256.ts";
import { Owners } from "../../../src/maintenance/import/owners.ts";
import { readKey } from "../../../src/maintenance/import/read-key.ts";
import { documentOfRecord } from "../../../src/maintenance/import/redis-records.ts";
import { session as sessionOut } from "../../../src/maintenance/export/original-shapes.ts";

const ORG = "5e9d9544a1dcd60001d0ed20";
const NAME = sha256("a key");
const NOW = Date.UTC(2026, 10, 29);
const LATER = Math.floor(NOW / 1000) + 3600;

/** What is zero of each member, and something else. */
const MEMBERS: Readonly<Record<string, readonly [zero: unknown, set: unknown]>> = {
  access_rights: [{}, { weather: { api_id: "weather", versions: ["Default"] } }],
  alias: ["", "a name"],
  allowance: [0, 7],
  apply_policies: [[], ["second"]],
  apply_policy_id: ["", "second"],
  basic_auth_data: [{ password: "", hash_type: "" }, { hash_type: "bcrypt" }],
  certificate: ["", `${ORG}aa`],
  data_expires: [0, LATER],
  date_created: ["0001-01-01T00:00:00Z", "2020-05-01T00:00:00Z"],
  enable_detailed_recording: [false, true],
  enable_http_signature_validation: [false, true],
  expires: [0, LATER],
  hmac_enabled: [false, true],
  hmac_string: ["", "s"],
  id_extractor_deadline: [0, LATER],
  is_inactive: [false, true],
  jwt_data: [{ secret: "" }, { secret: "s" }],
  last_check: [0, 5],
  last_updated: ["", "1795903621"],
  max_query_depth: [0, 4],
  meta_data: [{}, { tyk_developer_id: "dev-ada", other: "1" }],
  monitor: [{ trigger_limits: null }, { trigger_limits: [80] }],
  mtls_static_certificate_bindings: [[], ["aa"]],
  oauth_client_id: ["", "client"],
  oauth_keys: [{}, { a: "b" }],
  org_id: ["", ORG],
  per: [0, 60],
  quota_max: [0, 10],
  quota_remaining: [0, 3],
  quota_renewal_rate: [0, 3600],
  quota_renews: [0, LATER - 60],
  rate: [0, 5],
  rsa_certificate_id: ["", "aa"],
  session_lifetime: [0, 60],
  smoothing: [{}, { enabled: true }],
  tags: [[], ["a", "b"]],
  throttle_interval: [0, 2],
  throttle_retry_limit: [0, 2],
};

/** A session that has every member beside the one that is looked at. */
const BASE: Members = { org_id: ORG, apply_policies: ["first"] };

const POLICIES = readPolicies(
  ["first", "second"].map((id) => ({
    id,
    active: true,
    access_rights: { weather: { api_id: "weather" } },
  })),
);

/** A place, with what it makes of a session. */
type Place = (session: Members) => unknown;

const by = {
  org_id: ORG,
  now: NOW,
  murmurUntil: null,
  passphrase: undefined,
  hasSessions: true,
  authTypes: new Map<string, string>(),
};

function taken(members: Members): unknown {
  const { items, findings, dropped } = readKey(members, by, new Owners());
  return { items, findings, dropped };
}

const PLACES: Readonly<Record<string, Place>> = {
  "import by the interface": (session) => taken({ name: NAME, session }),
  "import by Redis": (session) => {
    const record = documentOfRecord("key", `apikey-${NAME}`, JSON.stringify(session));
    assert.ok(typeof record !== "string");
    return taken({ ...record, used: 4 });
  },
  "lazy migration": (session) => [
    sessionKeyOf(session, { org_id: ORG, policies: POLICIES, now: NOW }),
    labelsIn(session, "a key"),
  ],
  "watched": (session) => saidThere(session, { policies: POLICIES, org_id: ORG, now: NOW }),
  "compared": (session) =>
    differencesOf(
      session,
      {
        apply_policies: ["first"],
        expires: 0,
        rate: 0,
        per: -1,
        quota_max: 0,
        quota_renewal_rate: -1,
      },
      false,
    ),
};

/** Members that say something at a place beside those of BASE; others are no matter there. */
const SAYS: Readonly<Record<string, readonly string[]>> = {
  "import by the interface": [
    "alias",
    "apply_policies",
    "basic_auth_data",
    "certificate",
    "data_expires",
    "date_created",
    "enable_detailed_recording",
    "enable_http_signature_validation",
    "expires",
    "hmac_enabled",
    "hmac_string",
    "id_extractor_deadline",
    "is_inactive",
    "jwt_data",
    "max_query_depth",
    "meta_data",
    "monitor",
    "mtls_static_certificate_bindings",
    "oauth_client_id",
    "oauth_keys",
    "rsa_certificate_id",
    "session_lifetime",
    "smoothing",
    "tags",
  ],
  "compared": ["apply_policies", "expires", "per", "quota_max", "quota_renewal_rate", "rate"],
};

Deno.test("sessions: of each member absent, null and zero are one, at each place", () => {
  for (const [name, [zero, set]] of Object.entries(MEMBERS)) {
    for (const [place, of] of Object.entries(PLACES)) {
      const { [name]: _, ...absent } = BASE;
      const expected = of(absent);
      assert.deepEqual(of({ ...absent, [name]: zero }), expected, `${place}: ${name} is zero`);
      assert.deepEqual(of({ ...absent, [name]: null }), expected, `${place}: ${name} is null`);
      const says = SAYS[place];
      if (!says || name === "org_id") continue;
      const isSaid = JSON.stringify(of({ ...BASE, [name]: set })) !== JSON.stringify(of(BASE));
      assert.equal(isSaid, says.includes(name), `${place}: ${name} is set`);
    }
  }
});

Deno.test("sessions: a quota that runs is read whole, whichever of its members is left out", () => {
  const running = { quota_max: 10, quota_renewal_rate: 3600, quota_renews: LATER - 60 };
  const place = PLACES["import by the interface"] ?? assert.fail();
  const used = (more: Members) => {
    const { items } = place({ ...BASE, ...running, ...more }) as {
      items: { quota: { used: number } | null }[];
    };
    return items[0]?.quota?.used;
  };
  for (const left of [{}, { quota_remaining: 0 }, { quota_remaining: null }]) {
    assert.equal(used(left), 10, JSON.stringify(left));
  }
  assert.equal(used({ quota_remaining: 4 }), 6);
  for (const name of Object.keys(running)) {
    for (const zero of [undefined, null, 0]) assert.equal(used({ [name]: zero }), undefined, name);
  }
});

Deno.test("sessions: what is put back keeps every member, and differs in none", async () => {
  for (const [name, [zero, set]] of Object.entries(MEMBERS)) {
    if (["apply_policies", "apply_policy_id", "org_id", "expires"].includes(name)) continue;
    for (const value of [undefined, null, zero, set]) {
      const gateway = new Gateway(ORG);
      for (const id of ["first", "second"]) {
        const rights = { access_rights: { weather: { api_id: "weather" } } };
        const limits = { active: true, quota_max: -1, quota_renewal_rate: -1, ...rights };
        gateway.plans.push({ _id: id, id, org_id: ORG, ...limits });
      }
      // One that says no time gets one there.
      if (name === "date_created" && value !== set) continue;
      const dated = { ...BASE, date_created: "2020-05-01T00:00:00Z" };
      const before = { ...dated, ...value === undefined ? {} : { [name]: value } };
      gateway.records.set(`apikey-${NAME}`, before);
      const shown = gateway.shown(NAME);
      const calls = new TykCalls(outboundTo(gateway), {
        url: "http://gateway",
        secret: GATEWAY_SECRET,
      });
      const kind = new TykGateway(calls, ORG);
      await kind.open("");
      const key = { ...KEY, remote_id: NAME };
      const wanted = { is: "open", plans: [["first"]], expires: 0, limits: null } as const;
      await kind.bring(key, wanted);
      assert.equal(await kind.compare(key, wanted), "", `${name}: ${JSON.stringify(value)}`);
      assert.deepEqual(
        ownOf(gateway.shown(NAME)),
        ownOf(shown),
        `${name}: ${JSON.stringify(value)}`,
      );
    }
  }
});

/** A session without what its plans say, and without when it was written. */
function ownOf(session: Members = {}): Members {
  const others = [
    "last_updated",
    "access_rights",
    "rate",
    "per",
    "quota_max",
    "quota_renewal_rate",
  ];
  return Object.fromEntries(Object.entries(session).filter(([name]) => !others.includes(name)));
}

const KEY = {
  key_id: NAME,
  kind: "token",
  developer_id: "",
  name: "",
  hash: "",
  secret: undefined,
} as const;

function outboundTo(gateway: Gateway): ConstructorParameters<typeof TykCalls>[0] {
  return {
    send: async ({ url, method, headers, body }) => {
      const init = { method, headers, ...body === undefined ? {} : { body } };
      const answer = await atGateway(gateway, new Request(url, init as RequestInit));
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: text } as never;
    },
  };
}

Deno.test("sessions: what is exported says the same as what came, with or without zeros", () => {
  const row = {
    org_id: ORG,
    key_id: NAME,
    state: "active",
    plans: '["first"]',
    developer_id: nobodysId(ORG),
    name: null,
    tags: null,
    issued_at: "2026-01-01T00:00:00.000Z",
    expires_at: null,
  };
  const plans = new Map();
  const out = sessionOut(ORG, row, { plans, quota: undefined, now: NOW });
  const thin = Object.fromEntries(
    Object.entries(out).filter(([, value]) =>
      typeof value === "object" ? Object.keys(Object(value)).length > 0 : Boolean(value)
    ),
  );
  for (const [place, of] of Object.entries(PLACES)) assert.deepEqual(of(thin), of(out), place);
});

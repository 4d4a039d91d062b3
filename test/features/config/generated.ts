/** Generated declarations of an organisation, for tests of what every one of them keeps. */
import fc from "fast-check";
import { permissions } from "../../../src/contract/permissions.ts";

/** The people of the organisations to which declarations are applied. */
export const PEOPLE = ["Ada", "Grace", "Mary"];

type Declaration = Record<string, unknown>;

const name = (what: string) => fc.integer({ min: 1, max: 9 }).map((n) => `${what} ${n}`);
const optional = <T>(member: string, value: fc.Arbitrary<T>) =>
  fc.option(value, { nil: undefined }).map((one) => one === undefined ? {} : { [member]: one });
const all = (...parts: fc.Arbitrary<object>[]): fc.Arbitrary<Declaration> =>
  fc.tuple(...parts).map((members) => Object.assign({}, ...members));
const some = <T>(of: readonly T[]) => fc.subarray([...of]);

/** Things whose `by` differ. */
const list = (one: fc.Arbitrary<Declaration>, by: string, maxLength = 5) =>
  fc.uniqueArray(one, { maxLength, selector: (item) => item[by] });

const seconds = fc.integer({ min: 1, max: 86_400 });
const questions = list(
  fc.record({ name: name("question"), required: fc.boolean() }),
  "name",
  3,
);
const APIS = ["tides", "winds", "ships", "ports"];

const plan = all(
  fc.record({ name: name("Plan") }),
  optional("active", fc.boolean()),
  fc.option(fc.record({ rate: fc.integer({ min: 1, max: 1000 }), per: seconds }), { nil: {} }),
  optional("quota_max", fc.integer({ min: -1, max: 1_000_000 })),
  optional("quota_renewal_rate", fc.integer({ min: -1, max: 1_000_000 })),
  optional("key_expires_in", fc.integer({ min: -1, max: 1_000_000 })),
  optional("tags", some(["paid", "new", "ünlike"])),
  optional("auth_type", fc.constantFrom("authToken", "basic", "oauth")),
  optional("when_leaked", fc.constantFrom("notify", "suspend", "revoke")),
  optional("expiry_applies_to", fc.constantFrom("key", "access")),
  optional("max_keys_per_developer", fc.integer({ min: 0, max: 100 })),
  optional("price_text", fc.constantFrom("", "Free", "20 € a month")),
  optional(
    "access_rights",
    some(APIS).map((ids) =>
      Object.fromEntries(ids.map((api_id) => [api_id, { api_id, versions: ["Default"] }]))
    ),
  ),
  optional(
    "extra",
    fc.constantFrom({ ours: 1 }, { ours: null, more: "text" }, { any: [1, null, { of: "them" }] }),
  ),
);

const api = (plans: readonly string[]) =>
  all(
    fc.record({ id: fc.constantFrom(...APIS), name: name("API"), plans: some(plans) }),
    optional("short_description", fc.constantFrom("", "By the hour")),
    optional("long_description", fc.constantFrom("", "Two\nlines")),
    optional("version", fc.constantFrom("", "v2")),
    optional("base_url", fc.constantFrom("", "https://api.example.org")),
    optional("show", fc.boolean()),
    optional("visibility", fc.constantFrom("public", "signed_in", "invited")),
    optional("invited", some(["example.org", "ada@example.com"])),
    optional("invited_tags", some(["beta", "partner"])),
    optional(
      "document",
      fc.record({ type: fc.constantFrom("swagger", "openapi"), text: fc.string() }),
    ),
  );

const policy = fc.oneof(
  fc.record({ outcome: fc.constantFrom("catalogue", "at_once", "one") }),
  fc.record({
    outcome: fc.constant("steps"),
    steps: fc.array(
      all(
        fc.record({ name: name("Step"), need: fc.constant(1) }),
        fc.constantFrom({}, { role: "approver" }, { people: ["Ada"] }),
      ),
      { minLength: 1, maxLength: 1 },
    ),
  }),
).chain((outcome) =>
  fc.record({
    not_by_filer: fc.boolean(),
    expires_after_days: fc.option(fc.integer({ min: 10, max: 365 })),
  }).map((more) => ({ ...outcome, ...more }))
);

const ofPlans = (plans: readonly string[], one: fc.Arbitrary<object>) =>
  some(plans).chain((chosen) =>
    fc.tuple(...chosen.map((plan) => one.map((members) => ({ plan, ...members }))))
  );

const rule = all(
  fc.record({ action: fc.constantFrom("off", "warn", "suspend", "revoke") }),
  optional("after_days", fc.integer({ min: 30, max: 300 })),
  optional("imported", fc.boolean()),
);

const channel = all(
  fc.record({
    name: name("Channel"),
    url: fc.constantFrom("https://hooks.example.org/a", "https://Hooks.example.org:443/b?c=d"),
  }),
  optional("template", fc.constantFrom("standard", "slack", "teams", "discord")),
  optional("topics", fc.subarray(["key.*", "plan.*", "key.revoked"], { minLength: 1 })),
);

const gateway = (plans: readonly string[]) =>
  fc.oneof(
    all(
      fc.record({ connection: fc.constant("checks"), name: fc.constantFrom("edge-1", "edge-2") }),
      optional("kind", fc.constantFrom("nginx", "caddy")),
      optional("silent_minutes", fc.integer({ min: 0, max: 100 })),
    ),
    all(
      fc.record({
        connection: fc.constant("synced"),
        name: name("Gateway"),
        url: fc.constantFrom("https://a.example.org", "https://b.example.org/x"),
        secret: fc.constantFrom("${env:ONE}", "${file:/run/two}"),
      }),
      optional("plans", fc.option(some(plans))),
      optional("calls_per_second", fc.option(fc.integer({ min: 1, max: 100 }))),
      optional("policies", fc.constantFrom("compare", "write")),
      optional("certificates", fc.boolean()),
    ),
  );

const KNOWN = permissions.filter((one) => !["operator", "metrics", "act:developer"].includes(one));

const role = fc.record({
  name: name("Role"),
  permissions: fc.subarray(KNOWN, { minLength: 1 }),
});

const settings = all(
  optional(
    "branding",
    all(optional("name", name("Brand")), optional("colour", fc.constant("#0f6b5c"))),
  ),
  optional(
    "portal",
    all(
      optional("enabled", fc.boolean()),
      optional("sign_up", fc.constantFrom("closed", "invitation", "domains", "open")),
      optional("mail_domains", some(["example.org", "example.com"])),
      optional("passwords", fc.boolean()),
    ),
  ),
  optional(
    "portal_questions",
    fc.record({ sign_up_fields: questions, key_request_fields: questions }),
  ),
  optional(
    "alerts",
    fc.record({
      days: fc.uniqueArray(fc.integer({ min: 1, max: 90 }), { maxLength: 4 }),
      at_end: fc.boolean(),
    }),
  ),
);

const temporaryAccess = all(
  fc.record({
    name: name("Rule"),
    people: fc.subarray(PEOPLE, { minLength: 1 }),
    role: fc.constantFrom("approver", "auditor"),
    minutes: fc.integer({ min: 1, max: 60 }),
    proof: fc.constant("passkey"),
  }),
  optional("receivers", some(PEOPLE)),
);

const asking = all(
  optional("approval", fc.constantFrom("manual", "automatic")),
  optional("key_request_fields", questions),
);

/** The values of the references of generated declarations. */
export const REFERENCES = { "env:ONE": "first-secret", "file:/run/two": "second-secret" };

/** Any declaration that can be applied to an empty organisation. */
export const declarations: fc.Arbitrary<Declaration> = fc.record({
  plans: list(plan, "name"),
  roles: list(role, "name", 3),
}).chain(({ plans, roles }) => {
  const names = plans.map((one) => String(one.name));
  return fc.tuple(
    settings,
    fc.record({
      apis: list(api(names), "id", 4),
      approval_policies: ofPlans(names, policy),
      unused_key_rules: ofPlans(names, rule),
      channels: fc.array(channel, { maxLength: 3 }),
      gateways: list(gateway(names), "name", 3),
      temporary_access_rules: list(temporaryAccess, "name", 2),
    }),
    asking,
  ).map(([single, lists, asked]) => {
    // Only a plan that an API offers has its own way to decide requests.
    const offered = new Set(lists.apis.flatMap(({ plans }) => plans));
    const all = plans.map((one) => offered.has(one.name) ? { ...one, ...asked } : one);
    return { ...single, plans: all, roles, ...lists };
  });
});

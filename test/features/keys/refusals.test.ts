/** What the endpoints of keys refuse, on both interfaces. */
import { DEVELOPERS } from "../../support/companions.ts";
import {
  addPlan,
  call,
  issue,
  KEYS,
  listKeys,
  movableClock,
  planRecords,
  readKey,
} from "../../support/keys.ts";
import { absent, denied, invalid, testRefusals } from "../../support/refusals.ts";
import { storedCredentials } from "../../support/stored.ts";

const number = "limit: expected a number from 1 to 100";
const cursor = "cursor: expected the next_cursor of the same list";
/** Queries that the list refuses. */
const queries: [query: string, error: string][] = [
  ["limit=0", number],
  ["limit=101", number],
  ["limit=x", number],
  ["limit=-1", number],
  ["state=gone", "state: expected active or suspended or revoked or expired"],
  ["developer=", "developer: must not be empty"],
  ["cursor=x", cursor],
  ["cursor=", cursor],
  [`cursor=${btoa("[1]")}`, cursor],
  [`cursor=${btoa(JSON.stringify(["newest", "a\0", "b"]))}`, cursor],
  ["q=%00", "q: must not hold NUL"],
  [`q=${"x".repeat(201)}`, "q: expected at most 200 characters"],
  ["q=%20", "q: must not be empty"],
];

/** Labels that are too long, too many, or can't be shown. */
const labels: [name: string, labels: Record<string, unknown>, error: string][] = [
  ["a name of 101", { name: "x".repeat(101) }, "name: expected at most 100 characters"],
  ["two lines of a name", { name: "a\nb" }, "name: must not hold control or format characters"],
  [
    "a name that turns others round",
    { name: "a\u202eb" },
    "name: must not hold control or format characters",
  ],
  ["half a letter", { name: "\ud800" }, "name: must not hold half a surrogate pair"],
  [
    "an environment of 51",
    { environment: "x".repeat(51) },
    "environment: expected at most 50 characters",
  ],
  ["a NUL in an environment", { environment: "a\u0000" }, "environment: must not hold NUL"],
  ["a note of 2001", { note: "x".repeat(2001) }, "note: expected at most 2000 characters"],
  [
    "a bell in a note",
    { note: "\u0007" },
    "note: must not hold control characters other than line breaks and tabs",
  ],
  [
    "eleven tags",
    { tags: Array.from({ length: 11 }, (_, i) => `t${i}`) },
    "tags: expected at most 10",
  ],
  ["a tag of 51", { tags: ["x".repeat(51)] }, "tags[0]: expected at most 50 characters"],
  ["a blank tag", { tags: [" "] }, "tags[0]: must not be empty"],
  [
    "a control character in a tag",
    { tags: ["a\u0001"] },
    "tags[0]: must not hold control characters",
  ],
  ["a text for tags", { tags: "payments" }, "tags: expected an array"],
];

testRefusals("keys", async (desk) => {
  const { key_id, RawKey } = await issue(desk);
  await issue(desk);
  await call(desk, "PUT", `${KEYS}/${key_id}/expiry`, { expires_at: "2099-01-01T00:00:00Z" });
  const { admin: other } = await desk.otherOrganisation();
  const { next_cursor } = await listKeys(desk, "?limit=1");
  const path = `${KEYS}/${key_id}`;
  const find = (key: unknown) => ["POST", `${KEYS}/find`, { key }] as const;
  const revoke = (body: unknown) => ["POST", `${path}/revoke`, body] as const;
  const rotate = (overlap_seconds?: number) =>
    ["POST", `${path}/rotate`, { overlap_seconds }] as const;
  const relabel = (id: string) => ["PUT", `${KEYS}/${id}/labels`, { name: "x" }] as const;
  const approving = ["portal:read", "portal:write", "plans", "audit"] as const;
  const rows = [
    ...queries.map(([query, error]) => invalid(query, ["GET", `${KEYS}?${query}`], error)),
    invalid(
      "a cursor of another filter",
      ["GET", `${KEYS}?cursor=${next_cursor}&state=expired`],
      cursor,
    ),
    ...labels.flatMap(([name, body, error]) => [
      invalid(`label: ${name}`, ["PUT", `${path}/labels`, body], error),
      invalid(
        `issue: ${name}`,
        ["POST", "/v1/developers/dev-ada/keys", { plans: ["plan-weather"], ...body }],
        error,
      ),
    ]),
    invalid(
      "label: a member of nobody's",
      ["PUT", `${path}/labels`, { nmae: "Checkout" }],
      'unknown member "nmae"; did you mean "name"?',
    ),
    invalid("find: nothing", find(undefined), "key: expected a string"),
    invalid("revoke: no reason", revoke({}), "reason: expected a string"),
    {
      name: "suspend: no body says what is missing",
      call: ["POST", `${path}/suspend`],
      code: "malformed_body",
      errors: ["body: there is none", "reason: expected a string"],
    } as const,
    invalid("revoke: a blank reason", revoke({ reason: " " }), "reason: must not be empty"),
    invalid(
      "revoke: a reason of 501",
      revoke({ reason: "x".repeat(501) }),
      "reason: expected at most 500 characters",
    ),
    invalid("rotate: an overlap of -1", rotate(-1), "overlap_seconds: expected at least 0"),
    invalid(
      "rotate: an overlap of more than thirty days",
      rotate(2592001),
      "overlap_seconds: expected at most 2592000",
    ),
    invalid("rotate: half a second", rotate(1.5), "overlap_seconds: expected an integer"),
    invalid("rotate: no overlap", rotate(), "overlap_seconds: expected a number"),
    invalid(
      "expiry: a misspelt member",
      ["PUT", `${path}/expiry`, { expire_at: "2098-01-01T00:00:00Z" }],
      'unknown member "expire_at"; did you mean "expires_at"?',
    ),
    ...["never-issued", key_id, key_id.slice(0, 32), key_id.slice(0, 16)].map((key) => ({
      ...absent(find(key)),
      name: `find ${key}`,
    })),
    { ...absent(find(RawKey), other), name: "find another organisation's" },
    absent(["GET", `${KEYS}/x`]),
    absent(["GET", `${KEYS}/${"e".repeat(64)}`]),
    {
      name: "a verb for a key",
      call: ["GET", `${KEYS}/find`],
      code: "method_not_allowed",
    } as const,
    absent(["PUT", `${path}/addresses`, { addresses: ["192.0.2.1"] }], other),
    denied(["PUT", `${path}/addresses`, { addresses: ["192.0.2.1"] }], ...approving),
    invalid(
      "addresses: none",
      ["PUT", `${path}/addresses`, { addresses: [] }],
      "addresses: expected at least 1",
    ),
    invalid(
      "addresses: what is no network",
      ["PUT", `${path}/addresses`, { addresses: ["192.0.2.0/33"] }],
      "addresses[0]: expected an address or a network such as 10.0.0.0/8",
    ),
    {
      name: "addresses: of a key that opens from all",
      call: ["PUT", `${path}/addresses`, { addresses: ["192.0.2.1"] }],
      code: "key_opens_from_all",
    } as const,
    absent(relabel(key_id), other),
    absent(relabel("0".repeat(64)), other),
    denied(relabel(key_id), ...approving),
    absent(["POST", "/v1/developers/nobody/keys", { plans: ["a"] }]),
    {
      name: "issued for a plan that nobody knows",
      call: ["POST", "/v1/developers/dev-ada/keys", { plans: ["plan-weather"] }],
      code: "unknown_plan",
      message: "There is no plan plan-weather: create it first.",
    } as const,
    absent(["POST", `/v1/key-requests/${"f".repeat(24)}/reissue`]),
  ];
  return { rows, unchanged: () => Promise.all([listKeys(desk), storedCredentials(desk)]) };
});

testRefusals("keys of a developer", async (desk) => {
  await addPlan(desk, "basic", {}, "basic");
  await addPlan(desk, "keyless", {}, "keyless");
  await addPlan(desk, "token");
  const { key_id } = await issue(desk, ["token"]);
  await issue(desk, ["token"], "dev-bob");
  const ada = `${DEVELOPERS}/dev-ada/keys`;
  const post = (apply_policies: unknown, path = ada) => ["POST", path, { apply_policies }] as const;
  const plans = (...plans: string[]) => ["PUT", `${KEYS}/${key_id}/plans`, { plans }] as const;
  const strangers = [
    `${DEVELOPERS}/dev-bob/keys/${key_id}`,
    `${ada}/${"f".repeat(64)}`,
    `${DEVELOPERS}/x/keys/${key_id}`,
  ];
  const rows = [
    ...["keys", "subscriptions"].flatMap((word) => [
      absent(post(["a"], `${DEVELOPERS}/nobody/${word}`)),
      denied(post(["a"], `${DEVELOPERS}/dev-ada/${word}`), "portal:write"),
    ]),
    invalid(
      "subscriptions that are shown and none that are asked for",
      ["POST", `${DEVELOPERS}/dev-ada/subscriptions`, { subscriptions: { token: key_id } }],
      "apply_policies: expected at least 1, or a policy_id",
    ),
    invalid("no plan", post([]), "apply_policies: expected at least 1, or a policy_id"),
    invalid("a text for plans", post("a"), "apply_policies: expected an array"),
    { name: "plans of two types", call: post(["a", "basic"]), code: "mixed_auth_types" },
    { name: "a key-less plan", call: post(["keyless"]), code: "keyless_plan" },
    ...strangers.flatMap((path) => [
      absent(["PUT", path, { apply_policies: ["b"] }]),
      absent(["DELETE", path], undefined, "not_found_for_deletion"),
    ]),
    denied(["PUT", `${ada}/${key_id}`, { apply_policies: ["a"] }], "portal:write"),
    denied(["DELETE", `${ada}/${key_id}`], "portal:write"),
    invalid("plans: none", plans(), "plans: expected at least 1"),
    { name: "plans: a key-less one", call: plans("token", "keyless"), code: "keyless_plan" },
    { name: "plans: of two types", call: plans("token", "basic"), code: "mixed_auth_types" },
    { name: "plans: of another type", call: plans("basic"), code: "wrong_auth_type" },
  ] as const;
  const unchanged = () => Promise.all([readKey(desk, key_id), storedCredentials(desk)]);
  return { rows, unchanged };
}, { extra: planRecords });

const clock = movableClock();

testRefusals("an end at issue", async (desk) => {
  await call(desk, "POST", "/v1/developers", { id: "dev-ada", email: "ada@example.org" });
  await call(desk, "POST", "/api/portal/policies", { id: "some plan", name: "Some plan" });
  const asked = { by_user: "dev-ada", for_plan: "some plan" };
  const { id } = await call<{ id: string }>(desk, "POST", "/v1/key-requests", asked);
  const approve = (body: unknown) => ["POST", `/v1/key-requests/${id}/approve`, body] as const;
  const over = "expires_at: expected a time to come";
  const text = "expires_at: expected an RFC 3339 time such as 2026-01-31T09:00:00Z";
  const ends: [at: unknown, error: string][] = [
    ["2026-03-01T00:00:00Z", over],
    ["2025-01-01T00:00:00Z", over],
    ["tomorrow", text],
    [4102444800, "expires_at: expected a string"],
  ];
  const rows = [
    ...ends.flatMap(([expires_at, error]) => [
      invalid(
        `issue: ${expires_at}`,
        ["POST", "/v1/developers/dev-ada/keys", { plans: ["some plan"], expires_at }],
        error,
      ),
      invalid(`approve: ${expires_at}`, approve({ expires_at }), error),
    ]),
    invalid(
      "approve: a member of nobody's",
      approve({ rate: "2030-01-01T00:00:00Z" }),
      'unknown member "rate"',
    ),
    invalid(
      "approve: a misspelt member",
      approve({ expires: "2030-01-01T00:00:00Z" }),
      'unknown member "expires"; did you mean "expires_at"?',
    ),
  ];
  return { rows, unchanged: () => call(desk, "GET", KEYS) };
}, { clock });

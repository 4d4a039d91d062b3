/** What the endpoints of key requests refuse. */
import { fullKeyRequest } from "../../../src/features/key-requests/key-requests.example.ts";
import { addPlan } from "../../support/companions.ts";
import {
  approvalOf,
  approve,
  create,
  list,
  pathOf,
  REQUESTS,
  type Sent,
  smallRequest,
} from "../../support/key-requests.ts";
import { v1, V1_REQUESTS } from "../../support/v1-requests.ts";
import {
  absent,
  denied,
  invalid,
  type Refusal,
  testRefusals,
  unauthenticated,
} from "../../support/refusals.ts";
import { auditRows, storedCredentials } from "../../support/stored.ts";

const asked = { by_user: "dev", for_plan: "plan", fields: { use_case: "tides" } };

const less = { rate: { calls: 1, seconds: 60 } };

const who = "by_user: required, or portal_developer.id";
const what = "for_plan: required, or apply_policies, or catalogue_entry.policy_id";
const fixed = (member: string) => `${member}: a credential was issued, so it can no longer change`;

/** Bodies that are no key request. */
const bodies: [name: string, body: unknown, ...errors: string[]][] = [
  ["nothing", {}, who, what],
  ["nobody", { for_plan: "p" }, who],
  ["nobody, as an empty text", { for_plan: "p", by_user: "" }, who],
  ["an address alone", { for_plan: "p", portal_developer: { email: "a@b.example" } }, who],
  ["no plan", { by_user: "u" }, what],
  ["empty plans", { by_user: "u", for_plan: "", apply_policies: [] }, what],
  ["an entry without a plan", { by_user: "u", catalogue_entry: { name: "n" } }, what],
  ["a number in a field", smallRequest({ fields: { team: 1 } }), "fields.team: expected a string"],
];

const notIds = [
  "a".repeat(256),
  "%00",
  "a%0Ab",
  "%7f",
  "..%2f..%2fetc",
  "'%20or%201=1",
  "%ED%A0%80",
];

/** Queries that the older list refuses. */
const page = "p: expected an integer: a page from 1, or 0 and below for everything";
const notPages = ["", "one", "1.5", "1e2", "0x10", "%201", "1;", "NaN", "+1", "--1"];
const queries: [query: string, error: string][] = [
  ...notPages.map((p): [string, string] => [`p=${p}`, page]),
  ...["approved", "declined"].flatMap((name) =>
    ["", "1", "yes", "TRUE"].map((value): [string, string] => [
      `${name}=${value}`,
      `${name}: expected true or false`,
    ])
  ),
  ["declined=true&approved=false", "declined: can't be combined with approved"],
];

const limit = "limit: expected a number from 1 to 100";
const cursor = "cursor: expected the next_cursor of the same list";
/** Queries that the list under `/v1` refuses. */
const v1Queries: [query: string, error: string][] = [
  ["limit=0", limit],
  ["limit=101", limit],
  ["limit=ten", limit],
  ["cursor=x", cursor],
  [`cursor=${btoa('["asked oldest","",""]')}`, cursor],
  [`cursor=${btoa('["asked newest",1,""]')}`, cursor],
  ["state=open", "state: expected pending or issued or declined"],
  ["sort=up", "sort: expected newest or oldest or decided_at"],
  ["q=", "q: must not be empty"],
  ["q=%00", "q: must not hold control characters"],
  ["created_after=2026", "created_after: expected an RFC 3339 time such as 2026-01-31T09:00:00Z"],
];

testRefusals("key requests", async (desk) => {
  const id = await create(desk, smallRequest());
  const full = await create(desk, fullKeyRequest);
  const changed = smallRequest({ for_api: "changed" });
  const post = (body: unknown) => ["POST", REQUESTS, body] as const;
  const update = (body: unknown) => ["UPDATE", pathOf(full), body] as const;
  const { admin: other } = await desk.otherOrganisation();
  const rows = [
    unauthenticated("GET", REQUESTS),
    unauthenticated("GET", pathOf(id)),
    unauthenticated("POST", V1_REQUESTS),
    unauthenticated("POST", REQUESTS, smallRequest()),
    unauthenticated("UPDATE", pathOf(id), changed),
    unauthenticated("PUT", pathOf(id), changed),
    unauthenticated("PUT", approvalOf(id)),
    unauthenticated("DELETE", pathOf(id)),
    denied(post(smallRequest()), "portal:read"),
    denied(post(smallRequest()), "approve"),
    denied(post(smallRequest()), "secrets"),
    denied(post(smallRequest()), "admin"),
    denied(post(smallRequest()), "certs:write"),
    denied(["POST", V1_REQUESTS, asked], "portal:read", "approve"),
    denied(["GET", `${REQUESTS}?p=1`], "certs:write", "approve", "admin", "secrets", "verify"),
    denied(["GET", `${pathOf(id)}?p=1`], "certs:write", "approve", "admin", "secrets", "verify"),
    denied(["UPDATE", pathOf(id), changed], "portal:read", "approve", "admin"),
    denied(["PUT", pathOf(id), changed], "portal:read", "approve", "admin"),
    denied(["DELETE", pathOf(id)], "portal:read", "approve", "admin", "secrets"),
    denied(
      ["PUT", `${approvalOf(id)}?x=1`],
      "portal:read",
      "secrets",
      "admin",
      "certs:write",
      "verify",
    ),
    denied(["PUT", `${approvalOf(id)}?x=1`], "portal:write", "secrets", "admin"),
    ...notIds.map((name) => absent(["GET", `${REQUESTS}/${name}`])),
    absent(["PUT", `${REQUESTS}/approve/%00`]),
    absent(["PUT", pathOf("approve"), smallRequest()]),
    absent(["DELETE", `${REQUESTS}/%00`], undefined, "not_found_for_deletion"),
    absent(["GET", pathOf(id)], other),
    absent(["UPDATE", pathOf(id), changed], other),
    absent(["PUT", pathOf(id), changed], other),
    absent(["PUT", approvalOf(id)], other),
    absent(["DELETE", pathOf(id)], other, "not_found_for_deletion"),
    ...bodies.map(([name, body, ...errors]) => invalid(`create: ${name}`, post(body), ...errors)),
    invalid(
      "update: a text for a boolean",
      update({ ...smallRequest(), approved: "yes" }),
      "approved: expected true or false",
    ),
    invalid("update: nothing", update({}), who, what),
    {
      name: "update: no JSON",
      call: update("{"),
      code: "malformed_body",
      errors: ["body: the error is at line 1, column 2"],
    } as const,
    ...queries.map(([query, error]) =>
      invalid(`list: ${query}`, ["GET", `${REQUESTS}?${query}`], error)
    ),
    ...v1Queries.map(([query, error]) =>
      invalid(`v1 list: ${query}`, ["GET", `${V1_REQUESTS}?${query}`], error)
    ),
  ];
  const unchanged = () => Promise.all([list(desk), storedCredentials(desk), auditRows(desk)]);
  return { rows, unchanged };
});

testRefusals("decided key requests", async (desk) => {
  const declined = await create(desk, smallRequest());
  await v1.decline(desk, declined);
  const plans = { apply_policies: ["plan-weather", "plan-maps"] };
  const issued = await create(desk, smallRequest(plans));
  await approve(desk, issued);
  const change = (changes: Sent, ...members: string[]): Refusal => ({
    name: `after issue: ${JSON.stringify(changes)}`,
    call: ["UPDATE", pathOf(issued), smallRequest({ ...plans, ...changes })],
    code: "already_issued",
    errors: members.map(fixed),
  });
  const plan = "for_plan and apply_policies";
  const rows = [
    absent(["GET", pathOf(declined)]),
    absent(["UPDATE", pathOf(declined), smallRequest()]),
    absent(["PUT", pathOf(declined), smallRequest()]),
    absent(["PUT", approvalOf(declined)]),
    absent(["PUT", approvalOf(declined)], await desk.token(["portal:write"])),
    change({ by_user: "dev-bob" }, "by_user"),
    change({ for_plan: "plan-maps" }, plan),
    change({ apply_policies: ["plan-weather"] }, plan),
    change({ apply_policies: ["plan-weather", "plan-maps", "plan-more"] }, plan),
    change({ key: "a".repeat(64) }, "key"),
    change({ by_user: "dev-bob", for_plan: "x", key: "y" }, "by_user", plan, "key"),
  ];
  const unchanged = () =>
    Promise.all([v1.get(desk, declined), v1.get(desk, issued), storedCredentials(desk)]);
  return { rows, unchanged };
});

testRefusals("v1 decisions", async (desk) => {
  const id = await create(desk, smallRequest());
  await addPlan(desk, { id: "plan-maps" });
  const ofNobody = await create(desk, smallRequest({ for_plan: "plan-maps" }));
  const { admin: other } = await desk.otherOrganisation();
  const decisions = [
    ["POST", `${V1_REQUESTS}/${id}/approve`],
    ["POST", `${V1_REQUESTS}/${id}/decline`],
    ["POST", `${V1_REQUESTS}/${id}/offer`, { conditions: less }],
    ["DELETE", `${V1_REQUESTS}/${id}/offer`],
    ["PUT", `${V1_REQUESTS}/${id}/assignee`, { assignee: "me" }],
    ["GET", `${V1_REQUESTS}/${id}/team`],
    ["POST", `${V1_REQUESTS}/${id}/comments`, { words: "x" }],
    ["DELETE", `${V1_REQUESTS}/${id}/comments/x`],
    ["POST", `${V1_REQUESTS}/${id}/reopen`],
    ["PUT", `${V1_REQUESTS}/${id}/reason`, { reason: "x" }],
  ] as const;
  const ask = (body: unknown) => ["POST", V1_REQUESTS, body] as const;
  const rows = [
    ...decisions.map((call) => denied(call, "portal:write")),
    ...decisions.map((call) => absent(call, other)),
    {
      name: "approve: a plan that nobody knows",
      call: decisions[0],
      code: "unknown_plan" as const,
      message: "There is no plan plan-weather: create it first.",
    },
    {
      name: "approve: a developer whom nobody knows",
      call: ["POST", `${V1_REQUESTS}/${ofNobody}/approve`] as const,
      code: "unknown_developer" as const,
      message: "Nobody knows the developer dev-ada: register them first.",
    },
    invalid(
      "offer: no conditions",
      ["POST", `${V1_REQUESTS}/${id}/offer`, {}],
      "conditions: expected an object",
    ),
    invalid(
      "offer: half a call",
      ["POST", `${V1_REQUESTS}/${id}/offer`, { conditions: { rate: { calls: 0.5, seconds: 1 } } }],
      "conditions.rate.calls: expected an integer",
    ),
    invalid(
      "approve: a rate, which is an offer",
      ["POST", `${V1_REQUESTS}/${id}/approve`, { conditions: less }],
      'unknown member "conditions.rate"; there is "addresses" and "review_at"',
    ),
    {
      name: "withdraw an offer that there is not",
      call: ["DELETE", `${V1_REQUESTS}/${id}/offer`] as const,
      code: "no_offer" as const,
    },
    invalid("create: nobody", ask({ ...asked, by_user: undefined }), "by_user: expected a string"),
    invalid(
      "create: nobody, as an empty text",
      ask({ ...asked, by_user: "" }),
      "by_user: must not be empty",
    ),
    invalid("create: a number", ask({ ...asked, by_user: 7 }), "by_user: expected a string"),
    invalid("create: no plan", ask({ by_user: "dev" }), "for_plan: required, or plans"),
    invalid(
      "approve: a reason of 2001 characters",
      ["POST", `${V1_REQUESTS}/${id}/approve`, { reason: "x".repeat(2001) }],
      "reason: expected at most 2000 characters",
    ),
    ...[["one_time_link", "answer"], ["answer", "one_time_link"]].map(([inQuery, deliver]) =>
      invalid(
        `approve: ${deliver} in the body, ${inQuery} in the query`,
        ["POST", `${V1_REQUESTS}/${id}/approve?deliver=${inQuery}`, { deliver }],
        "deliver: expected the same as in the query",
      )
    ),
  ];
  const unchanged = () => Promise.all([v1.get(desk, id), storedCredentials(desk)]);
  return { rows, unchanged };
});

/** What the endpoints of key requests refuse. */
import { fullKeyRequest } from "../../../src/features/key-requests/key-requests.example.ts";
import {
  approvalOf,
  create,
  list,
  pathOf,
  REQUESTS,
  smallRequest,
} from "../../support/key-requests.ts";
import { absent, denied, invalid, testRefusals, unauthenticated } from "../../support/refusals.ts";
import { auditTrail, storedCredentials } from "../../support/stored.ts";

const NATIVE = "/v1/key-requests";
const native = { by_user: "dev", for_plan: "plan", fields: { use_case: "tides" } };

const who = "by_user: required, or portal_developer.id";
const what = "for_plan: required, or apply_policies, or catalogue_entry.policy_id";

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

testRefusals("key requests", async (desk) => {
  const id = await create(desk, smallRequest());
  const full = await create(desk, fullKeyRequest);
  const changed = smallRequest({ for_api: "changed" });
  const post = (body: unknown) => ["POST", REQUESTS, body] as const;
  const update = (body: unknown) => ["UPDATE", pathOf(full), body] as const;
  const rows = [
    unauthenticated("GET", REQUESTS),
    unauthenticated("GET", pathOf(id)),
    unauthenticated("POST", NATIVE),
    unauthenticated("UPDATE", pathOf(id), changed),
    unauthenticated("PUT", pathOf(id), changed),
    unauthenticated("PUT", approvalOf(id)),
    unauthenticated("DELETE", pathOf(id)),
    denied(post(smallRequest()), "portal:read"),
    denied(post(smallRequest()), "approve"),
    denied(post(smallRequest()), "secrets"),
    denied(post(smallRequest()), "admin"),
    denied(post(smallRequest()), "certs:write"),
    denied(["POST", NATIVE, native], "portal:read", "approve"),
    denied(["GET", `${REQUESTS}?p=1`], "certs:write", "approve", "admin", "secrets", "verify"),
    denied(["GET", `${pathOf(id)}?p=1`], "certs:write", "approve", "admin", "secrets", "verify"),
    denied(["DELETE", pathOf(id)], "portal:read", "approve", "admin", "secrets"),
    ...notIds.map((name) => absent(["GET", `${REQUESTS}/${name}`])),
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
  ];
  const unchanged = () => Promise.all([list(desk), storedCredentials(desk), auditTrail(desk)]);
  return { rows, unchanged };
});

/** What the endpoints of people, access tokens, sessions and organisations refuse. */
import assert from "node:assert/strict";
import { permissions } from "../../../src/contract/permissions.ts";
import { type TestDesk } from "../../support/desk.ts";
import { REQUESTS, smallRequest } from "../../support/key-requests.ts";
import { allItems, call, newPerson, statusOf } from "../../support/people.ts";
import { absent, denied, invalid, type Refusal, testRefusals } from "../../support/refusals.ts";
import { addCode, signIn } from "../../support/sign-in.ts";
import { storedText } from "../../support/stored.ts";

const PEOPLE = "/v1/people";
const SESSION = "/v1/session";
const ORGANISATIONS = "/v1/organisations";
const WEATHER = { name: "Weather", administrator: "Grace" };

/** As they are listed to whoever names another. */
const known = permissions.map((one) => `"${one}"`).join("|");
const limit = "limit: expected a number from 1 to 100";

testRefusals("people", async (desk) => {
  const mine = await newPerson(desk, ["portal:read"]);
  const { admin: other } = await desk.otherOrganisation();
  assert.deepEqual((await allItems(desk, PEOPLE, other)).map(({ name }) => name), ["test"]);
  const [only] = await allItems(desk, PEOPLE, other);
  const path = `${PEOPLE}/${mine.id}`;
  const token = `/v1/access-tokens/${mine.credential_id}`;
  const post = (body: unknown) => ["POST", PEOPLE, body] as const;
  const overlap = (overlap_seconds: number) =>
    ["POST", `${token}/rotate`, { overlap_seconds }] as const;
  const rows = [
    invalid("no name", post({ permissions: [] }), "name: expected a string"),
    invalid("a blank name", post({ name: " ", permissions: [] }), "name: must not be empty"),
    invalid(
      "a bell in a name",
      post({ name: "a\u0007b", permissions: [] }),
      "name: must not hold control or format characters",
    ),
    invalid(
      "a name of 101",
      post({ name: "x".repeat(101), permissions: [] }),
      "name: expected at most 100 characters",
    ),
    invalid(
      "no permission of ours",
      post({ name: "x", permissions: ["root"] }),
      `permissions[0]: Invalid option: expected one of ${known}`,
    ),
    invalid("no permissions", post({ name: "x" }), "body: expected permissions or a role"),
    ...["0", "101", "x", "-1"].map((n) =>
      invalid(`limit=${n}`, ["GET", `${PEOPLE}?limit=${n}`], limit)
    ),
    invalid(
      "a cursor of nothing",
      ["GET", `${PEOPLE}?cursor=bm9uZQ`],
      "cursor: expected the next_cursor of the same list",
    ),
    invalid(
      "an empty scope",
      ["POST", `${path}/access-tokens`, { name: "x", scope: [] }],
      "scope: expected at least 1",
    ),
    invalid("an overlap of -1", overlap(-1), "overlap_seconds: expected at least 0"),
    invalid(
      "an overlap of a day and a second",
      overlap(86401),
      "overlap_seconds: expected at most 86400",
    ),
    invalid(
      "an overlap of a second and a half",
      overlap(1.5),
      "overlap_seconds: expected an integer",
    ),
    denied(["GET", "/api/users"], "portal:write", "approve", "operator"),
    invalid(
      "a page of users",
      ["GET", "/api/users?p=x"],
      "p: expected an integer: a page from 1, or 0 and below for everything",
    ),
    absent(["GET", `${PEOPLE}/nobody`]),
    absent(["POST", `${PEOPLE}/none/suspend`]),
    absent(["DELETE", "/v1/access-tokens/none"]),
    absent(["GET", path], other),
    absent(["PUT", path, { name: "Eve", permissions: [] }], other),
    absent(["DELETE", path], other),
    absent(["GET", `${path}/access-tokens`], other),
    absent(["POST", `${path}/access-tokens`, { name: "x" }], other),
    absent(["DELETE", token], other),
    absent(["POST", `${path}/suspend`], other),
    absent(["POST", `${path}/resume`], other),
    absent(["PUT", `${token}/addresses`, { addresses: [] }], other),
    // Our administrators are no help to them: their last one stays.
    {
      name: "the last administrator of another organisation",
      call: ["DELETE", `${PEOPLE}/${only.id}`],
      by: other,
      code: "last_administrator",
    } as const,
  ];
  const unchanged = async () => [await storedText(desk), await statusOf(desk, mine.credential)];
  return { rows, unchanged };
});

testRefusals("permissions to give", async (desk) => {
  const lesser = await newPerson(desk, ["admin", "portal:write"]);
  const greater = await newPerson(desk, ["admin", "plans", "audit"]);
  const lacking = (what: string, ...call: Refusal["call"]): Refusal => ({
    name: `${call[0]} ${call[1]} without ${what}`,
    call,
    by: lesser.credential,
    code: "permission_not_held",
    message: `You can't give what you don't hold: ${what}.`,
  });
  const rows = [
    ...["plans", "audit"].flatMap((one) => {
      const body = { name: "x", permissions: ["admin", "portal:write", one] };
      return [
        lacking(one, "POST", PEOPLE, body),
        lacking(one, "PUT", `${PEOPLE}/${lesser.id}`, body),
      ];
    }),
    lacking("plans, audit", "POST", `${PEOPLE}/${greater.id}/access-tokens`, { name: "mine" }),
    lacking("plans, audit", "POST", `/v1/access-tokens/${greater.credential_id}/rotate`, {
      overlap_seconds: 0,
    }),
  ];
  return { rows };
});

testRefusals("organisations", async (desk) => {
  const { administrator } = await call(desk, "POST", ORGANISATIONS, WEATHER);
  const { admin } = await desk.otherOrganisation();
  const lesser = await newPerson(desk, permissions.filter((one) => one !== "operator"));
  // The permission by itself is not enough: `admin` holds it, in another organisation.
  const strangers = { "a new one's": administrator.access_token, another: admin };
  const all = { ...strangers, "no operator": lesser.credential };
  const rows = [
    ...Object.entries(all).flatMap(([who, by]) =>
      (["GET", "POST"] as const).map((method) => ({
        ...denied([method, ORGANISATIONS, method === "POST" ? WEATHER : undefined]),
        name: `${method} by ${who}`,
        by,
      }))
    ),
    invalid(
      "nobody administers it",
      ["POST", ORGANISATIONS, { name: "x" }],
      "administrator: expected a string",
    ),
    invalid(
      "no name",
      ["POST", ORGANISATIONS, { ...WEATHER, name: "" }],
      "name: must not be empty",
    ),
    invalid(
      "no person's name",
      ["POST", ORGANISATIONS, { ...WEATHER, administrator: "\n" }],
      "administrator: must not be empty",
    ),
    ...["", "5E9D9544A1DCD60001D0ED20", "5e9d9544a1dcd60001d0ed200", "default"].map((id) =>
      invalid(
        `the id "${id}"`,
        ["POST", ORGANISATIONS, { ...WEATHER, id }],
        "id: expected 24 lower-case hexadecimal digits",
      )
    ),
  ];
  return { rows, unchanged: () => allItems(desk, ORGANISATIONS) };
});

testRefusals("sign-in and sessions", async (desk) => {
  const revoked = await newPerson(desk, ["approve"]);
  await addCode(desk, "too-late", revoked.credential);
  await call(desk, "DELETE", `/v1/access-tokens/${revoked.credential_id}`);
  const powerless = await newPerson(desk, []);
  const { cookie, csrf } = await signIn(desk, { credential: desk.admin });
  const rows = [
    ...signIns(desk, revoked.credential, powerless.credential),
    // The cookie opens nothing outside `/v1`.
    ...[REQUESTS, "/api/certs", `${REQUESTS}/x`].map((path) => closed("GET", path, { cookie })),
    closed("POST", REQUESTS, { cookie, "x-csrf-token": csrf }, smallRequest()),
    closed("GET", "/v1/me", { cookie: "keydesk_session=planted-by-somebody-else" }),
    ...[
      ["GET", "/v1/sessions"],
      ["DELETE", "/v1/sessions"],
      ["DELETE", "/v1/sessions/65b0c1d2e3f4a5b6c7d8e9f0"],
      ["GET", SESSION],
      ["DELETE", SESSION],
    ].map(([method = "", path = ""]) => ({
      ...absent([method, path]),
      name: `${method} ${path} by access token`,
      message: "This call comes by access token, not by session.",
    })),
  ];
  return { rows, unchanged: () => storedText(desk) };
});

/** What signs nobody in. */
function signIns({ admin }: TestDesk, revoked: string, powerless: string): Refusal[] {
  const post = (body: unknown) => ["POST", SESSION, body] as const;
  const nothing = (name: string, body: unknown): Refusal => ({
    name,
    call: post(body),
    by: null,
    code: "not_authorised",
  });
  const foreign: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { host: "desk.test", origin: "https://evil.example" },
  ];
  return [
    nothing("a wrong one", { access_token: "wrong" }),
    nothing("one and a letter", { access_token: `${admin}x` }),
    nothing("a revoked one", { access_token: revoked }),
    nothing("a long one", { access_token: "x".repeat(4096) }),
    nothing("one for a code", { code: admin }),
    nothing("a code of a revoked one", { code: "too-late" }),
    { ...denied(post({ access_token: powerless })), name: "one that opens nothing", by: null },
    {
      ...invalid(
        "neither",
        post({}),
        "body: expected access_token, code or passkey, and no two of them",
      ),
      by: null,
    },
    {
      ...invalid(
        "both",
        post({ access_token: "a", code: "b" }),
        "body: expected access_token, code or passkey, and no two of them",
      ),
      by: null,
    },
    {
      ...invalid("a number", post({ access_token: 7 }), "access_token: expected a string"),
      by: null,
    },
    // Another site can't sign its visitor in.
    ...foreign.map((headers): Refusal => ({
      name: `by another site: ${Object.keys(headers)}`,
      call: post({ access_token: admin }),
      by: null,
      headers,
      code: "csrf_refused",
      answers: { "set-cookie": null },
    })),
  ];
}

function closed(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Refusal {
  const name = `${method} ${path} with ${headers.cookie}`;
  return { name, call: [method, path, body], by: null, headers, code: "not_authorised" };
}

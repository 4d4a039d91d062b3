/** What the endpoints of developers refuse. */
import { type FailureCode } from "../../../src/kernel/failure-codes.ts";
import { DEVELOPERS, pathTo, readDeveloper, register, succeed } from "../../support/companions.ts";
import { REQUESTS, type Sent, smallRequest } from "../../support/key-requests.ts";
import { absent, denied, invalid, type Refusal, testRefusals } from "../../support/refusals.ts";

const V1 = "/v1/developers";
const SIGN_IN = `${DEVELOPERS}/verify_credentials`;
const PASSWORD = "correct horse battery staple";

const invisible = [
  "\u200b",
  "\u200d",
  "\u202e",
  "\u2066",
  "\u2069",
  "\u00ad",
  "\u061c",
  "\u3164",
  "\u2800",
  "\ufe0f",
  "\u{e0061}",
  "\ufffc",
  "\u{1d159}",
  "\u0007",
  "\u007f",
  "\u0085",
];
const blanks = ["\u00a0", "\ufeff", "\u2028", "\u3000", " "];
const hidden = "must not hold blanks or invisible characters";

/** Bodies that register nobody. */
const bodies: [name: string, body: Sent, ...errors: string[]][] = [
  ["nothing", {}, "email: required"],
  ["an empty e-mail", { email: "" }, "email: required"],
  ["a blank e-mail", { email: "  " }, "email: required"],
  ["no e-mail", { email: null }, "email: required"],
  ["a name for an e-mail", { email: "ada" }, "email: expected an e-mail address"],
  ["a blank in an e-mail", { email: "ada @example.org" }, "email: expected an e-mail address"],
  ["a number for an e-mail", { email: 7 }, "email: expected a string"],
  ["a list of keys", { email: "a@b", keys: [] }, "keys: expected an object"],
  [
    "a password of 1025",
    { email: "a@b", password: "x".repeat(1025) },
    "password: expected at most 1024 characters",
  ],
  ...blanks.map((sign): [string, Sent, string] => [
    `an e-mail with ${JSON.stringify(sign)}`,
    { email: `a${sign}b@example.org` },
    "email: expected an e-mail address",
  ]),
  ...["\ufeff", "\u00a0"].map((end): [string, Sent, string] => [
    `an e-mail that ends with ${JSON.stringify(end)}`,
    { email: `x@example.org${end}` },
    `email: ${hidden}`,
  ]),
  [
    "an e-mail of 255",
    { email: `a${"a".repeat(242)}@example.org` },
    "email: expected at most 254 characters",
  ],
];

/** An e-mail with this sign, wherever one is written. */
function emailRows(sign: string, id: string): Refusal[] {
  const email = `a${sign}b@example.org`;
  const named = (how: string, call: Refusal["call"], member = "email") =>
    invalid(`${how} with ${escape(sign)}`, call, `${member}: ${hidden}`);
  const portal_developer = { id: "new", email };
  return [
    named("register", ["POST", DEVELOPERS, { email }]),
    named("v1 register", ["POST", V1, { email }]),
    named("replace", ["PUT", pathTo(DEVELOPERS, id), { email }]),
    named(
      "request",
      ["POST", REQUESTS, smallRequest({ by_user: "new", portal_developer })],
      "portal_developer.email",
    ),
  ];
}

testRefusals("developers", async (desk) => {
  const id = await register(desk, { id: "dev-1" });
  const { admin: other } = await desk.otherOrganisation();
  const body = { email: "x@example.org" };
  const byEmail = (email: string) => pathTo(`${DEVELOPERS}/email`, email);
  const theirs = [id, "nobody"].flatMap((name) => {
    const path = pathTo(DEVELOPERS, name);
    return [
      absent(["GET", path], other),
      absent(["PUT", path, body], other),
      absent(["DELETE", path], other, "not_found_for_deletion"),
    ];
  });
  const rows = [
    ...bodies.map(([name, sent, ...errors]) =>
      invalid(name, ["POST", DEVELOPERS, sent], ...errors)
    ),
    ...invisible.flatMap((sign) => emailRows(sign, id)),
    invalid(
      "a page that is none",
      ["GET", `${DEVELOPERS}?p=x`],
      "p: expected an integer: a page from 1, or 0 and below for everything",
    ),
    invalid("replace: no e-mail", ["PUT", pathTo(DEVELOPERS, id), {}], "email: required"),
    invalid(
      "delete: neither revoke nor keep",
      ["DELETE", `${pathTo(DEVELOPERS, id)}?keys=none`],
      "keys: expected revoke or keep",
    ),
    {
      name: "an id that somebody has",
      call: ["POST", DEVELOPERS, { id, email: "other@example.org" }],
      code: "developer_exists",
    } as const,
    ...theirs,
    absent(["GET", byEmail("ada@example.org")], other),
    absent(["GET", byEmail("no@example.org")]),
    absent(["GET", byEmail(" ")]),
    denied(["PUT", `${V1}/${id}/tags`, { tags: ["x"] }], "portal:read", "approve", "admin"),
    denied(["GET", "/v1/developer-tags"], "verify", "certs:write"),
    absent(["PUT", `${V1}/nobody/tags`, { tags: ["x"] }]),
    absent(["PUT", `${V1}/${id}/tags`, { tags: ["x"] }], other),
    invalid("no tags", ["PUT", `${V1}/${id}/tags`, {}], "tags: expected an array"),
    denied(["DELETE", pathTo(DEVELOPERS, id)], "portal:read", "approve", "secrets"),
  ];
  const unchanged = () =>
    Promise.all([readDeveloper(desk, id), succeed(desk, "GET", DEVELOPERS, { credential: other })]);
  return { rows, unchanged };
});

testRefusals("passwords", async (desk) => {
  const id = await register(desk, { password: PASSWORD });
  await register(desk, { email: "none@example.org" });
  const blocked = { email: "blocked@example.org", password: PASSWORD, inactive: true };
  await register(desk, blocked);
  const { admin: other } = await desk.otherOrganisation();
  const signIn = (password: string, username = "ada@example.org") =>
    ["POST", SIGN_IN, { username, password }] as const;
  const set = (name: string, password?: unknown) =>
    ["POST", pathTo(`${DEVELOPERS}/password`, name), { password }] as const;
  const refused = (name: string, call: Refusal["call"], by?: string): Refusal => ({
    name,
    call,
    ...by === undefined ? {} : { by },
    code: "wrong_credentials",
    answers: { "www-authenticate": null },
  });
  const unknown = (name: string): Refusal => absent(set(name, "stolen from ada"), other, UNKNOWN);
  const rows = [
    refused("a wrong one", signIn("wrong")),
    refused("an empty one", signIn("")),
    refused("nobody's", signIn(PASSWORD, "nobody@example.org")),
    refused("of an empty name", signIn(PASSWORD, "")),
    refused("of who has none", signIn(PASSWORD, "none@example.org")),
    refused("an empty one of who has none", signIn("", "none@example.org")),
    refused("of who is inactive", signIn(PASSWORD, "blocked@example.org")),
    refused("of another organisation", signIn(PASSWORD), other),
    invalid(
      "neither name nor password",
      ["POST", SIGN_IN, {}],
      "username: expected a string",
      "password: expected a string",
    ),
    invalid("set: nothing", set(id), "password: expected a string"),
    unknown(id),
    unknown("nobody"),
    denied(signIn(PASSWORD), "portal:read", "approve", "secrets", "verify"),
  ];
  const unchanged = () =>
    succeed(desk, "POST", SIGN_IN, { body: { username: "ada@example.org", password: PASSWORD } });
  return { rows, unchanged };
});

const UNKNOWN: FailureCode = "unknown_developer";

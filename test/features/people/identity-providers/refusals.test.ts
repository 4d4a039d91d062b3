/** What the endpoints of identity providers and of accounts at them refuse. */
import type { Permission } from "../../../../src/contract/permissions.ts";
import { openTestDesk, type TestDesk } from "../../../support/desk.ts";
import { addProvider, HOST, reach, standIn, TERMS } from "../../../support/identity-provider.ts";
import { call, newPerson } from "../../../support/people.ts";
import {
  absent,
  denied,
  invalid,
  type Refusal,
  testRefusals,
  unauthenticated,
} from "../../../support/refusals.ts";
import { signIn } from "../../../support/sign-in.ts";
import { storedText } from "../../../support/stored.ts";

const PROVIDERS = "/v1/identity-providers";
const ISSUER = "https://login.example.org";
/** All that is not `admin`. */
const OTHERS: readonly Permission[] = ["portal:write", "approve", "plans", "audit", "operator"];
const NO_ISSUER = "issuer: expected an https URL such as https://login.example.org";

async function provider(desk: TestDesk): Promise<string> {
  // It is asked for nothing here.
  await using one = await standIn();
  const id = await addProvider(desk, one);
  reach(desk, "login.example.org");
  return id;
}

testRefusals("identity providers", async (desk) => {
  const id = await provider(desk);
  const lesser = await newPerson(desk, ["admin", "portal:write"]);
  const { admin: other } = await desk.otherOrganisation();
  const post = (more: Record<string, unknown>) =>
    ["POST", PROVIDERS, { issuer: ISSUER, ...TERMS, ...more }] as const;
  const put = (more: Record<string, unknown>, of = id) =>
    ["PUT", `${PROVIDERS}/${of}`, { ...TERMS, ...more }] as const;
  const get = (of: string) => ["GET", `${PROVIDERS}/${of}`] as const;
  const check = (of: string) => ["POST", `${PROVIDERS}/${of}/check`] as const;
  const remove = (of: string) => ["DELETE", `${PROVIDERS}/${of}`] as const;
  const list = ["GET", PROVIDERS] as const;
  const rows: Refusal[] = [
    ...[post({}), put({}), get(id), check(id), remove(id), list].flatMap((one) => [
      unauthenticated(one[0] ?? "", one[1]),
      denied(one, ...OTHERS),
    ]),
    ...[put({}), get(id), check(id), remove(id)].map((one) => absent(one, other)),
    absent(["GET", "/v1/session/provider/nobody/jwks"]),
    invalid(
      "another issuer without its secret",
      put({ issuer: "https://login.example.org/other", client_secret: undefined }),
      "client_secret: needed, since another issuer takes it anew",
    ),
    invalid(
      "a time to ask again",
      put({ recheck_minutes: 4 }),
      "recheck_minutes: expected at least 5",
    ),
    ...[put({}, "nobody"), get("nobody"), check("nobody"), remove("nobody")].map((one) =>
      absent(one)
    ),
    invalid("no issuer", post({ issuer: undefined }), "issuer: expected a string"),
    ...[
      "http://login.example.org",
      "ftp://login.example.org",
      "https://a:b@login.example.org",
      "https://login.example.org/?x=1",
      "https://login.example.org/#x",
      "login.example.org",
    ].map((issuer) => invalid(`the issuer ${issuer}`, post({ issuer }), NO_ISSUER)),
    invalid("no name", post({ name: " " }), "name: must not be empty"),
    invalid("no client", put({ client_id: "" }), "client_id: must not be empty"),
    invalid("two words", put({ scopes: ["a b"] }), "scopes[0]: expected a word of ASCII"),
    invalid(
      "no domain",
      put({ domains: ["example"] }),
      "domains[0]: expected a domain such as example.org",
    ),
    {
      name: "a domain of nobody's",
      call: put({ domains: ["a.example"] }),
      code: "domain_not_listed",
    },
    {
      name: "the same at first",
      call: post({ domains: ["a.example"] }),
      code: "domain_not_listed",
    },
    {
      name: "a host that is not named",
      call: post({ issuer: "https://elsewhere.example" }),
      code: "provider_uncalled",
      message:
        "This identity provider can't be called: KEYDESK_OUTBOUND does not name elsewhere.example.",
    },
    {
      name: "groups that give what the caller does not hold",
      call: post({ groups: [{ group: "x", permissions: ["audit"] }] }),
      by: lesser.credential,
      code: "permission_not_held",
      message: "You can't give what you don't hold: audit.",
    },
    // Whoever sets its client could make anybody one of its groups.
    {
      name: "groups that gave what the caller does not hold",
      call: put({ groups: [] }),
      by: lesser.credential,
      code: "permission_not_held",
      message: "You can't give what you don't hold: approve.",
    },
  ];
  return { rows, unchanged: () => storedText(desk) };
});

testRefusals("signing in by a provider", async (desk) => {
  const id = await provider(desk);
  const { admin: other } = await desk.otherOrganisation();
  const foreign = await signIn(desk, { credential: other });
  const own = await signIn(desk, { credential: desk.admin });
  const begin = (body: unknown, of = id) => ["POST", `/v1/session/provider/${of}`, body] as const;
  const finish = (body: unknown, of = id) =>
    ["POST", `/v1/session/provider/${of}/answer`, body] as const;
  const link = (of = id) => ["POST", `${PROVIDERS}/${of}/link`] as const;
  const back = (body: unknown = { answer: "code=a&state=b" }) =>
    ["POST", `${PROVIDERS}/${id}/link/answer`, body] as const;
  const nobody = { by: null } as const;
  const rows: Refusal[] = [
    { name: "one that is not there", call: begin({}, "nobody"), ...nobody, code: "not_found" },
    // No address that its browser could come back to.
    { name: "without an address", call: begin({}), ...nobody, code: "providers_unavailable" },
    {
      name: "one that can't be called",
      call: begin({}),
      headers: { host: HOST },
      ...nobody,
      code: "provider_away",
      answers: { "set-cookie": null },
    },
    { ...invalid("no answer", finish({}), "answer: expected a string"), ...nobody },
    {
      name: "an answer that nobody asked for",
      call: finish({ answer: "code=a&state=b" }),
      headers: { host: HOST },
      ...nobody,
      code: "not_authorised",
      answers: { "set-cookie": null },
    },
    {
      name: "an answer of one that is not there",
      call: finish({ answer: "code=a" }, "nobody"),
      ...nobody,
      code: "not_authorised",
    },
    ...[begin({}), finish({ answer: "code=a" })].map((one): Refusal => ({
      name: `by another site, ${one[1].includes("answer")}`,
      call: one,
      ...nobody,
      headers: { "sec-fetch-site": "cross-site" },
      code: "csrf_refused",
    })),
    ...([["GET", "/v1/identities"], link(), back(), ["DELETE", "/v1/identities/nobody"]] as const)
      .map((one) => unauthenticated(one[0], one[1])),
    ...([link(), back(), ["DELETE", "/v1/identities/nobody"]] as const).map((one): Refusal => ({
      name: `${one[0]} ${one[1]} by an access token`,
      call: one,
      code: "not_found",
      message: "This call comes by access token, not by session.",
    })),
    ...[link(), back(), link("nobody")].map((one, n): Refusal => ({
      name: `${one[1]} by a session of ${n === 2 ? "its own" : "another"} organisation`,
      call: one,
      by: null,
      headers: {
        host: HOST,
        cookie: (n === 2 ? own : foreign).cookie,
        "x-csrf-token": (n === 2 ? own : foreign).csrf,
      },
      code: "not_found",
    })),
  ];
  return { rows, unchanged: () => storedText(desk) };
});

Deno.test("identity providers: there are ten at the most", async () => {
  await using desk = await openTestDesk("sqlite");
  reach(desk, "login.example.org");
  const body = { issuer: ISSUER, ...TERMS };
  for (let n = 0; n < 10; n++) await call(desk, "POST", PROVIDERS, body);
  const response = await desk.send("POST", PROVIDERS, { body });
  const { code } = await response.json();
  if (code !== "too_many_providers") throw new Error(code);
});

/** What the endpoints of invitations and of sign-in rules refuse. */
import type { Permission } from "../../../src/contract/permissions.ts";
import { addPasskey } from "../../support/passkeys.ts";
import { call, newPerson } from "../../support/people.ts";
import {
  absent,
  denied,
  invalid,
  type Refusal,
  testRefusals,
  unauthenticated,
} from "../../support/refusals.ts";
import { signIn } from "../../support/sign-in.ts";
import { storedText } from "../../support/stored.ts";

const INVITATIONS = "/v1/people/invitations";
const SIGN_INS = "/v1/people/sign-ins";
const RULES = "/v1/sign-in-rules";
const WAYS = "/v1/session/ways";
const GRACE = { name: "Grace", permissions: ["portal:read"], email: "grace@example.org" };
const OPEN = { tokens: true, domains: [] };
const NO_ADDRESS = "email: expected an e-mail address such as grace@example.org";
const NO_DOMAIN = "expected a domain such as example.org";
/** All that is not `admin`. */
const OTHERS: readonly Permission[] = ["portal:write", "approve", "plans", "audit", "operator"];

testRefusals("invitations", async (desk) => {
  const lesser = await newPerson(desk, ["admin", "portal:write"]);
  const greater = await newPerson(desk, ["admin", "plans"]);
  const left = await newPerson(desk, ["portal:read"]);
  await call(desk, "DELETE", `/v1/people/${left.id}`);
  const suspended = await newPerson(desk, ["portal:read"]);
  await call(desk, "POST", `/v1/people/${suspended.id}/suspend`);
  const invited = await call(desk, "POST", INVITATIONS, GRACE);
  const { admin: other } = await desk.otherOrganisation();
  const post = (more: Record<string, unknown>) =>
    ["POST", INVITATIONS, { ...GRACE, ...more }] as const;
  const again = (id: string) => ["POST", `/v1/people/${id}/invitation`] as const;
  const withdraw = (id: string) => ["DELETE", `/v1/people/${id}/invitation`] as const;
  const signIns = (ids: string) => ["GET", `${SIGN_INS}?ids=${ids}`] as const;
  const rows: Refusal[] = [
    ...[post({}), again(greater.id), withdraw(invited.person_id), signIns(greater.id)].flatMap(
      (one) => [unauthenticated(one[0] ?? "", one[1]), denied(one, ...OTHERS)],
    ),
    invalid("no address", post({ email: undefined }), "email: expected a string"),
    ...["grace", "@example.org", "grace@", "a@b@c", "grace@example.org\nbcc: eve@example.org"].map(
      (email) => invalid(`the address ${JSON.stringify(email)}`, post({ email }), NO_ADDRESS),
    ),
    invalid("a blank name", post({ name: " " }), "name: must not be empty"),
    {
      name: "permissions that the caller does not hold",
      call: post({ permissions: ["plans"] }),
      by: lesser.credential,
      code: "permission_not_held",
      message: "You can't give what you don't hold: plans.",
    },
    {
      name: "who holds more",
      call: again(greater.id),
      by: lesser.credential,
      code: "person_holds_more",
      message: "This person holds more than you do: plans.",
    },
    { name: "who left", call: again(left.id), code: "person_deactivated" },
    { name: "who is suspended", call: again(suspended.id), code: "person_suspended" },
    absent(again("nobody")),
    absent(again(greater.id), other),
    absent(withdraw("nobody")),
    absent(withdraw(invited.person_id), other),
    { name: "who has none that could be withdrawn", call: withdraw(greater.id), code: "not_found" },
    invalid("no ids", ["GET", SIGN_INS], "ids: expected a string"),
    invalid("ids of nobody", signIns(",,"), "ids: expected at least 1"),
    invalid("a long id", signIns("x".repeat(65)), "ids[0]: expected at most 64 characters"),
  ];
  return { rows, unchanged: () => storedText(desk) };
});

testRefusals("ways in of others", async (desk) => {
  const greater = await newPerson(desk, ["admin", "plans"]);
  const lesser = await newPerson(desk, ["admin"]);
  const theirs = await signIn(desk, { credential: greater.credential });
  const { id } = await addPasskey(desk, theirs);
  const { admin: other } = await desk.otherOrganisation();
  const ways = ["GET", `/v1/people/${greater.id}/ways-in`] as const;
  const passkey = ["DELETE", `/v1/people/${greater.id}/passkeys/${id}`] as const;
  const account = ["DELETE", `/v1/people/${greater.id}/identities/${id}`] as const;
  const more = "This person holds more than you do: plans.";
  const rows: Refusal[] = [
    ...[ways, passkey, account].flatMap((one) => [
      unauthenticated(one[0], one[1]),
      denied(one, ...OTHERS),
      {
        name: `of another organisation, ${one[1]}`,
        call: one,
        by: other,
        code: "not_found",
      } as const,
    ]),
    absent(["GET", "/v1/people/none/ways-in"]),
    absent(["DELETE", `/v1/people/none/passkeys/${id}`]),
    absent(["DELETE", `/v1/people/${lesser.id}/passkeys/${id}`]),
    absent(account),
    {
      name: "of who holds more",
      call: passkey,
      by: lesser.credential,
      code: "person_holds_more",
      message: more,
    },
  ];
  return { rows, unchanged: () => storedText(desk) };
});

testRefusals("accepting an invitation", async (desk) => {
  const { link } = await call(desk, "POST", INVITATIONS, GRACE);
  const invitation = link.slice(-43);
  await addPasskey(desk, await signIn(desk, { credential: desk.admin }));
  await call(desk, "PUT", RULES, { ...OPEN, tokens: false });
  const accept = (body: unknown) => ["POST", "/v1/invitations/accept", body] as const;
  const preview = (body: unknown) => ["POST", "/v1/invitations/preview", body] as const;
  const nobody = { by: null } as const;
  const rows: Refusal[] = [
    ...[accept, preview].flatMap((one) =>
      [
        { ...invalid("none", one({}), "invitation: expected a string"), ...nobody },
        {
          ...invalid("a blank one", one({ invitation: " " }), "invitation: must not be empty"),
          ...nobody,
        },
        {
          ...invalid(
            "a long one",
            one({ invitation: "x".repeat(129) }),
            "invitation: expected at most 128 characters",
          ),
          ...nobody,
        },
        // Another site could sign its visitor in as somebody of its choice.
        ...foreign(one({ invitation })),
      ].map((row) => ({ ...row, name: `${row.name} ${one({})[1]}` }))
    ),
    {
      name: "a wrong one is accepted",
      call: accept({ invitation: "x".repeat(43) }),
      ...nobody,
      code: "not_authorised",
      answers: { "set-cookie": null },
    },
    {
      name: "a wrong one is read",
      call: preview({ invitation: "x".repeat(43) }),
      ...nobody,
      code: "not_found",
    },
    // It is no use of the invitation, which lets in by a passkey.
    {
      name: "an access token where people sign in by none",
      call: accept({ invitation, take_token: true }),
      ...nobody,
      code: "sign_in_by_token_off",
      answers: { "set-cookie": null },
    },
  ];
  return { rows, unchanged: () => storedText(desk) };
});

testRefusals("sign-in rules", async (desk) => {
  await call(desk, "PUT", RULES, { ...OPEN, domains: ["example.org"] });
  const { admin: other } = await desk.otherOrganisation();
  const put = (more: Record<string, unknown>) => ["PUT", RULES, { ...OPEN, ...more }] as const;
  const rows: Refusal[] = [
    ...[["GET", RULES] as const, put({})].flatMap((one) => [
      unauthenticated(one[0] ?? "", one[1]),
      denied(one, ...OTHERS),
    ]),
    invalid("no word on tokens", put({ tokens: undefined }), "tokens: expected true or false"),
    invalid("no domains", put({ domains: undefined }), "domains: expected an array"),
    ...["example", "grace@example.org", "-a.example", "a..example", "*.example.org"].map((domain) =>
      invalid(`the domain ${domain}`, put({ domains: [domain] }), `domains[0]: ${NO_DOMAIN}`)
    ),
    {
      name: "no administrator has a passkey",
      call: put({ tokens: false }),
      code: "last_administrator",
    },
    {
      name: "another organisation's domain",
      call: put({ domains: ["free.example", "EXAMPLE.org"] }),
      by: other,
      code: "domain_taken",
    },
    { ...invalid("ways of nobody", ["POST", WAYS, {}], "email: expected a string"), by: null },
    {
      ...invalid("a blank address", ["POST", WAYS, { email: " " }], "email: must not be empty"),
      by: null,
    },
    ...foreign(["POST", WAYS, { email: GRACE.email }]),
  ];
  return { rows, unchanged: () => storedText(desk) };
});

/** The rows of a call that another site's page makes in a visitor's browser. */
function foreign(made: Refusal["call"]): Refusal[] {
  const from: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { host: "desk.test", origin: "https://evil.example" },
  ];
  return from.map((headers): Refusal => ({
    name: `by another site, ${Object.keys(headers)}:`,
    call: made,
    by: null,
    headers,
    code: "csrf_refused",
    answers: { "set-cookie": null },
  }));
}

/** What POST /v1/keys/verify and GET /v1/forward-auth refuse before any key is looked at. */
import { call, readKey } from "../../support/keys.ts";
import { denied, invalid, type Refusal, testRefusals } from "../../support/refusals.ts";
import { issueKnown, planWith } from "../../support/verification.ts";

const VERIFY = "/v1/keys/verify";
const FORWARD = "/v1/forward-auth";

const either = "body: expected either key, or username and password";
/** Questions that are none. */
const questions: [question: Record<string, unknown>, error: string][] = [
  [{}, either],
  [{ username: "x" }, either],
  [{ password: "x" }, either],
  [{ key: "x", username: "y", password: "z" }, either],
  [{ key: "x", username: "y", password: "y" }, either],
  [{ key: "x", password: "y" }, either],
  [{ key: "x", api_id: "" }, "api_id: must not be empty"],
  [{ key: "x", api: "" }, "api: must not be empty"],
  [{ key: "x", api_id: "y".repeat(256) }, "api_id: expected at most 255 characters"],
  [{ key: 1 }, "key: expected a string"],
];

/** Queries of a proxy's that say what nobody knows, or two things. */
const queries: [query: string, ...errors: string[]][] = [
  ["apid=weather", 'unknown parameter "apid"; did you mean "api"?'],
  ["plan=gold", 'unknown parameter "plan"; there is "api" and "api_id" and "header"'],
  ["api=weather&api=tides", 'the parameter "api" must not come more than once'],
  ["api=weather&api_id=tides", "api_id: expected the same as api"],
  ["api=", "api: must not be empty"],
  ["api_id=", "api_id: must not be empty"],
  ["api=&api_id=tides", "api: must not be empty", "api_id: expected the same as api"],
];
/** Names of headers that are none, ours and too many. */
const names = [
  "",
  ",",
  "Authorization,",
  "a b",
  "a:b",
  "X-Keydesk-Authorization",
  "é",
  "x".repeat(65),
  "authorization,x-keydesk-key",
  "a,b,c,d,e,f,g,h,i",
];
const notNames =
  "header: expected 1 to 8 names of headers, separated by commas, none of them X-Keydesk-*";

testRefusals("verification", async (desk) => {
  const plan = await planWith(desk, {}, ["weather"]);
  const { RawKey: key, key_id } = await issueKnown(desk, [plan]);
  const ask = (question: unknown) => ["POST", VERIFY, question] as const;
  const closed = (name: string, by: string | null): Refusal => ({
    name: `verify by ${name}`,
    call: ask({ key }),
    by,
    code: "not_authorised",
  });
  const forwarding = (row: Refusal): Refusal => ({ ...row, headers: { authorization: key } });
  const rows = [
    denied(ask({ key }), "approve", "portal:read", "portal:write"),
    closed("nobody", null),
    closed("a wrong one", "wrong"),
    closed("the key", key),
    ...questions.map(([question, error]) =>
      invalid(JSON.stringify(question).slice(0, 60), ask(question), error)
    ),
    ...queries.map(([query, ...errors]) =>
      forwarding(invalid(query, ["GET", `${FORWARD}?${query}`], ...errors))
    ),
    ...names.map((header) =>
      forwarding(
        invalid(
          `header=${header}`,
          ["GET", `${FORWARD}?header=${encodeURIComponent(header)}`],
          notNames,
        ),
      )
    ),
    forwarding({ ...denied(["GET", FORWARD], "approve"), name: "forward-auth by approve" }),
    forwarding({
      name: "forward-auth by a wrong one",
      call: ["GET", FORWARD],
      by: "wrong",
      code: "not_authorised",
    }),
    // An administrator's access token in the visitor's place is no key.
    {
      name: "forward-auth by nobody, for an administrator",
      call: ["GET", FORWARD],
      by: null,
      headers: { authorization: desk.admin },
      code: "not_authorised",
    } as const,
  ];
  const credential = await desk.token(["verify"]);
  const unchanged = () =>
    Promise.all([readKey(desk, key_id), call(desk, "POST", VERIFY, { key }, { credential })]);
  return { rows, unchanged };
});

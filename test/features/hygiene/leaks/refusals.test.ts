/** What can't be a report of a leak; no answer repeats what was sent. */
import { generateKeyPairSync, sign } from "node:crypto";
import { reportsBehind } from "../../../../src/features/hygiene/leaks/leaks.store.ts";
import { openDesk, signed } from "../../../support/leaks.ts";
import {
  absent,
  denied,
  invalid,
  type Refusal,
  testRefusals,
  unauthenticated,
} from "../../../support/refusals.ts";

const REPORTS = "/v1/leaks";
const PARTNER = "/v1/leaks/partner";
const SIGNATURE = "github-public-key-signature";

/** Bodies that report nothing. */
const bodies: [body: unknown, ...errors: string[]][] = [
  [{}, "keys: expected an array"],
  [{ keys: [] }, "keys: expected at least 1"],
  [{ keys: ["  "] }, "keys[0]: must not be empty"],
  [{ keys: "secret-text" }, "keys: expected an array"],
  [{ keys: ["secret-text"], url: "https://e.org/\u202e" }, "url: must not hold control characters"],
  [{ keys: ["a"], url: "a\nb" }, "url: must not hold control characters"],
  [
    { keys: ["a"], url: "x".repeat(2049) },
    "url: expected at most 2048 characters",
    "url: must not hold control characters",
  ],
  [{ keys: Array(101).fill("a") }, "keys: expected at most 100"],
  [{ keys: ["secret-text".repeat(400)] }, "keys[0]: expected at most 4096 characters"],
];

testRefusals("leaks", (desk) => {
  const body = JSON.stringify([{ token: "a-key", type: "keydesk_key", url: "https://e.org/a" }]);
  const good = signed(body);
  const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const bytes = new TextEncoder().encode(body);
  const forged = sign("sha256", bytes, stranger.privateKey).toString("base64");
  const unsigned: [name: string, headers: Record<string, string>][] = [
    ["no signature", {}],
    ["an empty signature", { ...good, [SIGNATURE]: "" }],
    ["no base64", { ...good, [SIGNATURE]: "!".repeat(96) }],
    ["zeros", { ...good, [SIGNATURE]: "A".repeat(96) }],
    ["a long signature", { ...good, [SIGNATURE]: "A".repeat(3000) }],
    ["a key that nobody knows", { ...good, "github-public-key-identifier": "another" }],
    ["another body's", signed(`${body} `)],
    ["a stranger's", { ...good, [SIGNATURE]: forged }],
  ];
  const rows: Refusal[] = [
    ...bodies.map(([sent, ...errors]) => ({
      ...invalid(JSON.stringify(sent).slice(0, 60), ["POST", REPORTS, sent], ...errors),
      by: null,
    })),
    {
      name: "no JSON",
      call: ["POST", REPORTS, "["],
      by: null,
      code: "malformed_body",
      errors: ["body: the error is at line 1, column 2"],
    },
    {
      name: "9000 characters",
      call: ["POST", REPORTS, { keys: ["a".repeat(9000)] }],
      by: null,
      code: "body_too_large",
      message: "The request body is larger than 8192 bytes.",
    },
    ...unsigned.map(([name, headers]): Refusal => ({
      name: `partner: ${name}`,
      call: ["POST", PARTNER, body],
      by: null,
      headers,
      code: "signature_invalid",
    })),
  ];
  const KEY = "f".repeat(64);
  const dismiss = `/v1/keys/${KEY}/leak/dismiss`;
  const why = { reason: "An example" };
  rows.push(
    unauthenticated("GET", REPORTS),
    denied(["GET", REPORTS], "revoke"),
    invalid(
      "an unknown state",
      ["GET", `${REPORTS}?state=closed`],
      "state: expected open or rotated or revoked or ended or false_positive",
    ),
    invalid(
      "an unknown object",
      ["GET", `${REPORTS}?object=person`],
      "object: expected key or access_token",
    ),
    invalid(
      "another list's cursor",
      ["GET", `${REPORTS}?cursor=x`],
      "cursor: expected the next_cursor of the same list",
    ),
    unauthenticated("POST", dismiss, why),
    denied(["POST", dismiss, why], "portal:read"),
    absent(["POST", dismiss, why]),
    invalid("no reason", ["POST", dismiss, {}], "reason: expected a string"),
  );
  return Promise.resolve({
    rows,
    unchanged: () => reportsBehind(desk.app.ctx.storage.reader, { behind: "" }, 1000),
  });
}, { environment: openDesk });

/** What views and the orders of lists refuse. */
import { writeCursor } from "../../../src/kernel/cursor.ts";
import { call } from "../../support/people.ts";
import { invalid, testRefusals } from "../../support/refusals.ts";

const VIEWS = "/v1/views";

/** Members that no view has so. */
const members: [name: string, body: object, error: string][] = [
  [
    "a list of moons",
    { list: "moons" },
    "list: expected key-requests or keys or certificates or developers or plans or deliveries or denied-calls",
  ],
  ["a blank name", { name: " " }, "name: must not be empty"],
  ["a name of 61", { name: "x".repeat(61) }, "name: expected at most 60 characters"],
  ["a control character", { name: "a\u0001b" }, "name: must not hold control or format characters"],
  [
    "a name that turns others round",
    { name: "a\u202eb" },
    "name: must not hold control or format characters",
  ],
  [
    "a query of nobody's",
    { query: { "A B": "c" } },
    "query.A B: expected up to 40 small letters, digits, - and _ (as a member's name)",
  ],
  [
    "a search of 256",
    { query: { q: "x".repeat(256) } },
    "query.q: expected at most 255 characters",
  ],
];

/** Orders that no index has. */
const byNothing = "sort: goes with no filter but a state other than expired";
const byDecision = "sort: decided_at goes with state issued or declined, and with no other filter";
const orders: [path: string, error: string][] = [
  ["/v1/keys?sort=expires_at&plan=p", byNothing],
  ["/v1/keys?sort=created&developer=d", byNothing],
  ["/v1/keys?sort=created&state=expired", byNothing],
  ["/v1/keys?sort=last_used_at", "sort: expected created or expires_at"],
  ["/v1/key-requests?sort=decided_at", byDecision],
  ["/v1/key-requests?sort=decided_at&state=pending", byDecision],
  ["/v1/key-requests?sort=decided_at&state=issued&q=ada", byDecision],
  ["/v1/developers?sort=email&direction=up", "direction: expected asc or desc"],
];

testRefusals("views", (desk) => {
  // A cursor is good for its own order.
  const cursor = writeCursor("keys created asc", { sort: "x", id: "y" });
  const rows = [
    ...members.map(([name, body, error]) =>
      invalid(name, ["POST", VIEWS, { list: "keys", name: "x", ...body }], error)
    ),
    invalid(
      "no columns",
      ["PUT", "/v1/me/columns", { list: "keys", columns: [] }],
      "columns: expected at least 1",
    ),
    ...orders.map(([path, error]) => invalid(path, ["GET", path], error)),
    invalid(
      "a cursor of another order",
      ["GET", `/v1/keys?sort=expires_at&cursor=${cursor}`],
      "cursor: expected the next_cursor of the same list",
    ),
  ];
  return Promise.resolve({ rows, unchanged: () => call(desk, "GET", VIEWS) });
});

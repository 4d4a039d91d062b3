/** What the endpoints of the catalogue, its APIs and its documents refuse. */
import { CATALOGUE, CONFIGURATION, pathTo, post, succeed } from "../../../support/companions.ts";
import {
  absent,
  denied,
  invalid,
  testRefusals,
  unauthenticated,
} from "../../../support/refusals.ts";

const APIS = "/v1/apis";
const DOCUMENTS = "/api/portal/documentation";
const sent = { api_id: "weather", doc_type: "swagger", documentation: "eyJhIjoxfQ==" };

testRefusals("catalogue", async (desk) => {
  await succeed(desk, "POST", APIS, { body: { id: "tides", name: "Tides" } });
  const { admin: other } = await desk.otherOrganisation();
  const make = (body: unknown) => ["POST", APIS, body] as const;
  const rows = [
    invalid("no name", make({}), "name: expected a string"),
    invalid("a blank name", make({ name: " " }), "name: must not be empty"),
    invalid(
      "a bell in a name",
      make({ name: "a\u0007" }),
      "name: must not hold control characters",
    ),
    invalid("a text for plans", make({ name: "a", plans: "free" }), "plans: expected an array"),
    {
      name: "an API that is there",
      call: make({ id: "tides", name: "Tides" }),
      code: "api_exists",
    },
    {
      name: "a plan that nobody knows",
      call: make({ name: "X", plans: ["none"] }),
      code: "unknown_plan",
    },
    invalid(
      "a cursor of nothing",
      ["GET", `${APIS}?cursor=x`],
      "cursor: expected the next_cursor of the same list",
    ),
    invalid(
      "catalogue: a number for a name",
      ["POST", CATALOGUE, { apis: [{ name: 7 }] }],
      "apis[0].name: expected a string",
    ),
    invalid(
      "catalogue: a text for a boolean",
      ["PUT", CATALOGUE, { apis: [{ config: { override: "yes" } }] }],
      "apis[0].config.override: expected true or false",
    ),
    invalid(
      "configuration: a text for a boolean",
      ["PUT", CONFIGURATION, { require_key_approval: "no" }],
      "require_key_approval: expected true or false",
    ),
    absent(["GET", `${APIS}/tides`], other),
    absent(["DELETE", `${APIS}/tides`], other, "not_found_for_deletion"),
    ...[["POST", APIS], ["PUT", `${APIS}/tides`], ["DELETE", `${APIS}/tides`]].map((
      [method = "", path = ""],
    ) => denied([method, path, method === "DELETE" ? undefined : { name: "X" }], "portal:write")),
    ...[CATALOGUE, CONFIGURATION].flatMap((path) => [
      denied(["POST", path, {}], "portal:read"),
      denied(["PUT", path, {}], "portal:read"),
    ]),
    unauthenticated("GET", APIS),
  ] as const;
  const unchanged = () =>
    Promise.all([APIS, CATALOGUE, CONFIGURATION].map((path) => succeed(desk, "GET", path)));
  return { rows, unchanged };
});

testRefusals("documents", async (desk) => {
  const id = await post(desk, DOCUMENTS, sent);
  const { admin: other } = await desk.otherOrganisation();
  const none = ([["none", undefined], [id, other]] as const).flatMap(([name, by]) => [
    absent(["GET", pathTo(DOCUMENTS, name)], by),
    absent(["PUT", pathTo(DOCUMENTS, name), sent], by),
    absent(["DELETE", pathTo(DOCUMENTS, name)], by, "not_found_for_deletion"),
  ]);
  const rows = [
    ...none,
    invalid(
      "a number for a document",
      ["POST", DOCUMENTS, { documentation: 7 }],
      "documentation: expected a string",
    ),
    {
      name: "a document of a MiB",
      call: ["POST", DOCUMENTS, { documentation: "x".repeat(1024 * 1024) }],
      code: "body_too_large",
      message: "The request body is larger than 1048576 bytes.",
    } as const,
    denied(["POST", DOCUMENTS, sent], "portal:write"),
  ];
  // Whoever may not write them reads them.
  const credential = await desk.token(["portal:write"]);
  return { rows, unchanged: () => succeed(desk, "GET", pathTo(DOCUMENTS, id), { credential }) };
});

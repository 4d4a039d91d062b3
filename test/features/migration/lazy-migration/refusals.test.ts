/** Who may switch learning on, and what is refused. */
import {
  absent,
  denied,
  invalid,
  testRefusals,
  unauthenticated,
} from "../../../support/refusals.ts";
import { callInPerson } from "../../../support/sign-in.ts";

const gateway = {
  name: "City",
  connection: "synced",
  url: "https://gateway.example.org",
  secret: "s",
};
const map = { name: "Edge", connection: "map", map: { api: "weather" } };
// Files of one module wait for each other.
const body = { ends_at: new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString() };
const refusedEnd = "ends_at: expected a time to come, within 366 days";

testRefusals("learning", async (desk) => {
  const { id } = await callInPerson(desk, "POST", "/v1/gateways", gateway);
  const hashes = await callInPerson(desk, "POST", "/v1/gateways", map);
  const other = await desk.otherOrganisation();
  const path = `/v1/gateways/${id}/lazy-migration`;
  return {
    rows: [
      unauthenticated("GET", path),
      unauthenticated("PUT", path, body),
      unauthenticated("DELETE", path),
      denied(["GET", path], "portal:read", "verify"),
      denied(["PUT", path, body], "portal:write", "approve", "verify", "admin:read"),
      denied(["DELETE", path], "admin:read"),
      unauthenticated("POST", `${path}/confirm`, { awaiting: 1 }),
      denied(["POST", `${path}/confirm`, { awaiting: 1 }], "approve", "admin:read"),
      invalid(
        "a yes to nothing",
        ["POST", `${path}/confirm`, { awaiting: 0 }],
        "awaiting: expected at least 1",
      ),
      absent(["GET", "/v1/gateways/nothing/lazy-migration"]),
      absent(["PUT", "/v1/gateways/nothing/lazy-migration", body]),
      absent(["DELETE", "/v1/gateways/nothing/lazy-migration"]),
      absent(["GET", path], other.admin),
      absent(["PUT", path, body], other.admin),
      absent(["DELETE", path], other.admin),
      invalid("no end", ["PUT", path, {}], "ends_at: expected a string"),
      invalid(
        "an end that is over",
        ["PUT", path, { ends_at: "2020-01-01T00:00:00Z" }],
        refusedEnd,
      ),
      invalid("an end too far", ["PUT", path, { ends_at: "2999-01-01T00:00:00Z" }], refusedEnd),
      invalid(
        "no questions",
        ["PUT", path, { ...body, questions_per_second: 0 }],
        "questions_per_second: expected at least 1",
      ),
      invalid(
        "a gateway that was never reached",
        ["PUT", path, body],
        "the gateway can't be believed: it was not reached yet",
      ),
      invalid(
        "a gateway of another kind",
        ["PUT", `/v1/gateways/${hashes.id}/lazy-migration`, body],
        "only a gateway of kind tyk teaches keys",
      ),
    ],
  };
});

/** What the endpoints of plans refuse. */
import { addPlan, pathTo, POLICIES, succeed } from "../../support/companions.ts";
import { type Sent } from "../../support/key-requests.ts";
import { absent, denied, invalid, testRefusals, unauthenticated } from "../../support/refusals.ts";

const FREE = "expected 0 or more, or -1 for no limit";
/** Members that no plan has so. */
const members: [sent: Sent, ...errors: string[]][] = [
  [{ name: undefined }, "name: required"],
  [{ name: "" }, "name: must not be empty"],
  [{ rate: -2 }, `rate: ${FREE}`],
  [{ per: -0.5 }, `per: ${FREE}`],
  [{ quota_max: 1.5 }, "quota_max: expected an integer"],
  [{ quota_max: -7 }, `quota_max: ${FREE}`],
  [{ quota_renewal_rate: "60" }, "quota_renewal_rate: expected a number"],
  [{ rate: 10 }, "per: expected more than 0 where rate is"],
  [{ rate: 10, per: -1 }, "per: expected more than 0 where rate is"],
  [{ access_rights: ["api-1"] }, "access_rights: expected an object"],
  [{ access_rights: { "api-1": true } }, "access_rights.api-1: expected an object"],
  [{ tags: "a" }, "tags: expected an array"],
  [{ active: "yes" }, "active: expected true or false"],
  [{ _id: "lost", id: "other" }, "_id: expected 24 lower-case hex digits"],
];

testRefusals("plans", async (desk) => {
  const id = await addPlan(desk, { id: "plan-1", name: "There" });
  const { admin: other } = await desk.otherOrganisation();
  const path = pathTo(POLICIES, id);
  const search = `${POLICIES}/search`;
  const rows = [
    ...members.map(([sent, ...errors]) =>
      invalid(JSON.stringify(sent), ["POST", POLICIES, { name: "Weather", ...sent }], ...errors)
    ),
    invalid("v1: no name", ["POST", "/v1/plans", { rate: 1 }], "name: required"),
    invalid(
      "v1: a cursor of nothing",
      ["GET", "/v1/plans?cursor=x"],
      "cursor: expected the next_cursor of the same list",
    ),
    invalid(
      "a search of 256",
      ["GET", `${search}?q=${"x".repeat(256)}`],
      "q: expected at most 255 characters",
    ),
    absent(["PUT", "/v1/plans/none/approval", {}]),
    absent(["GET", path], other),
    absent(["PUT", path, { name: "x" }], other),
    absent(["DELETE", path], other, "not_found_for_deletion"),
    denied(["POST", POLICIES, { name: "x" }], "portal:read"),
    denied(["PUT", path, { name: "x" }], "portal:read"),
    denied(["DELETE", path], "portal:read"),
    denied(["GET", search], "certs:read"),
    unauthenticated("GET", search),
  ];
  // Whoever may not change them reads them.
  const credential = await desk.token(["portal:read"]);
  const unchanged = () =>
    Promise.all([path, POLICIES].map((one) => succeed(desk, "GET", one, { credential })));
  return { rows, unchanged };
});

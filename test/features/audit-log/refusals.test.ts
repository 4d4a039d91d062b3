/** What the endpoints of the trail refuse. */
import { denied, invalid, testRefusals, unauthenticated } from "../../support/refusals.ts";

const ACTIVITY = "/v1/activity";
const time = "after: expected an RFC 3339 time such as 2026-01-31T09:00:00Z";

testRefusals("activity", () => {
  const rows = [
    unauthenticated("GET", ACTIVITY),
    denied(["GET", ACTIVITY], "portal:write", "approve", "secrets"),
    denied(["GET", ACTIVITY], "admin"),
    denied(["GET", `${ACTIVITY}/export`], "admin"),
    invalid("a time that is none", ["GET", `${ACTIVITY}?after=yesterday`], time),
    invalid("export: a time that is none", ["GET", `${ACTIVITY}/export?after=yesterday`], time),
    invalid(
      "a cursor of another list",
      ["GET", `${ACTIVITY}?cursor=WyJrZXlzIiwiIiwieCJd`],
      "cursor: expected the next_cursor of the same list",
    ),
    invalid(
      "a kind that there is not",
      ["GET", `${ACTIVITY}?kind=others`],
      'kind: Invalid option: expected one of "changes"|"sign_ins"',
    ),
  ];
  return Promise.resolve({ rows });
});

/** What the endpoints of the audit log refuse. */
import { denied, invalid, testRefusals, unauthenticated } from "../../support/refusals.ts";

const AUDIT_LOG = "/v1/audit-log";
const time = "after: expected an RFC 3339 time such as 2026-01-31T09:00:00Z";

testRefusals("activity", () => {
  const rows = [
    unauthenticated("GET", AUDIT_LOG),
    denied(["GET", AUDIT_LOG], "portal:write", "approve", "secrets"),
    denied(["GET", AUDIT_LOG], "admin"),
    denied(["GET", `${AUDIT_LOG}/export`], "admin"),
    invalid("a time that is none", ["GET", `${AUDIT_LOG}?after=yesterday`], time),
    invalid("export: a time that is none", ["GET", `${AUDIT_LOG}/export?after=yesterday`], time),
    invalid(
      "a cursor of another list",
      ["GET", `${AUDIT_LOG}?cursor=WyJrZXlzIiwiIiwieCJd`],
      "cursor: expected the next_cursor of the same list",
    ),
    invalid(
      "a kind that there is not",
      ["GET", `${AUDIT_LOG}?kind=others`],
      'kind: Invalid option: expected one of "changes"|"sign_ins"',
    ),
  ];
  return Promise.resolve({ rows });
});

/** What can't be asked about refusals. */
import { denied, invalid, testRefusals, unauthenticated } from "../../../support/refusals.ts";

testRefusals("refusals", () =>
  Promise.resolve({
    rows: [
      unauthenticated("GET", "/v1/refusals"),
      denied(["GET", "/v1/refusals"], "verify"),
      invalid(
        "a reason that there is not",
        ["GET", "/v1/refusals?reason=tired"],
        "reason: expected a reason such as over_rate",
      ),
      invalid(
        "a cursor of another list",
        ["GET", "/v1/refusals?cursor=abc"],
        "cursor: expected the next_cursor of the same list",
      ),
      invalid(
        "a day",
        ["GET", "/v1/refusals?after=2026-03-01"],
        "after: expected an RFC 3339 time such as 2026-01-31T09:00:00Z",
      ),
    ],
  }));

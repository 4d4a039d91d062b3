/** What can't be asked about denied calls. */
import {
  absent,
  denied,
  invalid,
  testRefusals,
  unauthenticated,
} from "../../../support/refusals.ts";

testRefusals("denied calls", () =>
  Promise.resolve({
    rows: [
      unauthenticated("GET", "/v1/denied-calls"),
      denied(["GET", "/v1/denied-calls"], "verify"),
      unauthenticated("GET", "/v1/denied-calls/0"),
      denied(["GET", "/v1/denied-calls/0"], "verify"),
      absent(["GET", "/v1/denied-calls/0"]),
      invalid(
        "a reason that there is not",
        ["GET", "/v1/denied-calls?reason=tired"],
        "reason: expected a reason such as over_rate",
      ),
      invalid(
        "a cursor of another list",
        ["GET", "/v1/denied-calls?cursor=abc"],
        "cursor: expected the next_cursor of the same list",
      ),
      invalid(
        "a day",
        ["GET", "/v1/denied-calls?after=2026-03-01"],
        "after: expected an RFC 3339 time such as 2026-01-31T09:00:00Z",
      ),
    ],
  }));

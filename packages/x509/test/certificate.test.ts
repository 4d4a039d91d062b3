import assert from "node:assert/strict";
import { daysLeft, NO_TIME, statusOf } from "../certificate.ts";

const validity = { not_before: "2026-01-01T00:00:00Z", not_after: "2026-12-31T23:59:59Z" };
const at = (text: string) => Date.parse(text);

Deno.test("statusOf: both ends belong to the validity; expiring counts whole days back", () => {
  const status = (now: string, days = 30) => statusOf(validity, at(now), days);
  assert.equal(status("2025-12-31T23:59:59.999Z"), "not_yet_valid");
  assert.equal(status("2026-01-01T00:00:00Z"), "valid");
  assert.equal(status("2026-12-01T23:59:58.999Z"), "valid");
  assert.equal(status("2026-12-01T23:59:59Z"), "expiring");
  assert.equal(status("2026-12-31T23:59:59Z", 0), "expiring");
  assert.equal(status("2026-12-31T23:59:59.001Z"), "expired");
});

Deno.test("statusOf: years before 1970 and up to 9999 are ordinary", () => {
  const long = { not_before: "0001-01-01T00:00:01Z", not_after: "9999-12-31T23:59:59Z" };
  assert.equal(statusOf(long, at("2026-01-01T00:00:00Z"), 30), "valid");
  const old = { not_before: "1950-01-01T00:00:00Z", not_after: "1969-12-31T23:59:59Z" };
  assert.equal(statusOf(old, at("2026-01-01T00:00:00Z"), 30), "expired");
});

Deno.test("daysLeft: whole days, rounded down, negative after the end", () => {
  const left = (now: string) => daysLeft(validity, at(now));
  assert.equal(left("2026-12-30T23:59:59Z"), 1);
  assert.equal(left("2026-12-31T23:59:59Z"), 0);
  assert.equal(left("2027-01-01T00:00:00Z"), -1);
});

Deno.test("a validity that ends before it begins is invalid, and leaves no days", () => {
  const never = { not_before: "2026-06-01T00:00:00Z", not_after: "2026-05-31T23:59:59Z" };
  for (const now of ["2026-01-01T00:00:00Z", "2026-06-01T00:00:00Z", "2027-01-01T00:00:00Z"]) {
    assert.equal(statusOf(never, at(now), 30), "invalid");
    assert.equal(daysLeft(never, at(now)), null);
  }
  const second = { not_before: never.not_before, not_after: never.not_before };
  assert.equal(statusOf(second, at(second.not_after), 30), "expiring");
});

Deno.test("a public key has no validity: always valid, no days left", () => {
  const none = { not_before: NO_TIME, not_after: NO_TIME };
  assert.equal(statusOf(none, at("2026-01-01T00:00:00Z"), 30), "valid");
  assert.equal(daysLeft(none, at("2026-01-01T00:00:00Z")), null);
});

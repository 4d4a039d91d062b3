/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly result: "ok" | "warn" | "fail" | "skip";
  readonly text: string;
}

const finding = (result: Finding["result"]) => (check: string, text: string): Finding => ({
  check,
  result,
  text,
});

/** It is as it should be. */
export const ok = finding("ok");
/** It works, and the operator should know. */
export const warn = finding("warn");
/** It has to be mended. */
export const fail = finding("fail");
/** It could not be looked at. */
export const skip = finding("skip");

/** Clocks that differ by more are worth a word, and by still more are wrong. */
const CLOCK_WARN_MS = 2000;
const CLOCK_FAIL_MS = 60_000;

/** The verdict on our clock, by its lead over another one. `slackMs`: how exactly that is known. */
export function clockFinding(aheadMs: number, other: string, slackMs = 0): Finding {
  const off = Math.max(0, Math.abs(aheadMs) - slackMs);
  const seconds = Math.round(Math.abs(aheadMs) / 100) / 10;
  const text = `${seconds} s ${aheadMs < 0 ? "behind" : "ahead of"} ${other}`;
  if (off > CLOCK_FAIL_MS) return fail("clock", text);
  return off > CLOCK_WARN_MS ? warn("clock", text) : ok("clock", `agrees with ${other}`);
}

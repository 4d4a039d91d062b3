import codes from "./failure-codes.json" with { type: "json" };

/** A code out of the closed table. */
export type FailureCode = keyof typeof codes;

/** Every way in which a call can fail: code → status → the sentence shown without a better one. */
export const failureCodes: Readonly<Record<FailureCode, { status: number; message: string }>> =
  codes;

/** The own messages of `/v1`, if the table has the original's: a plan is no policy. */
const ownMessages: Partial<Record<FailureCode, string>> = {
  unknown_plan: "There is no such plan.",
  plan_name_taken: "Another plan has this name already.",
  plan_id_taken: "Another plan has this id already.",
  inactive_plan: "This plan is not active.",
};

/** The public sentence of a code under `/v1`. */
export function ownMessageOf(code: FailureCode): string {
  return ownMessages[code] ?? failureCodes[code].message;
}

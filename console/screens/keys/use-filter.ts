/** How keys are narrowed by their use. */
export const uses = [
  { value: "", text: "Used or not" },
  { value: "30", text: "Unused for 30 days" },
  { value: "90", text: "Unused for 90 days" },
  { value: "365", text: "Unused for a year" },
  { value: "warned", text: "Warned as unused" },
  { value: "suspended", text: "Suspended as unused" },
  { value: "revoked", text: "Revoked as unused" },
  { value: "elsewhere", text: "Unused, left alone: valid elsewhere" },
] as const;

const steps = ["warned", "suspended", "revoked", "elsewhere"] as const;
/** Whether a choice is a step of the schedule of unused keys: it goes with no search. */
export const isStep = (use: string) => steps.some((step) => step === use);
const DAY_MS = 86_400_000;

/** The query of a choice of use; days are whole ones, so that all pages are of one list. */
export function unusedOf(use: string) {
  const schedule = steps.find((step) => step === use);
  if (schedule) return { schedule };
  const days = Number(use);
  if (!(days > 0)) return {};
  const since = (Math.floor(Date.now() / DAY_MS) - days) * DAY_MS;
  return { unused_since: new Date(since).toISOString() };
}

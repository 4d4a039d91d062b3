/** How a plan's keys are presented. */
export type AuthType = "authToken" | "basic" | "oauth" | "keyless";

/** Reads an auth type as catalogue entries and plans carry it; a value that nobody knows counts as `authToken`. */
export function toAuthType(text: string): AuthType {
  return text === "basic" || text === "oauth" || text === "keyless" ? text : "authToken";
}

import type { z } from "zod";
import type { deniedCall } from "../../../src/features/verification/denied-calls/denied-calls.contract.ts";
import { reasonTitles } from "./reason-titles.ts";
import { listed, say } from "../../said.ts";

/** A call that was refused. */
export type DeniedCall = z.output<typeof deniedCall>;
/** Why. */
export type Reason = DeniedCall["reason"];

/** Why it was refused, in a sentence. */
export function sentenceOf(one: DeniedCall): string {
  const { reason, api_id, limit, per_seconds, valid_for: opens, ended_at, hash_start } = one;
  switch (reason) {
    case "unknown":
      return say`Keydesk does not know this key; its SHA-256 begins with ${hash_start}`;
    case "revoked":
      return "The key was revoked";
    case "suspended":
      return "The key is suspended";
    case "damaged":
      return "The key's row is not as it was written";
    case "expired":
      return ended_at === null ? "The key has expired" : say`Expired ${ended_at.slice(0, 10)}`;
    case "address_unknown":
      return "The gateway sent no address of the visitor, and the key is for some alone";
    case "address":
      return "The visitor's address is none of the key's";
    case "unknown_plan":
      return "None of its plans exists";
    case "plan_inactive":
      return "None of its plans is active";
    case "wrong_api":
      return opens.length === 0
        ? say`No plan of it is for ${api_id ?? "an API"}`
        : say`Called ${api_id ?? "any API"}, valid for ${listed(opens)}`;
    default:
      return limit === null
        ? reasonTitles[reason]
        : `More than ${limit.toLocaleString("en")} ${limit === 1 ? "call" : "calls"} ${
          spanOf(per_seconds)
        }`;
  }
}

/** "a minute", "in 30 seconds". */
function spanOf(seconds: number | null): string {
  if (seconds === null || seconds > 1e9) return "in all";
  const known: Record<number, string> = {
    1: "a second",
    60: "a minute",
    3600: "an hour",
    86_400: "a day",
  };
  return known[seconds] ?? `in ${seconds.toLocaleString("en")} seconds`;
}

/** The key's name, else the part of it that may be shown. */
export function calledKey({ key_name, key_mask, hash_start }: DeniedCall): string {
  return key_name || key_mask || `${hash_start}…`;
}

import { z } from "zod";

/** Characters of the longest text that is looked up; as long as what a key is found by. */
export const LONGEST_KEY = 4096;

/** Characters of the longest place where something was found. */
const LONGEST_URL = 2048;

/**
 * Characters that no location may contain: control characters, line ends, and those that turn or
 * hide the text around.
 */
const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a place can be shown as it is. */
export function isShowable(url: string): boolean {
  return url.length <= LONGEST_URL && url.isWellFormed() && !UNSHOWABLE.test(url);
}

/** The answer to a report, whatever it named. */
export const leaksReceived = z.strictObject({
  received: z.int().meta({ description: "How many texts it held." }),
}).meta({ id: "LeaksReceived" });

/** The body of `reportLeaks`. */
export const leaksInput = z.object({
  keys: z.array(z.string().trim().min(1).max(LONGEST_KEY)).min(1).max(100)
    .meta({
      description:
        "The secrets that were found; only hashes of them are kept, until they are looked up.",
    }),
  url: z.string().max(LONGEST_URL).refine(isShowable, {
    error: "must not hold control characters",
  }).optional().meta({ description: "The place of the find." }),
}).meta({ id: "LeaksInput" });

/** The body of a scanning partner: one object a match. */
export const partnerMatches = z.array(z.object({
  token: z.string().min(1),
  type: z.string().default(""),
  url: z.string().default(""),
}));

/** The answer that a scanning partner may get. */
export const partnerFeedback = z.array(z.strictObject({
  token_hash: z.string(),
  token_type: z.string(),
  label: z.literal("false_positive"),
})).meta({ id: "LeakFeedback" });

import { z } from "zod";

/** What somebody typed: an app's code, or a recovery code. Blanks and hyphens do not count. */
export const oneTimeCodeInput = z.string().trim().min(1).max(64);

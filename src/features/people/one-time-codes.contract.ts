import { z } from "zod";

/** A typed code: an app's, or a recovery code. Blanks and hyphens do not count. */
export const oneTimeCodeInput = z.string().trim().min(1).max(64);

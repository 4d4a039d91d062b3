import type { z } from "zod";
import type { temporaryAccessRule } from "../../../src/features/sign-in/temporary-access/temporary-access-rules.contract.ts";

/** A rule of temporary access, as the server shows it. */
export type TemporaryAccessRule = z.output<typeof temporaryAccessRule>;

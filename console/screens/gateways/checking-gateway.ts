import type { z } from "zod";
import type { door } from "../../../src/features/verification/gateways/checking-gateways.contract.ts";

/** A door that somebody set up. */
export type Door = z.output<typeof door>;

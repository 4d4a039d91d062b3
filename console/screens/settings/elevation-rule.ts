import type { z } from "zod";
import type { elevationRule } from "../../../src/features/sign-in/temporary-access/elevation-rules.contract.ts";

/** A rule of elevations, as the server shows it. */
export type ElevationRule = z.output<typeof elevationRule>;

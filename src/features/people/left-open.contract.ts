import { z } from "zod";
import { nullable } from "../../contract/v1.ts";
import { text } from "../../contract/values.ts";

/** Approvals that no one can give any more since a change of people. */
export const leftOpen = z.strictObject({
  plans: z.array(z.strictObject({
    plan: nullable(text).meta({ description: "The plan's `_id`; null: the default." }),
    name: text.meta({ description: "The name of the plan; empty: the default." }),
    lacks: z.array(text).meta({ description: "Its problem, in words." }),
  })).meta({ description: "Plans whose approval policy can't be fulfilled from now on." }),
  key_requests: z.array(text).meta({
    description:
      "The ids of key requests that can't be decided from now on, of the newest 1,000 that wait.",
  }),
}).meta({ id: "LeftOpen" });

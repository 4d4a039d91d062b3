import { z } from "zod";
import { deniedByPlans } from "../../contract/denied-calls.ts";
import { nullable } from "../../contract/v1.ts";

/** Why a key whose state is active is denied all the same, in the words of verification. */
export const denied = nullable(z.enum(deniedByPlans)).meta({
  description:
    "Why verification denies each call of an active key: `unknown_plan`, none of its plans exists; `plan_inactive`, none of those is switched on; `wrong_api`, those are for limits alone. null: its plans are valid for something, or the key is not active.",
});

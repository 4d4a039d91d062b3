import { z } from "zod";
import { outcomes } from "../../contract/approval-outcomes.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { granted } from "../keys/conditions.contract.ts";

/** The policy under which a request was asked, with who has approved. */
export const policyView = z.strictObject({
  outcome: z.enum(outcomes),
  not_by_filer: z.boolean(),
  present_step: nullable(z.int()).meta({
    description: "Which of `steps` waits now, from 0; null: none does.",
  }),
  steps: z.array(z.strictObject({
    name: text,
    need: z.int(),
    missing: z.int().meta({ description: "How many of its people must still approve." }),
    approved: z.array(z.strictObject({
      id: text,
      name: text.meta({ description: "The names of the approvers as they approved." }),
      in_place_of: nullable(z.strictObject({ id: text, name: text })).meta({
        description: "The absent person whose step it is; null: their own step.",
      }),
      at: timestamp,
      reason: nullable(text).meta({ description: "For those who approve alone." }),
      message: nullable(text).meta({
        description: "To the developer, who gets the words of all with the decision.",
      }),
      granted: nullable(granted).meta({
        description:
          "The conditions that they grant; null: as requested. The strictest of all counts.",
      }),
    })),
  })),
}).meta({ id: "KeyRequestApproval" });

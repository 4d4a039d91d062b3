import { z } from "zod";
import { permissions } from "../../../contract/permissions.ts";
import { nullable } from "../../../contract/v1.ts";
import { text } from "../../../contract/values.ts";
import { covers } from "../../people/people.contract.ts";

/** The permissions of a person, and their sources. */
export const personPermissions = z.strictObject({
  person_id: text,
  role: nullable(text),
  covers: nullable(covers),
  can: z.array(z.strictObject({
    permission: z.enum(permissions),
    sentence: text.meta({ description: "What it lets them do, and by what they have it." }),
    open: z.boolean().meta({ description: "False: their scope or their state closes it." }),
  })),
  limits: z.array(text).meta({ description: "What is in the way of all that, a sentence each." }),
}).meta({ id: "PermissionsOfPerson" });

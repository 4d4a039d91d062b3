import { z } from "zod";
import { permissions } from "../../../contract/permissions.ts";
import { nullable } from "../../../contract/v1.ts";
import { text } from "../../../contract/values.ts";
import { scope } from "../../people/people.contract.ts";

/** The permissions of a person, and their sources. */
export const personPermissions = z.strictObject({
  person_id: text,
  role: nullable(text),
  scope: nullable(scope),
  can: z.array(z.strictObject({
    permission: z.enum(permissions),
    sentence: text.meta({ description: "The permissions that it gives, and their source." }),
    open: z.boolean().meta({ description: "False: their scope or their state closes it." }),
  })),
  limits: z.array(text).meta({ description: "Problems that prevent all that, a sentence each." }),
}).meta({ id: "PermissionsOfPerson" });

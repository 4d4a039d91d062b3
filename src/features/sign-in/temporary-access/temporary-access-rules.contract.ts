import { z } from "zod";
import {
  MOST_TEMPORARY_ACCESS_MINUTES,
  temporaryAccessProofs,
} from "../../../contract/temporary-access.ts";
import { permissions } from "../../../contract/permissions.ts";
import { id, text, timestamp } from "../../../contract/values.ts";
import { nameInput, roleInput } from "../../people/people.contract.ts";

export const proof = z.enum(temporaryAccessProofs).meta({
  description:
    "`passkey`: the person signs it by a passkey of theirs; `second_person`: one of `seconds` confirms.",
});

/** A rule as it is read. */
export const temporaryAccessRule = z.strictObject({
  id: text,
  name: text,
  people: z.array(text).meta({ description: "The ids of those who may get temporary access." }),
  role: text,
  permissions: z.array(z.enum(permissions)).meta({
    description:
      "The permissions of temporary access: those that the role gave as the rule was written, and still gives.",
  }),
  minutes: z.int().meta({ description: "How long one lasts at the most." }),
  proof,
  seconds: z.array(text).meta({ description: "The ids of those who may say yes." }),
  receivers: z.array(text).meta({
    description: "The ids of people who are notified by mail, besides every administrator.",
  }),
  usable: z.boolean().meta({
    description:
      "False: it can't be used now, since its people are gone, have no passkey or no second person, or its role gives nothing.",
  }),
  notified: z.strictObject({ people: z.int(), webhooks: z.int() }).meta({
    description:
      "How many would be notified of temporary access now. None: its alarm reaches no person.",
  }),
  date_created: timestamp,
  date_updated: timestamp,
}).meta({ id: "TemporaryAccessRule" });

export const people = (most: number) => z.array(id).max(most);

export const ruleInput = z.object({
  name: nameInput,
  people: people(50).min(1),
  role: roleInput,
  minutes: z.int().min(1).max(MOST_TEMPORARY_ACCESS_MINUTES),
  proof,
  seconds: people(20).optional().meta({ description: "With the proof `second_person` alone." }),
  receivers: people(20).optional(),
}).meta({ id: "TemporaryAccessRuleInput" });

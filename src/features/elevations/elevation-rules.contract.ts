import { z } from "zod";
import {
  elevationProofs,
  MOST_ELEVATED_MINUTES,
  MOST_ELEVATION_RULES,
} from "../../contract/elevations.ts";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { exampleIds } from "../../contract/example-ids.ts";
import { permissions } from "../../contract/permissions.ts";
import { entityTag, ifMatch } from "../../contract/v1.ts";
import { id, text, timestamp } from "../../contract/values.ts";
import { nameInput, roleInput } from "../access/people.contract.ts";

const tag = "People";

const proof = z.enum(elevationProofs).meta({
  description:
    "`passkey`: the person signs it by a passkey of theirs; `second_person`: one of `seconds` says yes.",
});

/** A rule as it is read. */
export const elevationRule = z.strictObject({
  id: text,
  name: text,
  people: z.array(text).meta({ description: "The ids of those who may be elevated." }),
  role: text,
  permissions: z.array(z.enum(permissions)).meta({
    description:
      "What an elevation gives: what the role gave as the rule was written, and gives now.",
  }),
  minutes: z.int().meta({ description: "How long one lasts at the most." }),
  proof,
  seconds: z.array(text).meta({ description: "The ids of those who may say yes." }),
  receivers: z.array(text).meta({
    description: "The ids of people who are told by mail, besides every administrator.",
  }),
  usable: z.boolean().meta({
    description:
      "False: nobody can use it now, since its people are gone, have no passkey or no second person, or its role gives nothing.",
  }),
  told: z.strictObject({ people: z.int(), webhooks: z.int() }).meta({
    description: "How many would be told of an elevation now. None: its alarm is heard by nobody.",
  }),
  date_created: timestamp,
  date_updated: timestamp,
}).meta({ id: "ElevationRule" });

const people = (most: number) => z.array(id).max(most);

const ruleInput = z.object({
  name: nameInput,
  people: people(50).min(1),
  role: roleInput,
  minutes: z.int().min(1).max(MOST_ELEVATED_MINUTES),
  proof,
  seconds: people(20).optional().meta({ description: "With the proof `second_person` alone." }),
  receivers: people(20).optional(),
}).meta({ id: "ElevationRuleInput" });

const example = {
  name: "Incidents",
  people: [exampleIds.person],
  role: "approver",
  minutes: 60,
  proof: "passkey" as const,
};

const setErrors = [
  ...bodyErrors,
  "unknown_role",
  "permission_not_held",
  "elevation_rule_name_taken",
] as const;

/** All of them. */
export const listElevationRules = defineEndpoint({
  id: "listElevationRules",
  method: "GET",
  path: "/v1/elevation-rules",
  tag,
  summary: "List the rules of break-glass: who may hold which role for a while, and how",
  description: `The oldest first, at most ${MOST_ELEVATION_RULES}.`,
  permission: ["admin:read"],
  response: z.strictObject({ data: z.array(elevationRule) }).meta({ id: "ElevationRuleList" }),
  errors: [],
});

/** One more. */
export const createElevationRule = defineEndpoint({
  id: "createElevationRule",
  method: "POST",
  path: "/v1/elevation-rules",
  tag,
  summary: "Name who may hold a role for a while; every administrator is told by mail",
  description:
    "An elevation never gives `admin`, `operator`, `metrics`, `act:developer` or `verify`, whatever the role does; of `admin` it gives `admin:read`. Nobody gives what they do not hold.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: ruleInput,
  idempotent: true,
  answerHeaders: entityTag,
  response: elevationRule,
  errors: [...setErrors, "too_many_elevation_rules"],
  example,
});

/** Another rule in its place. */
export const updateElevationRule = defineEndpoint({
  id: "updateElevationRule",
  method: "PUT",
  path: "/v1/elevation-rules/{id}",
  tag,
  summary: "Change a rule; elevations by it end at once, and every administrator is told by mail",
  description:
    "What its role gives by now is what it gives from now on. Nobody changes a rule that gives more than they hold.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: ruleInput,
  headers: ifMatch,
  answerHeaders: entityTag,
  response: elevationRule,
  errors: [...setErrors, "not_found", "person_holds_more", "precondition_failed"],
  example: { ...example, name: "Incidents at night", minutes: 30 },
});

/** None any more. */
export const deleteElevationRule = defineEndpoint({
  id: "deleteElevationRule",
  method: "DELETE",
  path: "/v1/elevation-rules/{id}",
  tag,
  summary: "Remove a rule; elevations by it end at once, and every administrator is told by mail",
  description: "What was done by it stays in the trail.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true), ended: z.int() })
    .meta({ id: "ElevationRuleRemoved" }),
  errors: ["not_found"],
});

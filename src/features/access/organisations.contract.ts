import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { pageOf } from "../../contract/paging.ts";
import { nextPageLink, pageQuery } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { OWN_ID } from "../../kernel/ids.ts";
import { nameInput } from "./people.contract.ts";

const tag = "Organisations";

/** An organisation, as the operator sees it: nothing of what is in it. */
const organisation = z.strictObject({ id: text, name: text, date_created: timestamp })
  .meta({ id: "Organisation" });

/** Organisations of this server. */
export const listOrganisations = defineEndpoint({
  id: "listOrganisations",
  method: "GET",
  path: "/v1/organisations",
  tag,
  summary: "List organisations, newest first; for the operator, that is within the first one",
  description: "Each organisation's data is its own: no access token reaches another's.",
  permission: ["operator"],
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(organisation).meta({ id: "OrganisationList" }),
  errors: ["invalid_input"],
});

/** A further organisation. */
export const createOrganisation = defineEndpoint({
  id: "createOrganisation",
  method: "POST",
  path: "/v1/organisations",
  tag,
  summary:
    "Make an organisation with its first administrator, whose access token is shown this once",
  description:
    "The administrator's access token opens the new organisation alone. An `id` moves in from another system, whose keys and certificates begin with it.",
  permission: ["operator"],
  needsFreshSignIn: true,
  body: z.object({
    id: z.string().regex(OWN_ID, { error: "expected 24 lower-case hexadecimal digits" }).optional()
      .meta({ description: "Its id, such as it had in another system; absent: a fresh one." }),
    name: nameInput,
    administrator: nameInput,
  }).meta({ id: "OrganisationInput" }),
  idempotent: true,
  response: z.strictObject({
    id: text,
    name: text,
    date_created: timestamp,
    administrator: z.strictObject({ person_id: text, credential_id: text, credential: text }),
  }).meta({ id: "CreatedOrganisation" }),
  errors: [...bodyErrors, "organisation_exists"],
  example: { name: "Weather Service", administrator: "Grace" },
});

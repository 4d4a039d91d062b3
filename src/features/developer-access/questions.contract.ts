import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { text, withoutControls } from "../../contract/values.ts";

const tag = "Developer's pages";

const shown = z.array(z.strictObject({ name: text, required: z.boolean() }));

const fieldName = withoutControls(z.string().trim().min(1).max(100));
const given = z.array(z.object({ name: fieldName, required: z.boolean() })).max(50).default([])
  .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, {
    error: "expected each name once",
  });

/** What developers are asked for. */
export const pagesFields = z.strictObject({
  sign_up_fields: shown.meta({
    description: "Whoever signs up fills these in beside their name: `signup_fields`.",
  }),
  key_request_fields: shown.meta({
    description: "What a key request is asked for, where its plan asks for nothing of its own.",
  }),
}).meta({ id: "DeveloperPagesFields" });

/** What are developers asked for? */
export const getPagesFields = defineEndpoint({
  id: "getPagesFields",
  method: "GET",
  path: "/v1/developer-pages/fields",
  tag,
  summary: "Read what developers are asked for: at sign-up, and with a key request",
  description: "From the portal configuration of the older interface.",
  permission: ["admin:read"],
  response: pagesFields,
  errors: [],
});

/** They are asked for something else. */
export const putPagesFields = defineEndpoint({
  id: "putPagesFields",
  method: "PUT",
  path: "/v1/developer-pages/fields",
  tag,
  summary: "Replace what developers are asked for; what is left out asks for nothing",
  description:
    "Changes these two members of the portal configuration and nothing else of it. What a portal stored with a field stays with the field of that name.",
  permission: ["admin"],
  body: z.object({ sign_up_fields: given, key_request_fields: given })
    .meta({ id: "DeveloperPagesFieldsInput" }),
  response: pagesFields,
  errors: [...bodyErrors],
  example: {
    sign_up_fields: [{ name: "company", required: false }],
    key_request_fields: [{ name: "use_case", required: true }],
  },
});

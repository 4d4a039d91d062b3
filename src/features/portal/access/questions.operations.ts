import { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { actorOf } from "../../../calls/principal.ts";
import { bodyErrors } from "../../../contract/endpoint.ts";
import { operation } from "../../../http/operation.ts";
import { findConfiguration } from "../../plans/catalogue/catalogue.store.ts";
import type { CatalogueConfig } from "../../plans/catalogue/live-catalogue.ts";
import { emptyConfiguration } from "../../plans/catalogue/portal.contract.ts";
import { question, questionsInput } from "../../plans/catalogue/questions.contract.ts";
import { questionsIn, USE_CASE } from "../../plans/catalogue/questions.ts";
import { changeQuestions } from "../../plans/catalogue/portal.transactions.ts";

const tag = "Developer's pages";

const questions = z.array(question);

/** The questions to developers. */
const pagesFields = z.strictObject({
  sign_up_fields: questions.meta({
    description: "Fields of sign-up beside the name: `signup_fields`.",
  }),
  key_request_fields: questions.meta({
    description:
      "Fields of a key request, if its plan has no fields of its own. An organisation that has stored none asks one question, which is not required.",
  }),
}).meta({ id: "DeveloperPagesFields" });

/** Reads the questions to developers. */
export const getPagesFields = operation({
  id: "getPagesFields",
  method: "GET",
  path: "/v1/developer-pages/fields",
  tag,
  summary: "Read what developers are asked for: at sign-up, and with a key request",
  description: "From the portal configuration of the older interface.",
  permission: ["admin:read"],
  response: pagesFields,
  errors: [],
  serve: (ctx) => get(ctx),
});

const developerPagesFieldsInput = z.object({
  sign_up_fields: questionsInput.default([]),
  key_request_fields: questionsInput.default([]),
})
  .meta({ id: "DeveloperPagesFieldsInput" });

/** They are asked for something else. */
export const putPagesFields = operation({
  id: "putPagesFields",
  method: "PUT",
  path: "/v1/developer-pages/fields",
  tag,
  summary: "Replace what developers are asked for; what is left out asks for nothing",
  description:
    "Changes these two members of the portal configuration and nothing else of it. Values that a portal stored with a question stay with the question of that name.",
  permission: ["admin"],
  body: developerPagesFieldsInput,
  response: pagesFields,
  errors: [...bodyErrors, "managed_by_file"],
  example: {
    sign_up_fields: [{ name: "company", required: false }],
    key_request_fields: [{ name: "use_case", required: true }],
  },
  async serve(ctx, { body }) {
    const { sign_up_fields, key_request_fields } = body;
    await ctx.storage.commit(changeQuestions, {
      actor: actorOf(ctx.principal, ctx.clock.now()),
      questions: { signup_fields: sign_up_fields, key_request_fields },
      empty: emptyConfiguration,
      strict: isStrict(ctx),
    });
    return await get(ctx);
  },
});

/** The questions to developers, in the order of the configuration. */
async function get(ctx: RequestContext): Promise<z.output<typeof pagesFields>> {
  const { storage, principal: { org_id } } = ctx;
  const stored = await findConfiguration(storage.reader, { org_id });
  if (stored === undefined) return { sign_up_fields: [], key_request_fields: [USE_CASE] };
  // as: the store's documents are written from the contract's own type.
  const { signup_fields = [], key_request_fields = [] } = JSON.parse(stored) as Partial<
    CatalogueConfig
  >;
  return {
    sign_up_fields: questionsIn(signup_fields, isStrict(ctx)),
    key_request_fields: questionsIn(key_request_fields, isStrict(ctx)),
  };
}

function isStrict({ settings }: RequestContext): boolean {
  return settings.references === "strict";
}

import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { askedFields } from "../catalogue/catalogue-entry.ts";
import { findConfiguration } from "../catalogue/catalogue.store.ts";
import type { CatalogueConfig } from "../catalogue/live-catalogue.ts";
import { emptyConfiguration } from "../catalogue/portal.contract.ts";
import { changeQuestions } from "../catalogue/portal.transactions.ts";
import type { pagesFields, putPagesFields } from "./questions.contract.ts";

/** What developers are asked for, in the order of the configuration. */
export async function get(ctx: RequestContext): Promise<z.output<typeof pagesFields>> {
  const { storage, principal: { org_id } } = ctx;
  const stored = await findConfiguration(storage.reader, { org_id });
  // as: the store's documents are written from the contract's own type.
  const { signup_fields = [], key_request_fields = [] } = JSON.parse(
    stored ?? "{}",
  ) as Partial<CatalogueConfig>;
  const asked = (fields: readonly unknown[]) =>
    askedFields({ key_request_fields: fields }, isStrict(ctx));
  return { sign_up_fields: asked(signup_fields), key_request_fields: asked(key_request_fields) };
}

/** They are asked for this from now on. */
export async function replace(
  ctx: RequestContext,
  body: z.output<NonNullable<typeof putPagesFields.body>>,
): Promise<z.output<typeof pagesFields>> {
  const { sign_up_fields, key_request_fields } = body;
  await ctx.storage.commit(changeQuestions, {
    actor: actorOf(ctx.principal, ctx.clock.now()),
    questions: { signup_fields: sign_up_fields, key_request_fields },
    empty: emptyConfiguration,
    strict: isStrict(ctx),
  });
  return await get(ctx);
}

function isStrict({ settings }: RequestContext): boolean {
  return settings.references === "strict";
}

import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { actorOf } from "../../../calls/principal.ts";
import { Answer } from "../../../kernel/answer.ts";
import { refuseTooMuchUnknown } from "../../../kernel/unknown-members.ts";
import { catalogueConfig, catalogueEntry } from "./catalogue.contract.ts";
import { findCatalogue, findConfiguration } from "./catalogue.store.ts";
import { portalId } from "./portal-ids.ts";
import { seenEntries } from "./seen-entries.service.ts";
import {
  type catalogueInput,
  type configurationInput,
  emptyConfiguration,
} from "./portal.contract.ts";
import { setCatalogue, setConfiguration } from "./portal.transactions.ts";

/** The organisation's catalogue, as far as the caller sees it; an empty one before there is any. */
export async function getCatalogue(ctx: RequestContext): Promise<Answer<string>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const known = await findCatalogue(reader, { org_id });
  const entries = known ? await seenEntries(ctx) : [];
  const head = JSON.stringify({ id: known?.id ?? portalId(org_id, "catalogue"), org_id });
  const apis = entries.map((entry) => entry.document).join(",");
  const email = JSON.stringify(known?.email ?? "");
  return new Answer(`${head.slice(0, -1)},"apis":[${apis}],"email":${email}}`);
}

/** Sets the catalogue and gives its id. */
export async function putCatalogue(
  ctx: RequestContext,
  input: z.output<typeof catalogueInput>,
): Promise<string> {
  for (const [i, entry] of input.apis.entries()) {
    refuseTooMuchUnknown(`apis[${i}]`, entry, catalogueEntry.input.parse(entry));
  }
  return await ctx.storage.commit(setCatalogue, {
    actor: actorOf(ctx.principal, ctx.clock.now()),
    email: input.email,
    entries: input.apis.map((entry) => {
      const { api_id, policy_id } = entry;
      return { api_id, policy_id, document: JSON.stringify(entry) };
    }),
  });
}

/** The organisation's portal configuration; an empty one before there is any. */
export async function getConfiguration(ctx: RequestContext): Promise<Answer<string>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const stored = await findConfiguration(reader, { org_id });
  const id = portalId(org_id, "configuration");
  return new Answer(stored ?? JSON.stringify({ ...emptyConfiguration, id, org_id }));
}

/** Sets the configuration and gives its id. */
export async function putConfiguration(
  ctx: RequestContext,
  input: z.output<typeof configurationInput>,
): Promise<string> {
  refuseTooMuchUnknown("body", input, catalogueConfig.input.parse(input));
  const actor = actorOf(ctx.principal, ctx.clock.now());
  return await ctx.storage.commit(setConfiguration, { actor, members: input });
}

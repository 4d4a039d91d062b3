import type { z } from "zod";
import type { ReceivedHeaders } from "../../../../packages/http-listener/request.ts";
import type { RequestContext } from "../../../calls/context.ts";
import { actorOf } from "../../../calls/principal.ts";
import { mailKind } from "../../../contract/mail-kinds.ts";
import type { Connection } from "../../../storage/storage.ts";
import { publicBrand } from "../../branding/public-brand.ts";
import { areLinksMailed } from "../../notifications/recipients.transactions.ts";
import type { developerPagesSettings, developerPagesView } from "./developer-pages.contract.ts";
import { type DeveloperPages, pagesAt, pagesOf } from "./developer-pages.ts";
import { replaceDeveloperPages } from "./developer-pages.transactions.ts";

type Settings = z.output<typeof developerPagesSettings>;

/** The settings of the caller's organisation. */
export async function get(ctx: RequestContext): Promise<Settings> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const codes_mailed = await areCodesMailed(ctx, reader, org_id);
  return { ...await pagesOf(reader, org_id), codes_mailed };
}

/** Replaces them. Throws `host_taken`. */
export async function replace(ctx: RequestContext, pages: DeveloperPages): Promise<Settings> {
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(replaceDeveloperPages, { actor, pages });
  return await get(ctx);
}

/** The public data of the pages at this host. Throws `not_found`. */
export async function serialize(
  ctx: RequestContext,
  headers: ReceivedHeaders,
): Promise<z.output<typeof developerPagesView>> {
  const { reader } = ctx.storage;
  const { org_id, pages } = await pagesAt(ctx, headers);
  const { name, logo, colour, support } = await publicBrand(reader, org_id);
  const code = await areCodesMailed(ctx, reader, org_id);
  return {
    organisation: { name, logo, colour, support },
    sign_in: { code, password: pages.passwords },
    sign_up: code ? pages.sign_up : "closed",
  };
}

const CODE = mailKind("developer.code_asked");

/** Whether codes reach anybody: there is a mail server, and a channel that mails them. */
export async function areCodesMailed(
  { mail }: Pick<RequestContext, "mail">,
  db: Connection,
  org_id: string,
): Promise<boolean> {
  return await mail() !== undefined && await areLinksMailed(db, org_id, CODE);
}

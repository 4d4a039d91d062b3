import { may } from "../../calls/principal.ts";
import { Answer } from "../../kernel/answer.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import type { RequestRow } from "./key-requests.store.ts";
import { toKeyRequest } from "./show-key-request.ts";

/** How many key requests of an answer show a secret. */
export interface Seen {
  secrets: number;
}

/** A request as the older interface shows it to the caller. */
export async function toJson(ctx: CatalogueContext, row: RequestRow, seen: Seen): Promise<string> {
  const { storage, liveCatalogue, principal, sealer } = ctx;
  const live = await liveCatalogue.at(storage.reader, principal.org_id, row.catalogue_revision);
  return toKeyRequest(row, principal.org_id, live, opensSecrets(ctx) ? sealer : null, seen);
}

/** Whether the caller reads what is sealed. */
export function opensSecrets(ctx: CatalogueContext): boolean {
  const { covers } = ctx.principal;
  // Secrets are the developer's, who may have more than the scope.
  return !ctx.settings.maskSecrets && covers === undefined && may(ctx.principal, "secrets");
}

/** A request's text as an answer, with its revision as the entity tag. */
export function tagged(text: string, revision: string): Answer<string> {
  return new Answer(text, { etag: `"${revision}"` });
}

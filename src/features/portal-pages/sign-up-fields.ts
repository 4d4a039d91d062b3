import type { ReceivedHeaders } from "../../calls/received.ts";
import type { ServiceContext } from "../../calls/context.ts";
import { askedFields } from "../catalogue/catalogue-entry.ts";
import { findConfiguration } from "../catalogue/catalogue.store.ts";
import type { CatalogueConfig } from "../catalogue/live-catalogue.ts";
import { pagesAt } from "../developer-access/developer-pages.ts";

/** What whoever signs up is asked for. */
export interface SignUpField {
  readonly name: string;
  readonly required: boolean;
  /** True of the one that these pages ask for by themselves. */
  readonly isName: boolean;
}

/** Their name, and what the portal's configuration asks for besides. */
export async function askedAtSignUp(
  ctx: Pick<ServiceContext, "storage" | "settings">,
  headers: ReceivedHeaders,
): Promise<SignUpField[]> {
  const { org_id } = await pagesAt(ctx, headers);
  const stored = await findConfiguration(ctx.storage.reader, { org_id });
  // as: the store's documents are written from the contract's own type.
  const { signup_fields = [] } = JSON.parse(stored ?? "{}") as Partial<CatalogueConfig>;
  const isStrict = ctx.settings.references === "strict";
  const asked = askedFields({ key_request_fields: signup_fields }, isStrict);
  const others = asked.filter(({ name }) => name.toLowerCase() !== "name");
  return [
    { name: "name", required: true, isName: true },
    ...others.map(({ name, required }) => ({ name, required, isName: false })),
  ].slice(0, 50);
}

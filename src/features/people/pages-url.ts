import type { Connection } from "../../storage/storage.ts";
import { findFirstOrganisation } from "./organisations.store.ts";
import { findPages } from "../developers/developer-pages.store.ts";

/** The addresses of the server, by its settings; "": not set. */
export interface ServerUrls {
  readonly publicUrl: string;
  readonly portalUrl: string;
}

/**
 * The prefix of links to an organisation's developer's pages; undefined: they are off, or have no
 * address.
 */
export async function pagesUrl(
  db: Connection,
  org_id: string,
  { publicUrl, portalUrl }: ServerUrls,
): Promise<string | undefined> {
  // as: the pages' settings are written from the contract's own type.
  const { enabled = false, host = "" } = JSON.parse(await findPages(db, { org_id }) ?? "{}") as {
    enabled?: boolean;
    host?: string;
  };
  if (!enabled) return undefined;
  if (host !== "") return `https://${host}`;
  const isFirst = (await findFirstOrganisation(db))?.id === org_id;
  return isFirst ? portalUrl || publicUrl || undefined : undefined;
}

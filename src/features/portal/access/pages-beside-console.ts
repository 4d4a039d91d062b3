import type { Connection } from "../../../storage/storage.ts";
import { findFirstOrganisation } from "../../people/organisations.store.ts";
import { readPages } from "./developer-pages.ts";
import { findAllPages } from "../../developers/developer-pages.store.ts";

/**
 * Of pages where everybody signs up, those at the host of the console, a sentence for each: what
 * runs in a page of one origin reaches the other's. Addresses as the settings have them; "": not
 * set.
 */
export async function pagesBesideConsole(
  db: Connection,
  { publicUrl, portalUrl }: { publicUrl: string; portalUrl: string },
): Promise<string[]> {
  const first = await findFirstOrganisation(db);
  const sentences: string[] = [];
  for (const { org_id, document } of await findAllPages(db)) {
    const { enabled, sign_up, host } = readPages(document);
    if (!enabled || sign_up !== "open") continue;
    // Others than the first one's are nowhere without a host.
    if (host === "" && org_id !== first?.id) continue;
    const at = host || hostOf(portalUrl);
    if (at !== "" && at !== hostOf(publicUrl)) continue;
    sentences.push(
      `everybody may sign up at the developer's pages of organisation ${org_id}, which are at the console's host: ` +
        "give them a name of their own (KEYDESK_PORTAL_URL, or their host)",
    );
  }
  return sentences;
}

function hostOf(url: string): string {
  return url === "" ? "" : new URL(url).host;
}

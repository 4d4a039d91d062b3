import type { z } from "zod";
import type { ReceivedHeaders } from "../../../../packages/http-listener/request.ts";
import type { ServiceContext } from "../../../calls/context.ts";
import { Failure } from "../../../kernel/failure.ts";
import { LONGEST_HEADER } from "../../../kernel/input-limits.ts";
import type { Connection } from "../../../storage/storage.ts";
import { findFirstOrganisation } from "../../people/organisations.store.ts";
import type { developerPages } from "./developer-pages.contract.ts";
import { findPages, findPagesOfHost } from "../../developers/developer-pages.store.ts";

/** The settings of an organisation's developer's pages. */
export type DeveloperPages = z.output<typeof developerPages>;

/** The settings if none are stored; a test compares the contract's defaults. */
export const OFF: DeveloperPages = {
  enabled: false,
  host: "",
  sign_up: "closed",
  mail_domains: [],
  passwords: true,
  back_end_access: "look",
};

/** The settings of the store's text; what an older row lacks has its default. */
export function readPages(document: string | undefined): DeveloperPages {
  // as: replaceDeveloperPages writes it; releases before 0.9.0 said `back_end_opens`.
  const { back_end_opens: back_end_access = OFF.back_end_access, ...stored } = JSON.parse(
    document ?? "{}",
  ) as Partial<DeveloperPages> & { back_end_opens?: DeveloperPages["back_end_access"] };
  return { ...OFF, back_end_access, ...stored };
}

/** The settings of an organisation. */
export async function pagesOf(db: Connection, org_id: string): Promise<DeveloperPages> {
  return readPages(await findPages(db, { org_id }));
}

/** Pages that are switched on, with the organisation whose they are. */
interface OpenPages {
  readonly org_id: string;
  readonly pages: DeveloperPages;
}

/**
 * The organisation whose pages a call means, by its host. The first organisation's are at
 * `KEYDESK_PORTAL_URL`, and without that setting at every host that no other has. Throws
 * `not_found` if there are none, or they are off.
 */
export async function pagesAt(
  { storage: { reader }, settings }: Pick<ServiceContext, "storage" | "settings">,
  headers: ReceivedHeaders,
): Promise<OpenPages> {
  const named = headers.get("host")?.trim().toLowerCase() ?? "";
  const host = named.length <= LONGEST_HEADER ? named : "";
  const own = host === "" ? undefined : await findPagesOfHost(reader, { host });
  const found = own ?? await firstOnes(reader, settings.portalUrl, host);
  const pages = readPages(found?.document);
  if (!found || !pages.enabled) throw new Failure("not_found");
  return { org_id: found.org_id, pages };
}

async function firstOnes(
  db: Connection,
  portalUrl: string,
  host: string,
): Promise<{ org_id: string; document: string | undefined } | undefined> {
  if (portalUrl !== "" && host !== "" && new URL(portalUrl).host !== host) return undefined;
  const first = await findFirstOrganisation(db);
  if (!first) return undefined;
  const document = await findPages(db, { org_id: first.id });
  // Pages with their own host are at that host alone.
  return readPages(document).host === "" ? { org_id: first.id, document } : undefined;
}

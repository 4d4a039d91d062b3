import type { RequestContext } from "../../../calls/context.ts";
import type { ReceivedHeaders } from "../../../../packages/http-listener/request.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import type { Connection } from "../../../storage/storage.ts";
import { findNonce } from "../../accounts/sso.store.ts";
import { findDeveloper, findDeveloperByEmail } from "../../developers/developer-accounts.store.ts";
import { nameOfDeveloper } from "../../developers/developer-names.ts";
import { emailIn } from "../../developers/developer-text.ts";
import { findLink } from "./developer-links.store.ts";
import { pagesAt } from "./developer-pages.ts";
import { isOpenSession } from "./developer-session.ts";
import { findDeveloperSession } from "./developer-sessions.store.ts";

/** The values with which another site sends a browser. */
export type Brought = { link: string } | { nonce: string };

/** The developer whose session it becomes, or is; `viewer`: the person who only views. */
interface Entered {
  viewer: string | null;
  developer: { id: string; called: string };
}

/** The session that the browser has at these pages; undefined: none that opens anything. */
export async function sessionHere(
  ctx: RequestContext,
  headers: ReceivedHeaders,
  secret: string | undefined,
): Promise<Entered & { id: string } | undefined> {
  if (secret === undefined) return undefined;
  const { storage: { reader }, clock } = ctx;
  const { org_id } = await pagesAt(ctx, headers);
  const row = await findDeveloperSession(reader, { hash: sha256(secret) });
  if (!row || row.org_id !== org_id || !isOpenSession(row, clock.now())) return undefined;
  const developer = await calledOf(reader, org_id, row.developer_id);
  return developer && { id: row.id, viewer: row.viewer, developer };
}

/**
 * Whom a link or a nonce would sign in; undefined: no one. It is not used by that, and tells no
 * more than signing in by it would.
 */
export async function namedByLink(
  ctx: RequestContext,
  headers: ReceivedHeaders,
  brought: Brought,
): Promise<Entered | undefined> {
  const { storage: { reader }, clock } = ctx;
  const { org_id } = await pagesAt(ctx, headers);
  const now = toTimestamp(clock.now());
  if ("link" in brought) {
    const link = await findLink(reader, { org_id, hash: sha256(brought.link), now });
    const developer = link && await calledOf(reader, org_id, link.developer_id);
    return developer && { viewer: link.viewer, developer };
  }
  const nonce = await findNonce(reader, { org_id, hash: sha256(brought.nonce), now });
  const row = nonce &&
    await findDeveloperByEmail(reader, { org_id, email_key: nonce.email_key });
  return row && { viewer: null, developer: called(row) };
}

async function calledOf(reader: Connection, org_id: string, id: string) {
  const row = await findDeveloper(reader, { org_id, id });
  return row && called(row);
}

/** Both where both are known: a name alone may be anybody's. */
function called({ id, document }: { id: string; document: string }): Entered["developer"] {
  const name = nameOfDeveloper(document).trim();
  const email = emailIn(document).trim();
  return { id, called: name === "" ? email || id : email === "" ? name : `${name} (${email})` };
}

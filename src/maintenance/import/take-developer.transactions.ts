import type { Actor } from "../../changes/audit.ts";
import {
  replaceDeveloper,
  setPasswordHash,
} from "../../features/developers/developer-accounts.store.ts";
import { type Developer, foldedEmail, ssoKeyHash } from "../../features/developers/developer.ts";
import { forgetEmailProof } from "../../features/developers/email-proof.store.ts";
import { insertDeveloper, lockDeveloper } from "../../features/developers/developers.store.ts";
import { findEmailOwner } from "../../features/developers/folded-emails.store.ts";
import { findSsoKeyOwner } from "../../features/developers/sso-keys.store.ts";
import { withdrawOneTimeLinksOf } from "../../features/keys/one-time-links/withdraw-one-time-links.transactions.ts";
import { SUSPENDED_WITH_DEVELOPER } from "../../features/keys/end-keys.store.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Tx } from "../../storage/storage.ts";
import type { Finding } from "./findings.ts";
import type { DeveloperItem } from "./items.ts";

/**
 * Adds or replaces a developer. If another developer has the e-mail address or sso_key, it arrives
 * without that, which is reported. A replacement leaves keys and OAuth clients as they are here:
 * those have a life of their own. A developer who becomes inactive by it loses the open one-time
 * links of their keys.
 */
export async function takeDeveloper(
  tx: Tx,
  actor: Actor,
  item: DeveloperItem,
  replaces: boolean,
  report: (finding: Finding) => void,
): Promise<boolean> {
  const { org_id } = actor;
  const { id, password_hash } = item;
  const before = replaces ? await lockDeveloper(tx, org_id, id) : undefined;
  if (replaces && !before) throw new Failure("unavailable");
  const known = before ? item.unknown.map((name) => [name, before[name]] as const) : [];
  const reportedFields = { ...item.developer, ...Object.fromEntries(known) };
  const after = await withOwnNames(tx, org_id, reportedFields, report);
  if (before) {
    const { keys, subscriptions, oauth_clients, last_login_date } = before;
    const maps = { keys, subscriptions, oauth_clients, last_login_date };
    await replaceDeveloper(tx, org_id, before, { ...after, ...maps });
    if (after.inactive && !before.inactive) {
      await withdrawOneTimeLinksOf(tx, actor, id, SUSPENDED_WITH_DEVELOPER);
    }
  } else if (!await insertDeveloper(tx, org_id, after)) throw new Failure("unavailable");
  // The person who imports an organisation vouches for its addresses.
  await forgetEmailProof(tx, org_id, id);
  if (password_hash !== null) await setPasswordHash(tx, { org_id, id, password_hash });
  return true;
}

async function withOwnNames(
  tx: Tx,
  org_id: string,
  developer: Developer,
  report: (finding: Finding) => void,
): Promise<Developer> {
  const { id, email, sso_key } = developer;
  let after = developer;
  const folded = foldedEmail(email);
  const holder = folded === "" ? undefined : await findEmailOwner(tx, { org_id, folded });
  if (holder !== undefined && holder !== id) {
    after = { ...after, email: "" };
    report({ kind: "developer", id, code: "email_taken", detail: `by ${holder}` });
  }
  const other = sso_key === ""
    ? undefined
    : await findSsoKeyOwner(tx, { org_id, hash: ssoKeyHash(sso_key) });
  if (other !== undefined && other !== id) {
    after = { ...after, sso_key: "" };
    report({ kind: "developer", id, code: "sso_key_taken", detail: `by ${other}` });
  }
  return after;
}

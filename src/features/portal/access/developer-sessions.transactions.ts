import type { Actor } from "../../../changes/audit.ts";
import { recordAlone } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { isForeignHash } from "../../../kernel/passwords/foreign-hash.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { useNonce } from "../../accounts/sso.transactions.ts";
import { findPasswordOf } from "../../developers/developer-accounts.store.ts";
import { namesOfDeveloper } from "../../developers/developer-names.ts";
import { lockDeveloper } from "../../developers/developers.store.ts";
import { emailProofOf, isProved } from "../../developers/email-proof.ts";
import { endSessionOf } from "../../developers/end-session.transactions.ts";
import { findEmailProof } from "../../developers/email-proof.store.ts";
import { burnLink, type DeveloperLinkRow, insertLink, lockLink } from "./developer-links.store.ts";
import { pagesOf } from "./developer-pages.ts";
import { developerSessionsOf, noteDeveloperUse } from "./developer-sessions.store.ts";
import { noteDeveloperTokenUse } from "./developer-tokens.store.ts";
import {
  type NewDeveloperSession,
  type OpenedSession,
  openSession,
} from "./open-session.transactions.ts";
import { maySee } from "./viewer.ts";

/**
 * Keeps a link by which a portal's back end signs its developer in, or a person of the organisation
 * sees what the developer does. Throws `not_found`.
 */
export const keepLink = defineTransaction(
  "developer-access.keep-link",
  async (tx, input: { actor: Actor; link: Omit<DeveloperLinkRow, "org_id"> }): Promise<null> => {
    const { actor, link } = input;
    const { org_id } = actor;
    const developer = await lockDeveloper(tx, org_id, link.developer_id);
    if (!developer || developer.inactive) throw new Failure("not_found");
    await insertLink(tx, { org_id, ...link });
    await recordAlone(tx, actor, {
      action: link.viewer === null ? "developer_link.created" : "developer_view.created",
      object_id: link.id,
      detail: { developer_id: link.developer_id },
      names: namesOfDeveloper(developer),
    });
    return null;
  },
);

/**
 * Signs the developer of a link in, once: of two who open it at once, one gets in. A link by a
 * person of the organisation who wants to see gives a session that reads, whatever the pages are
 * set to. Throws `not_authorised`.
 */
export const signInByLink = defineTransaction(
  "developer-access.sign-in-by-link",
  async (
    tx,
    input: { org_id: string; hash: string; session: NewDeveloperSession },
  ): Promise<OpenedSession> => {
    const { org_id, hash, session } = input;
    const link = await lockLink(tx, { org_id, hash, now: toTimestamp(session.now) });
    const developer = link && await lockDeveloper(tx, org_id, link.developer_id);
    if (!developer || !await burnLink(tx, { org_id, hash })) throw new Failure("not_authorised");
    const { token_id, viewer } = link;
    if (viewer !== null) {
      if (!await maySee(tx, org_id, viewer)) throw new Failure("not_authorised");
      const opening = {
        opened_by: "view",
        opens: "read",
        token_id,
        viewer,
        proved_at: null,
      } as const;
      return await openSession(tx, org_id, developer, opening, session);
    }
    return await openSession(tx, org_id, developer, {
      opened_by: "link",
      opens: (await pagesOf(tx, org_id)).back_end_access,
      token_id,
      proved_at: null,
    }, session);
  },
);

/** Signs in by a nonce of an identity broker. */
export const signInByNonce = defineTransaction(
  "developer-access.sign-in-by-nonce",
  async (
    tx,
    input: { org_id: string; hash: string; session: NewDeveloperSession },
  ): Promise<OpenedSession> => {
    const { org_id, hash, session } = input;
    const { developer, token_id } = await useNonce(tx, { org_id, hash, now: session.now })
      .catch(refused);
    return await openSession(tx, org_id, developer, {
      opened_by: "nonce",
      opens: (await pagesOf(tx, org_id)).back_end_access,
      token_id,
      proved_at: null,
    }, session);
  },
);

/** Makes every invalid credential's error equal, whether it ever existed or not. */
function refused(error: unknown): never {
  const isOfNonce = error instanceof Failure && ["nonce_gone", "not_found"].includes(error.code);
  throw isOfNonce ? new Failure("not_authorised") : error;
}

/**
 * Signs a developer in whose password was checked just now, against `checked`; not where another
 * one was set meanwhile, which ends sessions that began before it. A password that an access token
 * set opens no more than a link does. Throws `not_authorised`.
 */
export const signInByPassword = defineTransaction(
  "developer-access.sign-in-by-password",
  async (
    tx,
    input: {
      org_id: string;
      developer_id: string;
      checked: string;
      session: NewDeveloperSession;
    },
  ): Promise<OpenedSession> => {
    const { org_id, developer_id, checked, session } = input;
    const developer = await lockDeveloper(tx, org_id, developer_id);
    if (!developer) throw new Failure("not_authorised");
    const password = await findPasswordOf(tx, { org_id, id: developer_id });
    // An imported hash has become one of ours since.
    const isSame = password?.password_hash === checked || isForeignHash(checked);
    if (!password?.password_hash || !isSame) throw new Failure("not_authorised");
    const isOwn = isOwnPassword(password.password_hash, password.own_password);
    const proof = emailProofOf(
      await findEmailProof(tx, { org_id, id: developer_id }),
      developer.email,
    );
    return await openSession(tx, org_id, developer, {
      opened_by: "password",
      opens: isOwn && isProved(proof) ? "all" : "look",
      token_id: "",
      proved_at: null,
    }, session);
  },
);

/** Whether the developer chose their password, or an import brought it. */
function isOwnPassword(password_hash: string, own_password: string | null): boolean {
  return isForeignHash(password_hash) || own_password === sha256(password_hash);
}

/** Ends a session of the developer who calls. Throws `not_found`. */
export const endDeveloperSession = defineTransaction(
  "developer-access.end-session",
  async (tx, input: { actor: Actor; developer_id: string; id: string }) => {
    const { actor, developer_id, id } = input;
    if (!await endSessionOf(tx, actor, developer_id, id)) throw new Failure("not_found");
  },
  { withoutRoom: true },
);

/** Ends all sessions of the developer who calls. Tells how many there were. */
export const endDeveloperSessions = defineTransaction(
  "developer-access.end-sessions",
  async (tx, input: { actor: Actor; developer_id: string }): Promise<number> => {
    const { actor, developer_id } = input;
    const { org_id } = actor;
    // None begins meanwhile that would be left over.
    await lockDeveloper(tx, org_id, developer_id);
    let ended = 0;
    for (const { id } of await developerSessionsOf(tx, { org_id, developer_id })) {
      if (await endSessionOf(tx, actor, developer_id, id)) ended++;
    }
    return ended;
  },
  { withoutRoom: true },
);

type Use = { org_id: string; id: string; last_used_at: string };

/** Keeps when a session was used. No audit row: no one decided anything. */
export const noteSessionUse = defineTransaction(
  "developer-access.note-session-use",
  async (tx, input: Use) => {
    await noteDeveloperUse(tx, input);
  },
);

/** Notes the use of a token. */
export const noteTokenUse = defineTransaction(
  "developer-access.note-token-use",
  async (tx, input: Use) => {
    await noteDeveloperTokenUse(tx, input);
  },
);

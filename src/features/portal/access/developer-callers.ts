import type { ServiceContext } from "../../../calls/context.ts";
import { developerActor, type Principal } from "../../../calls/principal.ts";
import type { Asked } from "../../../http/call.ts";
import { isSecureCall, requireCsrfToken, sessionSecretOf } from "../../../http/session-cookie.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { LONGEST_CREDENTIAL_HEADER } from "../../../kernel/input-limits.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { findDeveloperState } from "../../developers/developer-accounts.store.ts";
import { isMistyped } from "../../people/access-token.ts";
import { findTokenByHash } from "../../people/access-tokens.store.ts";
import type { FindsDevelopers } from "../../people/callers.ts";
import { LONGEST_SECRET } from "../../people/sessions.ts";
import { pagesAt } from "./developer-pages.ts";
import { developerCsrfToken, isFreshOwn, isOpenSession } from "./developer-session.ts";
import { findDeveloperSession } from "./developer-sessions.store.ts";
import { noteSessionUse, noteTokenUse } from "./developer-sessions.transactions.ts";
import { isMistypedToken, isOfDevelopers } from "../../developers/developer-token.ts";
import { findDeveloperToken } from "./developer-tokens.store.ts";
import { maySee } from "./viewer.ts";

/** A last use is written at most this often, in milliseconds. */
const EVERY_MS = 60_000;

type CallersContext = Pick<
  ServiceContext,
  "storage" | "clock" | "settings" | "clientAddresses" | "attempts"
>;

/**
 * Finds out which developer calls for themselves: by the token in `Authorization`, else by the
 * cookie of their session. Nothing is kept in memory, so whatever ends a session, a token, a
 * developer, the person who sees their pages, or the pages does so at once, on every node.
 */
export class DeveloperCallers implements FindsDevelopers {
  readonly #ctx: CallersContext;
  /** The sessions and tokens whose use is being written. */
  readonly #writing = new Set<string>();

  constructor(ctx: CallersContext) {
    this.#ctx = ctx;
  }

  /**
   * The developer. Throws `not_found` where there are no pages at the host, `not_authorised`,
   * `too_many_requests`, and `csrf_refused` for a change by session that does not come from our own
   * page.
   */
  async find(asked: Asked): Promise<Principal> {
    const { headers } = asked.request;
    const { org_id } = await pagesAt(this.#ctx, headers);
    const header = headers.get("authorization");
    const found = header === null
      ? await this.#bySession(asked, org_id)
      : await this.#byToken(header, asked, org_id);
    const state = await findDeveloperState(this.#ctx.storage.reader, {
      org_id,
      id: found.developer?.id ?? "",
    });
    // Deleted or inactive since.
    if (state !== 0) throw new Failure("not_authorised");
    return found;
  }

  /** Whether a text is the token of a developer, which opens nothing but their own pages' calls. */
  async isTheirs(token: string): Promise<boolean> {
    if (!isOfDevelopers(token) || isMistypedToken(token)) return false;
    const { storage: { reader } } = this.#ctx;
    return await findDeveloperToken(reader, { hash: sha256(token) }) !== undefined;
  }

  async #bySession(asked: Asked, org_id: string): Promise<Principal> {
    const { request: { headers, method }, peer } = asked;
    const { storage: { reader }, clock, settings } = this.#ctx;
    const isSecure = isSecureCall(this.#ctx, { headers, peer });
    const secret = sessionSecretOf(headers, isSecure, "developer");
    if (!secret || secret.length > LONGEST_SECRET) throw new Failure("not_authorised");
    // By the SHA-256 of a long random value: the look-up's timing tells nothing that helps to guess
    // one.
    const row = await findDeveloperSession(reader, { hash: sha256(secret) });
    const now = clock.now();
    if (!row || row.org_id !== org_id || !isOpenSession(row, now)) {
      throw new Failure("not_authorised");
    }
    if (row.viewer !== null && !await maySee(reader, org_id, row.viewer)) {
      throw new Failure("not_authorised");
    }
    const csrf_token = developerCsrfToken(secret);
    if (method !== "GET" && method !== "HEAD") {
      requireCsrfToken(headers, csrf_token, settings.portalUrl || settings.publicUrl);
    }
    this.#noteUse(row, now, noteSessionUse);
    const isOwn = isFreshOwn(row, now);
    return {
      org_id,
      // Whatever they leave behind is theirs, and not the developer's.
      user_id: row.viewer ?? developerActor(row.developer_id),
      token_id: row.token_id,
      permissions: [],
      session: { id: row.id, csrf_token, expires_at: row.expires_at, isFresh: isOwn },
      developer: {
        id: row.developer_id,
        by: "session",
        mayChange: row.opens !== "read",
        opensAll: row.opens === "all",
        isFreshOwn: isOwn,
      },
    };
  }

  async #byToken(header: string, asked: Asked, org_id: string): Promise<Principal> {
    const { storage: { reader }, clock, attempts, clientAddresses } = this.#ctx;
    const token = header.length > LONGEST_CREDENTIAL_HEADER
      ? ""
      : header.replace(/^\s*bearer\s+/i, "").trim();
    const hash = sha256(token);
    const address = clientAddresses.of({ headers: asked.request.headers, peer: asked.peer });
    // Counted by a hash of its own: an access token that is wrong here is good elsewhere.
    const credential = sha256(`developer\0${token}`);
    const refused = () =>
      attempts.failed("access", { address, credential }) ?? new Failure("not_authorised");
    if (token === "") throw new Failure("not_authorised");
    // No store is asked for what can't have been made.
    if (isMistypedToken(token)) throw refused();
    if (attempts.isWrong("access", credential)) throw refused();
    // A person's access token is presented in the wrong place: it is no guess.
    const isPersons = !isOfDevelopers(token) && !isMistyped(token) &&
      await findTokenByHash(reader, { hash }) !== undefined;
    if (isPersons) throw new Failure("not_authorised");
    const row = await findDeveloperToken(reader, { hash });
    const now = clock.now();
    if (!row || row.org_id !== org_id || Date.parse(row.expires_at) <= now) throw refused();
    this.#noteUse(row, now, noteTokenUse);
    return {
      org_id,
      user_id: developerActor(row.developer_id),
      token_id: row.id,
      permissions: [],
      developer: {
        id: row.developer_id,
        by: "token",
        mayChange: row.scope === "keys",
        opensAll: row.scope === "keys",
        isFreshOwn: false,
      },
    };
  }

  /** Written beside the call: a use that gets lost ends a session early, never late. */
  #noteUse(
    { org_id, id, last_used_at }: { org_id: string; id: string; last_used_at: string | null },
    now: number,
    note: typeof noteSessionUse,
  ): void {
    if (now - Date.parse(last_used_at ?? "1970-01-01T00:00:00Z") < EVERY_MS) return;
    if (this.#writing.has(id)) return;
    this.#writing.add(id);
    this.#ctx.storage.commit(note, { org_id, id, last_used_at: toTimestamp(now) })
      .catch(() => {})
      .finally(() => this.#writing.delete(id));
  }
}

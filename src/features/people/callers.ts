import type { ServiceContext } from "../../calls/context.ts";
import type { Origin } from "../../calls/origin.ts";
import { ANONYMOUS, type Principal } from "../../calls/principal.ts";
import type { ReceivedHeaders } from "../../../packages/http-listener/request.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { takesSessions } from "../../contract/envelope.ts";
import type { Asked } from "../../http/call.ts";
import { contentTypeOf, parseFormBody } from "../../http/decode-body.ts";
import { isSecureCall, requireCsrfToken, sessionSecretOf } from "../../http/session-cookie.ts";
import { basicCredentials } from "../../kernel/basic-credentials.ts";
import { Failure } from "../../kernel/failure.ts";
import { opensFrom } from "./address-list.ts";
import { type Authenticator, presentedToken } from "./authenticate.ts";
import type { Sessions } from "./sessions.ts";
import type { WithTokenUses } from "./token-uses.ts";

/** The header that a page sends while it has not been touched for a while. */
const BACKGROUND_HEADER = "x-keydesk-background";

/** The server's part that finding out the caller needs. */
type CallersContext =
  & Pick<ServiceContext, "clientAddresses" | "settings" | "notes">
  & WithTokenUses;

/** Finds the developer who calls for themselves. Throws `not_authorised` and what `find` throws. */
export interface FindsDevelopers {
  find(asked: Asked): Promise<Principal>;
  /** Whether a text is a developer's token: it is presented in the wrong place, and is no guess. */
  isTheirs(token: string): Promise<boolean>;
}

/** A request with what the audit log tells of it. */
interface Call {
  readonly asked: Asked;
  readonly origin: Origin;
  /** The endpoint's path. */
  readonly path: string;
}

/**
 * Finds out who calls: by the access token in a header, or as an OAuth client presents it, or by a
 * browser's session.
 */
export class Callers {
  readonly #authenticator: Authenticator;
  readonly #sessions: Sessions;
  readonly #developers: FindsDevelopers;
  readonly #ctx: CallersContext;

  constructor(
    authenticator: Authenticator,
    sessions: Sessions,
    developers: FindsDevelopers,
    ctx: CallersContext,
  ) {
    this.#authenticator = authenticator;
    this.#sessions = sessions;
    this.#developers = developers;
    this.#ctx = ctx;
  }

  /**
   * Finds the caller of this endpoint, at once if that is known. Throws `not_authorised`;
   * `too_many_requests` if wrong access tokens came before; `csrf_refused` for a change by session
   * that does not come from our own page.
   */
  find(endpoint: Endpoint, asked: Asked, origin: Origin): Principal | Promise<Principal> {
    const { request, rawBody } = asked;
    if (endpoint.permission === "developer") return this.#developers.find(asked);
    const call = { asked, origin, path: endpoint.path };
    if (endpoint.clientAuthentication && rawBody) {
      const secret = presentedAsClient(request.headers, rawBody);
      if (secret !== undefined) return this.#byClientSecret(secret, call);
    }
    const header = request.headers.get(endpoint.credentialHeader ?? "authorization");
    const found = header === null && takesSessions(endpoint)
      ? this.#bySession(call)
      : this.#authenticator.authenticate(header);
    if (found === undefined) throw this.#refusal(header, call);
    // A cached caller was noted when they were looked up, a second ago at the most.
    return found instanceof Promise
      ? this.#orRefusal(found, header, call)
      : this.#fromHere(found, call);
  }

  /**
   * The access token is where an OAuth client's secret does; so the refusal is that of RFC 6749,
   * 5.2.
   */
  async #byClientSecret(secret: string, call: Call): Promise<Principal> {
    const header = `Bearer ${secret}`;
    const found = await this.#authenticator.authenticate(header);
    try {
      if (!found) throw this.#refusal(header, call);
      return this.#noted(this.#fromHere(found, call), call);
    } catch (error) {
      if (!(error instanceof Failure && error.code === "not_authorised")) throw error;
      throw new Failure("oauth_invalid_client");
    }
  }

  async #orRefusal(
    finding: Promise<Principal | undefined>,
    header: string | null,
    call: Call,
  ): Promise<Principal> {
    const found = await finding;
    if (found === undefined) {
      const token = header === null ? undefined : presentedToken(header);
      if (token !== undefined && await this.#developers.isTheirs(token)) {
        throw new Failure("not_authorised");
      }
      throw this.#refusal(header, call);
    }
    return this.#noted(this.#fromHere(found, call), call);
  }

  /** The caller. Throws as for a wrong access token where it opens nothing from here. */
  #fromHere(found: Principal, { asked, origin }: Call): Principal {
    if (found.addresses === undefined) return found;
    const from = { headers: asked.request.headers, peer: asked.peer };
    const { clientAddresses, tokenUses } = this.#ctx;
    if (opensFrom(found, clientAddresses.exactly(from))) return found;
    tokenUses.refused(found, origin);
    throw this.#authenticator.refusalOfAddress(clientAddresses.of(from));
  }

  #noted(found: Principal, { origin }: Call): Principal {
    this.#ctx.tokenUses.used(found, origin);
    return found;
  }

  /** A call without an access token is no attempt. */
  #refusal(header: string | null, { asked, origin, path }: Call): Failure {
    const { request: { headers }, peer } = asked;
    const address = this.#ctx.clientAddresses.of({ headers, peer });
    const failure = this.#authenticator.refusal(header, address);
    if (header !== null && header.trim() !== "") {
      const presented = this.#authenticator.hashOf(header);
      const limited = failure.code === "too_many_requests";
      const refused = { path, by: "header", presented, limited };
      this.#ctx.notes.refusedSignIn({ ...ANONYMOUS, origin }, refused);
    }
    return failure;
  }

  /**
   * By the cookie. A change by it must come from our own page. An automatic request of a page is no
   * use of the session.
   */
  async #bySession({ asked, origin, path }: Call): Promise<Principal | undefined> {
    const { request: { headers, method }, peer } = asked;
    const isSecure = isSecureCall(this.#ctx, { headers, peer });
    const found = await this.#sessions.find(sessionSecretOf(headers, isSecure));
    if (!found) return undefined;
    const { principal } = found;
    if (principal.session && method !== "GET" && method !== "HEAD") {
      try {
        requireCsrfToken(headers, principal.session.csrf_token, this.#ctx.settings.publicUrl);
      } catch (error) {
        const code = error instanceof Failure ? error.code : "";
        this.#ctx.notes.refusedCall({ ...principal, origin }, { method, path, code });
        throw error;
      }
    }
    if (!headers.has(BACKGROUND_HEADER)) found.noteUse();
    return principal;
  }
}

/**
 * The access token that a caller presents as an OAuth client its secret: after `Basic`, or as
 * `client_secret` in the form; empty where it can't be read. Undefined: the caller presents none
 * so. Throws `invalid_input` where there is an `Authorization` header and a `client_secret` (RFC
 * 6749, 2.3: no more than one method).
 */
function presentedAsClient(headers: ReceivedHeaders, body: Uint8Array): string | undefined {
  const authorization = headers.get("authorization");
  const inBody = secretIn(headers, body);
  if (authorization === null) return inBody;
  if (inBody !== undefined) {
    const message = "client_secret: must not stand in the body beside the Authorization header";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  if (!BASIC.test(authorization)) return undefined;
  return basicCredentials(authorization)?.client_secret ?? "";
}

const BASIC = /^\s*basic(\s|$)/i;

/** Problems of the form are reported to permitted callers. */
function secretIn(headers: ReceivedHeaders, body: Uint8Array): string | undefined {
  try {
    return parseFormBody(body, contentTypeOf(headers)).client_secret;
  } catch {
    return undefined;
  }
}

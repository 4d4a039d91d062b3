import type { Peer } from "../../calls/abuse/client-addresses.ts";
import type { ServiceContext } from "../../calls/context.ts";
import type { Principal } from "../../calls/principal.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { takesSessions } from "../../contract/envelope.ts";
import type { Asked } from "../../http/call.ts";
import { requireCsrfToken } from "../../http/own-page.ts";
import { sessionSecretOf } from "../../http/session-cookie.ts";
import { Failure } from "../../kernel/failure.ts";
import { opensFrom } from "./address-list.ts";
import type { Authenticator } from "./authenticate.ts";
import { presentedAsClient } from "./client-authentication.ts";
import type { Sessions } from "./sessions.ts";
import type { WithTokenUses } from "./token-uses.ts";

/** What finding out who calls needs of the desk. */
type CallersDesk = Pick<ServiceContext, "clientAddresses" | "settings"> & WithTokenUses;

/** Finds out who calls: by the access token in a header, or as an OAuth client presents it, or by a browser's session. */
export class Callers {
  readonly #authenticator: Authenticator;
  readonly #sessions: Sessions;
  readonly #desk: CallersDesk;

  constructor(authenticator: Authenticator, sessions: Sessions, desk: CallersDesk) {
    this.#authenticator = authenticator;
    this.#sessions = sessions;
    this.#desk = desk;
  }

  /**
   * Who calls this endpoint, at once where that is known. Throws `not_authorised`; `too_many_requests` where wrong
   * access tokens came before; `csrf_refused` for a change by session that does not come from our own page.
   */
  find(endpoint: Endpoint, asked: Asked): Principal | Promise<Principal> {
    const { request, peer, rawBody } = asked;
    if (endpoint.clientAuthentication && rawBody) {
      const secret = presentedAsClient(request.headers, rawBody);
      if (secret !== undefined) return this.#byClientSecret(secret, request, peer);
    }
    const header = request.headers.get(endpoint.credentialHeader ?? "authorization");
    const found = header === null && takesSessions(endpoint)
      ? this.#bySession(request)
      : this.#authenticator.authenticate(header);
    if (found === undefined) throw this.#refusal(header, request, peer);
    // Whoever is in memory was noted when they were looked up, a second ago at the most.
    return found instanceof Promise
      ? this.#orRefusal(found, header, request, peer)
      : this.#fromHere(found, request, peer);
  }

  /** The access token stands where an OAuth client's secret does; so the refusal is that of RFC 6749, 5.2. */
  async #byClientSecret(
    secret: string,
    request: Request,
    peer: Peer | undefined,
  ): Promise<Principal> {
    const header = `Bearer ${secret}`;
    const found = await this.#authenticator.authenticate(header);
    try {
      if (!found) throw this.#refusal(header, request, peer);
      return this.#noted(this.#fromHere(found, request, peer), request, peer);
    } catch (error) {
      if (!(error instanceof Failure && error.code === "not_authorised")) throw error;
      throw new Failure("oauth_invalid_client");
    }
  }

  async #orRefusal(
    finding: Promise<Principal | undefined>,
    header: string | null,
    request: Request,
    peer: Peer | undefined,
  ): Promise<Principal> {
    const found = await finding;
    if (found === undefined) throw this.#refusal(header, request, peer);
    return this.#noted(this.#fromHere(found, request, peer), request, peer);
  }

  /** The caller. Throws what a wrong access token is answered where it opens nothing from this address. */
  #fromHere(found: Principal, request: Request, peer: Peer | undefined): Principal {
    if (found.addresses === undefined) return found;
    const address = this.#addressOf(request, peer);
    if (opensFrom(found, address)) return found;
    this.#desk.tokenUses.refused(found, address);
    throw this.#authenticator.refusalOfAddress(
      this.#desk.clientAddresses.of({ headers: request.headers, peer }),
    );
  }

  #noted(found: Principal, request: Request, peer: Peer | undefined): Principal {
    this.#desk.tokenUses.used(found, () => this.#addressOf(request, peer));
    return found;
  }

  #addressOf({ headers }: Request, peer: Peer | undefined): string | undefined {
    return this.#desk.clientAddresses.exactly({ headers, peer });
  }

  #refusal(header: string | null, { headers }: Request, peer: Peer | undefined) {
    return this.#authenticator.refusal(header, this.#desk.clientAddresses.of({ headers, peer }));
  }

  /** By the cookie. A change by it must come from our own page. */
  async #bySession({ headers, method }: Request): Promise<Principal | undefined> {
    const principal = await this.#sessions.authenticate(sessionSecretOf(headers));
    if (principal?.session && method !== "GET" && method !== "HEAD") {
      requireCsrfToken(headers, principal.session.csrf_token, this.#desk.settings.publicUrl);
    }
    return principal;
  }
}

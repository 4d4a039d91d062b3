import type { Socket } from "node:net";

/** A call to another server. */
export interface OutboundCall {
  /** An https URL; http to this machine alone. Without a user name. */
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** For all together: the name, the connection, TLS, the way of body and answer. */
  readonly timeoutMs: number;
  /** So much of the answer's body is read; then the connection is closed. */
  readonly keptBytes: number;
  /** True: by https the client's certificate is presented, where there is one. */
  readonly presentsCertificate?: boolean;
}

/** The answer; a redirect is an answer like any other. */
export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** At most `keptBytes`, read as UTF-8. */
  readonly body: string;
  readonly durationMs: number;
}

/** Why a call was not made. */
type OutboundDenial = "no_url" | "not_https" | "not_named" | "private_address";

/**
 * Thrown for a call that may not be made: not one byte of it went out. The message says what would
 * allow it.
 */
export class OutboundDenied extends Error {
  readonly setting = "KEYDESK_OUTBOUND";

  constructor(readonly reason: OutboundDenial, readonly host: string, message: string) {
    super(message);
  }
}

/** Thrown for a call that was made, or tried, and had no answer; the message is fit to be shown. */
export class OutboundFailed extends Error {}

/** The one way out. */
export interface Outbound {
  /** Makes a call. Follows no redirect. Throws OutboundDenied or OutboundFailed. */
  send(call: OutboundCall): Promise<OutboundAnswer>;
  /**
   * A connection for another protocol than HTTP; who gets it closes it. Throws OutboundDenied or
   * OutboundFailed.
   */
  connect(to: OutboundPlace): Promise<Socket>;
  /**
   * The entry that KEYDESK_OUTBOUND lacks for a URL to be called; undefined: it has it, or the text
   * is no URL.
   */
  missing(url: string): string | undefined;
  /** True: a setting names a certificate of this client. */
  readonly hasClientCertificate?: boolean;
}

/** The target of a connection. */
export interface OutboundPlace {
  /** As `hostOf` gives it. */
  readonly host: string;
  readonly port: number;
  /** True: by TLS, with a certificate of an authority that is trusted, for this host. */
  readonly isSecure?: boolean;
  readonly timeoutMs: number;
}

/** A certificate of this server as a client, with its chain, and the private key; both in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The target of a call. */
export interface Destination {
  readonly url: URL;
  /** As `hostOf` gives it. */
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

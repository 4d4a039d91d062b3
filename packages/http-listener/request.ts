/** The headers of a request, as far as anything here reads them. Names in any case. */
export type ReceivedHeaders = Pick<Headers, "get" | "has">;

/** The other end of a connection; empty for a call in process. */
export interface Peer {
  readonly remoteAddr?: { readonly hostname?: string } | undefined;
}

/** A request, as far as anything reads it: one from the wire, or the platform's own in process. */
export interface ReceivedRequest {
  readonly method: string;
  /** `http://`, the host, and the path and query as received. */
  readonly url: string;
  readonly headers: ReceivedHeaders;
  /** The body piece by piece, null where there is none. To be read once, by this or by `bytes`. */
  readonly body: AsyncIterable<Uint8Array> | null;
  /** The whole body, at once where it has come already. */
  bytes(): Uint8Array | Promise<Uint8Array>;
  /**
   * Aborted where the client leaves before its answer, from the first call on. To be called once
   * the body was read. Absent in process.
   */
  gone?(): AbortSignal;
}

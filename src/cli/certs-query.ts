import type { CertificateQuery } from "../features/certificates/selection.ts";

/** What `certs list` and `certs export` may be narrowed by. */
export interface NarrowingOptions extends Pick<CertificateQuery, "status" | "q" | "sort"> {
  /** Days from now. */
  expiring?: number;
  /** Milliseconds since 1970. */
  expiresBefore?: number;
  isCa?: boolean;
  withKey?: boolean;
  desc?: boolean;
}

/** The query that these options stand for, at `nowMs`. */
export function toQuery(options: NarrowingOptions, nowMs: number): CertificateQuery {
  const soon = options.expiring === undefined ? undefined : nowMs + options.expiring * 86_400_000;
  return {
    status: options.status,
    expires_before: soon ?? options.expiresBefore,
    is_ca: options.isCa,
    has_private: options.withKey,
    q: options.q,
    sort: options.sort,
    direction: options.desc ? "desc" : undefined,
  };
}

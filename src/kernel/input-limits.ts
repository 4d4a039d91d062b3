/**
 * How long what a client sends may be before anything looks at it. Each is more than any honest
 * client needs; a parser asks here first, so that no header, query or body can make it work for
 * longer than its limit allows.
 */

/**
 * Characters of a header that is no credential: `Accept-Encoding`, `Content-Type`, `If-Match`,
 * `Origin` and the like.
 */
export const LONGEST_HEADER = 1024;

/** Characters of a header that carries a credential, a cookie among them. */
export const LONGEST_CREDENTIAL_HEADER = 8 * 1024;

/** Characters of a query, without its question mark. */
export const LONGEST_QUERY = 16 * 1024;

/** Bytes of a body that an endpoint takes which is open to everybody. */
export const LONGEST_PUBLIC_BODY = 8 * 1024;

/** Characters of a provider's logout token, which comes in such a body. */
export const LONGEST_LOGOUT_TOKEN = LONGEST_PUBLIC_BODY - "logout_token=".length;

/** Bytes of a body that its sender signed; whose it is shows only once it is read. */
export const LONGEST_SIGNED_BODY = 512 * 1024;

/** Characters of a malformed body in which the place of the error is looked for. */
export const LONGEST_EXPLAINED = 64 * 1024;

/** Tags of one key or certificate, at the most. */
export const MOST_TAGS = 10;

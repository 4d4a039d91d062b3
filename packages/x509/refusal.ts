/** Why an upload, or one certificate of a bundle, was not taken. */
export type RefusalReason =
  | "empty"
  | "too_large"
  | "not_pem"
  | "malformed"
  | "unsupported"
  | "no_certificate"
  | "expired"
  | "two_keys"
  | "key_mismatch"
  | "mixed_public_key"
  | "passphrase_required"
  | "wrong_passphrase"
  /** A PEM block that is passed over: a request, a revocation list, parameters. */
  | "foreign_block";

/**
 * The only error that reading certificates and keys throws, whatever the bytes are (but for
 * `Unavailable`). `message` is a public sentence that never holds key material or a passphrase; it
 * carries no `cause` for that reason.
 */
export class CertificateRefused extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * The one error that is no fault of the file: its key could not be derived, since the caller gave
 * up, too many others wait or the thread ended.
 */
export class Unavailable extends Error {}

/** `error` when it is a refusal; all else becomes one with these words, its own text kept out. */
export function asRefusal(
  error: unknown,
  reason: RefusalReason,
  message: string,
): CertificateRefused {
  return error instanceof CertificateRefused ? error : new CertificateRefused(reason, message);
}

/** Returns the result of `read`; everything that it throws becomes a refusal (see `asRefusal`). */
export function refusing<T>(reason: RefusalReason, message: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asRefusal(error, reason, message);
  }
}

/** The status for each fault of a request (RFC 9110, 15; RFC 6585, 5). */
const STATUSES = {
  malformed_request: 400,
  head_timeout: 408,
  target_too_long: 414,
  head_too_large: 431,
  coding_unsupported: 501,
  version_unsupported: 505,
} as const;

/** The reasons for which a request is refused before it is read. */
type BadRequestCode = keyof typeof STATUSES;

/** A client sent no HTTP/1.1 request, or one that is not taken. `message` may be sent to it. */
export class BadRequest extends Error {
  constructor(readonly code: BadRequestCode, message: string = code) {
    super(message);
  }

  get status(): number {
    return STATUSES[this.code];
  }
}

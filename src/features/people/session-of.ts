import type { Principal, PrincipalSession } from "../../calls/principal.ts";
import { Failure } from "../../kernel/failure.ts";

/** The session that the caller comes by. Throws `not_found` for a call by access token. */
export function sessionOf({ session }: Principal): PrincipalSession {
  if (session) return session;
  throw new Failure("not_found", { message: "This call comes by access token, not by session." });
}

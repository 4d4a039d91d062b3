import type { ServiceContext } from "../calls/context.ts";
import { isInForce } from "../features/people/access-token.ts";
import { listTokens } from "../features/people/access-tokens.store.ts";
import { FIRST_TOKEN } from "../features/people/operator.transactions.ts";
import { findPerson, firstAdministrator } from "../features/people/people.store.ts";
import { newSignInCode } from "../features/people/sessions.service.ts";

/**
 * A link that signs a browser in once: as `whom`, the id of an access token or of a person, else as
 * the first administrator; undefined where there is none. The code is in the fragment, which no
 * browser sends and no log holds; the link is for a person's eyes alone. It lets in whatever the
 * organisation says of its ways to sign in.
 */
export async function signInLink(
  ctx: ServiceContext,
  org_id: string,
  url: string,
  person?: string,
): Promise<string | undefined> {
  const { reader } = ctx.storage;
  const found = person === undefined
    ? await firstOne(ctx, org_id)
    : await findPerson(reader, { org_id, id: person })
    ? { person_id: person }
    : { token_id: person };
  return found && `${url}/console#code=${await newSignInCode(ctx, org_id, found)}`;
}

/**
 * The address of the console. If no name of this server is set, and it listens on this machine
 * alone, by a name: an address with digits can have no passkeys.
 */
export function consoleUrl(publicUrl: string | undefined, listening: string): string {
  if (publicUrl !== undefined) return publicUrl;
  const url = new URL(listening);
  if (url.hostname === "127.0.0.1" || url.hostname === "[::1]") url.hostname = "localhost";
  return url.origin;
}

/** The first administrator's access token; where it is not in force, the first administrator. */
async function firstOne(
  ctx: ServiceContext,
  org_id: string,
): Promise<{ token_id: string } | { person_id: string } | undefined> {
  const { clock, storage: { reader } } = ctx;
  const now = clock.now();
  const tokens = await listTokens(reader, { org_id });
  const first = tokens.find((token) => token.name === FIRST_TOKEN && isInForce(token, now));
  if (first) return { token_id: first.id };
  const person = await firstAdministrator(reader, org_id);
  return person && { person_id: person.id };
}

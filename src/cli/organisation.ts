import type { ServiceContext } from "../calls/context.ts";
import { findFirstOrganisation, findOrganisation } from "../features/people/organisations.store.ts";
import { Failure } from "../kernel/failure.ts";

/** The option of commands that can act on any organisation, as commander takes it. */
export const organisationOption = [
  "--organisation <id>",
  "another organisation than the first one",
] as const;

/** The id of the organisation that was named, or of the first one. Throws `not_found`. */
export async function organisationOf(
  { storage: { reader } }: ServiceContext,
  { organisation }: { organisation?: string },
): Promise<string> {
  if (organisation !== undefined) {
    const named = await findOrganisation(reader, { org_id: organisation });
    if (named) return named.id;
    throw new Failure("not_found", { message: "There is no such organisation." });
  }
  const first = await findFirstOrganisation(reader);
  if (first) return first.id;
  throw new Failure("not_found", {
    message: "The store is empty: start the server once, or run `keydesk seed`.",
  });
}

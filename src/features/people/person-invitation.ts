import type { SealedPlace } from "../../kernel/sealing/sealer.ts";

/** The topic of an invitation. */
export const INVITED = "person.invited";

/** How long an invitation lets in, in milliseconds. */
export const INVITATION_MS = 3 * 24 * 60 * 60 * 1000;

/** The sealing context of a link's text until it was mailed. */
export function invitationPlace(org_id: string, person_id: string): SealedPlace {
  return { table: "person_invitations", org_id, id: person_id, column: "link" };
}

/** The link of an invitation. Its text is in the fragment, which no browser sends. */
export function invitationLink(publicUrl: string, text: string): string {
  return `${publicUrl}/console#invitation=${text}`;
}

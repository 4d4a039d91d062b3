/**
 * The people who see an API in the portal. This is kept beside the entries of the catalogue: a
 * client of the older interface writes those whole, and must not open an API by leaving out a
 * member.
 */
import type { Visibility } from "../../../contract/visibilities.ts";
import { addressKey } from "../../developers/email-proof.ts";
import type { StoredRow } from "../../../storage/schema.ts";

/** The people who see an API. */
export interface ApiVisibility {
  visibility: Visibility;
  /** E-mail addresses, and domains that mean every address at them. */
  invited: string[];
  /** Tags: a developer who has one of them is invited. */
  invited_tags: string[];
}

/** The changeable members; absent ones stay. */
export type VisibilityChange = { [K in keyof ApiVisibility]?: ApiVisibility[K] | undefined };

type Row = Pick<StoredRow<"api_visibilities">, keyof ApiVisibility>;

/** The visibility of an API by its row; an API without one is seen by all who are signed in. */
export function visibilityIn(row: Row | undefined): ApiVisibility {
  if (!row) return { visibility: "signed_in", invited: [], invited_tags: [] };
  // as: visibilityRow writes exactly this.
  const texts = (json: string) => JSON.parse(json) as string[];
  const { visibility, invited, invited_tags } = row;
  return { visibility, invited: texts(invited), invited_tags: texts(invited_tags) };
}

/** The columns of a visibility. */
export function visibilityRow({ visibility, invited, invited_tags }: ApiVisibility): Row {
  const texts = (some: readonly string[]) => JSON.stringify([...new Set(some)]);
  return { visibility, invited: texts(invited), invited_tags: texts(invited_tags) };
}

/** The visibility after a change. */
export function changedVisibility(before: ApiVisibility, change: VisibilityChange): ApiVisibility {
  const { visibility = before.visibility, invited = before.invited } = change;
  const { invited_tags = before.invited_tags } = change;
  return { visibility, invited, invited_tags };
}

/** By what an invitation finds a developer. */
interface Invitee {
  /** Their verified address; "": they have none. */
  readonly address: string;
  readonly tags: readonly string[];
}

/** Whether a developer sees an API. */
export function sees(invitee: Invitee, { visibility, invited, invited_tags }: ApiVisibility) {
  if (visibility !== "invited") return true;
  if (invited_tags.some((tag) => invitee.tags.includes(tag))) return true;
  if (invitee.address === "") return false;
  const address = addressKey(invitee.address);
  return invited.includes(address) || invited.includes(address.slice(address.lastIndexOf("@") + 1));
}

import type { Delivery } from "../../../contract/one-time-link.ts";
import type { Actor } from "../../../changes/audit.ts";
import { once } from "../../../changes/idempotent-answers.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import type { AccessToken } from "../../people/access-token.ts";
import {
  issueAccessToken,
  type IssuedAccessToken,
  type IssueInput,
  rotateAccessToken,
  type RotateInput,
} from "../../people/access-tokens.transactions.ts";
import { beginAdministration } from "../../people/people.transactions.ts";
import type { NewOneTimeLink } from "./one-time-link.ts";
import { issueOneTimeLink } from "./issue-one-time-link.transactions.ts";

/** How a fresh access token reaches its person. */
interface HandingOver {
  /** Absent: in the answer for anyone who issues one to themselves, by a one-time link else. */
  deliver?: Delivery | undefined;
  /** Minted before the transaction, whether it is needed or not. */
  oneTimeLink: NewOneTimeLink;
}

/** An access token with its value, or with the one-time link that hands it over. */
export interface HandedOver extends AccessToken {
  /** Kept answers of `Idempotency-Key` have both by these names. */
  credential: string | null;
  claim: NewOneTimeLink | null;
}

/** Issues an access token and hands it over. Throws what the endpoint lists. */
export const issueHandedOver = defineTransaction(
  "one-time-links.issue-access-token",
  async (tx, input: IssueInput & HandingOver): Promise<HandedOver> => {
    // Also a repeat is answered to those alone who may administer.
    await beginAdministration(tx, input.actor);
    return await once(tx, input.idempotency, async () => {
      const issued = await issueAccessToken.run(tx, { ...input, idempotency: null });
      return await handOver(tx, input, issued);
    });
  },
);

/** Lets a fresh access token take over, and hands it over. Throws what the endpoint lists. */
export const rotateHandedOver = defineTransaction(
  "one-time-links.rotate-access-token",
  async (tx, input: RotateInput & HandingOver): Promise<HandedOver> => {
    await beginAdministration(tx, input.actor);
    return await once(tx, input.idempotency, async () => {
      const issued = await rotateAccessToken.run(tx, { ...input, idempotency: null });
      return await handOver(tx, input, issued);
    });
  },
);

async function handOver(
  tx: Tx,
  { actor, deliver, oneTimeLink }: HandingOver & { actor: Actor },
  { credential, ...token }: IssuedAccessToken,
): Promise<HandedOver> {
  const usual = token.person_id === actor.user_id ? "answer" : "one_time_link";
  if ((deliver ?? usual) === "answer") return { ...token, credential, claim: null };
  await issueOneTimeLink(tx, actor, {
    oneTimeLink,
    reveal: { RawKey: credential, Password: "" },
    access_token_id: token.id,
  });
  return { ...token, credential: null, claim: oneTimeLink };
}

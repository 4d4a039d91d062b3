import { developerActor } from "../../../calls/principal.ts";
import { defineTransaction, type Tx } from "../../../storage/storage.ts";
import { endOne } from "../end-session.transactions.ts";
import { identitiesOf } from "../identities.store.ts";
import { isManagedLink } from "../identity-link.ts";
import { lockOrganisation } from "../organisations.store.ts";
import { findPerson } from "../people.store.ts";
import { lockSessionsOf, sessionsOf } from "../sessions.store.ts";
import { endSessionOf } from "../../developers/end-session.transactions.ts";
import { providerOf } from "./identity-provider.ts";
import { findProvider } from "./identity.store.ts";
import {
  claimGrant,
  grantPlace,
  type GrantRow,
  type KeptGrant,
  removeGrant,
  renewGrant,
} from "./provider-grants.store.ts";
import { followGroups } from "./provider-sign-in.transactions.ts";

type Grant = Pick<GrantRow, "org_id" | "id">;

/** Takes a turn of asking. False where another process has it, or the session has ended. */
export const claimRecheck = defineTransaction(
  "identity.claim-recheck",
  async (
    tx,
    { org_id, id, next_at, until }: Grant & { next_at: string; until: string },
  ): Promise<boolean> => await claimGrant(tx, { org_id, id, next_at, until }),
  { withoutRoom: true },
);

/** Forgets by what is asked again: its session is over, or it can be read no more. */
export const dropRecheck = defineTransaction(
  "identity.drop-recheck",
  async (tx, { org_id, id }: Grant): Promise<null> => {
    await removeGrant(tx, { org_id, id });
    return null;
  },
  { withoutRoom: true },
);

/** The answer of a provider. */
export type Rechecked =
  | { is: "no"; reason: string }
  /** `kept` null: what is kept stays good. `groups` null: it said nothing of them, or not all. */
  | { is: "yes"; kept: KeptGrant | null; groups: string[] | null }
  /** It failed, or is away: nothing is known. */
  | { is: "unknown" };

interface Settling {
  grant: GrantRow;
  answer: Rechecked;
  next_at: string;
  now: number;
  longestMs: number | null;
  passkeyHost: string;
}

/**
 * Keeps what a provider answered of the account of a session. Its own no ends the session. Of whom
 * it added the groups are followed, as at a sign-in; where they give nothing the session ends. A
 * change that would leave no one to administer is left undone. Gives whether the session ended.
 */
export const settleRecheck = defineTransaction(
  "identity.settle-recheck",
  async (tx, input: Settling): Promise<boolean> => {
    const { grant, answer, next_at } = input;
    const { org_id, id } = grant;
    await lockOrganisation(tx, { org_id });
    if (answer.is === "no") return await end(tx, input, answer.reason);
    const token = answer.is === "yes" && answer.kept !== null
      ? tx.sealer.seal(grantPlace(org_id, id), JSON.stringify(answer.kept))
      : grant.token;
    if (!await renewGrant(tx, { org_id, id, next_at, token })) return false;
    if (answer.is !== "yes" || answer.groups === null || grant.kind !== "people") return false;
    return await follow(tx, input, answer.groups);
  },
  { withoutRoom: true },
);

async function follow(tx: Tx, input: Settling, groups: string[]): Promise<boolean> {
  const { grant: { org_id, provider_id, identity_id, owner_id }, now } = input;
  const row = await findProvider(tx, { org_id, id: provider_id });
  const provider = providerOf(tx.sealer, row, "people");
  const own = await identitiesOf(tx, { org_id, user_id: owner_id });
  const identity = own.find((one) => one.id === identity_id);
  const person = await findPerson(tx, { org_id, id: owner_id });
  if (!provider || !identity || !person || person.deactivated_at !== null) return false;
  if (!isManagedLink(tx.sealer, identity)) return false;
  const { longestMs, passkeyHost } = input;
  const following = { account: { org_id, provider_id, groups }, now, longestMs, passkeyHost };
  if (await followGroups(tx, following, provider.terms, person)) return false;
  return await end(tx, input, "none of the groups at the identity provider gives anything");
}

async function end(tx: Tx, { grant, now }: Settling, reason: string): Promise<boolean> {
  const { org_id, id, owner_id, kind } = grant;
  await removeGrant(tx, { org_id, id });
  if (kind === "developers") {
    const actor = { org_id, user_id: developerActor(owner_id), token_id: "", now };
    return await endSessionOf(tx, actor, owner_id, id, reason);
  }
  await lockSessionsOf(tx, { org_id, id: owner_id });
  const session = (await sessionsOf(tx, { org_id, user_id: owner_id })).find((one) =>
    one.id === id
  );
  if (!session) return false;
  const actor = { org_id, user_id: owner_id, token_id: session.token_id, now };
  return await endOne(tx, actor, id, { reason });
}

import type { ServiceContext } from "../../../calls/context.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { passkeyHostOf } from "../passkey.ts";
import { isOpen } from "../session.ts";
import { sessionsOf } from "../sessions.store.ts";
import { developerSessionsOfIdentity } from "../../developers/sessions-of-identities.store.ts";
import { openedProvider, type Provider } from "./identity-provider.ts";
import { findProvider } from "./identity.store.ts";
import { metadataOf, onErrand, ProviderAway } from "./provider-calls.ts";
import { subjectIn, withUserInfo } from "./provider-answer.ts";
import { clientOf, type OnTheWay } from "./provider-client.ts";
import { dueGrants, grantPlace, type GrantRow, type KeptGrant } from "./provider-grants.store.ts";
import { areGroupsMissing, groupsIn } from "./provider-groups.ts";
import { reasonOf } from "./provider-refusal.ts";
import { notifyOfProvider } from "./provider-states.service.ts";
import {
  claimRecheck,
  dropRecheck,
  type Rechecked,
  settleRecheck,
} from "./recheck.transactions.ts";

/** The server's part that asking again needs. */
export type RecheckContext = Pick<
  ServiceContext,
  "storage" | "clock" | "sealer" | "outbound" | "settings"
>;

/** Sessions of one look, and of those that are asked at once. */
const MOST = 100;
const AT_ONCE = 5;
/** For how long one process has the turn of a session. */
const TURN_MS = 2 * 60_000;
/** When one is asked again whose provider failed, or is away, in minutes. */
const AGAIN_MINUTES = 5;

/** One look; gives how many sessions it ended. */
export async function recheckDue(ctx: RecheckContext): Promise<number> {
  const now = toTimestamp(ctx.clock.now());
  const due = await dueGrants(ctx.storage.reader, { now, limit: MOST });
  let ended = 0;
  const work = async () => {
    for (let row = due.shift(); row; row = due.shift()) {
      if (await recheck(ctx, row)) ended++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return ended;
}

/** Asks of one session. Gives whether it ended. */
async function recheck(ctx: RecheckContext, row: GrantRow): Promise<boolean> {
  const { storage, clock, settings } = ctx;
  const { org_id, id, next_at } = row;
  const until = toTimestamp(clock.now() + TURN_MS);
  if (!await storage.commit(claimRecheck, { org_id, id, next_at, until })) return false;
  const stored = await findProvider(storage.reader, { org_id, id: row.provider_id });
  const provider = stored && openedProvider(ctx.sealer, stored);
  const kept = keptIn(ctx, row);
  if (!provider || !kept || !await isThere(ctx, row)) {
    await storage.commit(dropRecheck, { org_id, id });
    return false;
  }
  const answer = await ask(ctx, provider, kept);
  const now = clock.now();
  const minutes = answer.is === "unknown" ? AGAIN_MINUTES : provider.terms.recheck_minutes;
  const passkeyHost = passkeyHostOf(settings.publicUrl) ?? "";
  const longestMs = settings.longestTokenMs;
  const again = toTimestamp(now + minutes * 60_000);
  const input = { grant: row, now, longestMs, passkeyHost, next_at: again };
  try {
    return await storage.commit(settleRecheck, { ...input, answer });
  } catch (error) {
    if (!(error instanceof Failure && error.code === "last_administrator")) throw error;
    // A groups problem leaves the permissions, and the renewed token is kept all the same.
    const problem = "a person's groups would leave no administrator: they keep their permissions";
    await notifyOfProvider(ctx, provider, { problem });
    const left: Rechecked = answer.is === "yes" ? { ...answer, groups: null } : answer;
    return await storage.commit(settleRecheck, { ...input, answer: left });
  }
}

function keptIn(
  { sealer }: RecheckContext,
  { org_id, id, token }: GrantRow,
): KeptGrant | undefined {
  const place = grantPlace(org_id, id);
  if (token === null || !sealer.canOpen(place, token)) return undefined;
  // as: the transactions of this feature write it, and no one else can seal.
  return JSON.parse(sealer.open(place, token)) as KeptGrant;
}

/** Whether the session is open; of a developer whether it is there, since it lasts as long. */
async function isThere(
  { storage: { reader }, clock, settings }: RecheckContext,
  { org_id, id, owner_id, identity_id, kind }: GrantRow,
): Promise<boolean> {
  if (kind === "developers") {
    const owner = { org_id, developer_id: owner_id, identity_id };
    return (await developerSessionsOfIdentity(reader, owner)).some((one) => one.id === id);
  }
  const own = await sessionsOf(reader, { org_id, user_id: owner_id });
  const session = own.find((one) => one.id === id);
  return session !== undefined && isOpen(session, clock.now(), settings.sessionIdleMs);
}

/**
 * The answer of a provider to a refresh token. Its own refusal is `invalid_grant` (RFC 6749, 5.2)
 * and nothing else: any other failure is a reported problem, and changes nothing.
 */
async function ask(
  ctx: RecheckContext,
  provider: Provider,
  { subject, refresh_token }: KeptGrant,
): Promise<Rechecked> {
  const onTheWay: OnTheWay = {};
  const failed = async (error: unknown): Promise<Rechecked> => {
    const why = onTheWay.away?.message ?? reasonOf(error);
    await notifyOfProvider(ctx, provider, { problem: `it could not be asked again: ${why}` });
    return { is: "unknown" };
  };
  try {
    return await onErrand(ctx, provider, async () => {
      const metadata = await metadataOf(ctx, provider);
      const { client, config } = await clientOf(ctx, provider, metadata, ctx.clock.now(), onTheWay);
      const tokens = await client.refreshTokenGrant(config, refresh_token);
      const claims = tokens.claims() ?? { sub: subject };
      if (subjectIn(claims) !== subject) throw new ProviderAway("it answered for another account");
      const { terms } = provider;
      let isAsked = false;
      const fetch = async () => {
        const more = await client.fetchUserInfo(config, tokens.access_token, subject);
        isAsked = true;
        return more;
      };
      // Groups alone are of interest now: anyone who is in has a name.
      const asked = { ...terms, scopes: [] };
      let groups: string[] | null = null;
      let problem: string | null = null;
      try {
        const { whole } = await withUserInfo(asked, claims, metadata, fetch, onTheWay);
        // A claim missing in a renewed token says nothing; one missing in UserInfo means none.
        if (isAsked || !areGroupsMissing(whole, terms)) groups = groupsIn(whole, terms).names;
      } catch (error) {
        problem = onTheWay.away?.message ?? reasonOf(error);
      }
      await notifyOfProvider(ctx, provider, { problem });
      const renewed = tokens.refresh_token;
      const kept = renewed === undefined ? null : { subject, refresh_token: renewed };
      return { is: "yes", kept, groups };
    });
  } catch (error) {
    // as: an answer of the token endpoint has it, whatever was thrown.
    const { error: code } = error as { error?: unknown };
    if (code !== "invalid_grant") return await failed(error);
    return { is: "no", reason: `the identity provider no longer vouches: ${reasonOf(error)}` };
  }
}

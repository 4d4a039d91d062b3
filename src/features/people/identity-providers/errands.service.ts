import type { RequestContext } from "../../../calls/context.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Provider } from "./identity-provider.ts";
import { type ProvedLogout, provedLogout } from "./logout-token.ts";
import { authorizationUrl, type ProvedAccount, provedAccount } from "./provider-answer.ts";
import { onErrand, ProviderAway } from "./provider-calls.ts";
import { ProviderRefused } from "./provider-refusal.ts";
import { notifyOfProvider } from "./provider-states.service.ts";
import { type AwayFor, errandOf, newProviderTicket } from "./provider-ticket.ts";
import { returnAddress } from "./return-address.ts";

/** The way to a provider, and what the browser keeps meanwhile. */
export interface Way {
  url: string;
  ticket: string;
}

/**
 * The address to which a browser comes back: as a setting says, else by the host that it called.
 */
interface ComesBack {
  publicUrl: string;
  host: string | null;
}

/** The address to which a browser goes. Throws `provider_away`, `providers_unavailable`. */
export async function wayTo(
  ctx: RequestContext,
  provider: Provider,
  what: AwayFor,
  { publicUrl, host }: ComesBack,
  isFresh: boolean,
): Promise<Way> {
  const redirect = returnAddress(publicUrl, host, provider);
  if (redirect === undefined) throw new Failure("providers_unavailable");
  const now = ctx.clock.now();
  const ticket = newProviderTicket(provider.id, now);
  const errand = errandOf(ctx.sealer, what, provider.id, ticket, now);
  if (!errand) throw new Error("a fresh ticket is good");
  const find = () => authorizationUrl(ctx, provider, errand, redirect, isFresh);
  try {
    return { url: await orAway(ctx, provider, find), ticket };
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    await notifyOfRefusal(ctx, provider, error);
    throw new Failure("provider_away", { cause: error });
  }
}

/**
 * The account with which a browser came back. Undefined: none, and the provider was not asked;
 * `refused`: none, for this reason. `stranger`: the address of a caller who is not signed in.
 * Throws `provider_away`.
 */
export async function accountBehind(
  ctx: RequestContext,
  provider: Provider,
  what: AwayFor,
  { answer, ticket, publicUrl, host }: ComesBack & { answer: string; ticket: string | undefined },
  stranger?: string,
): Promise<{ account: ProvedAccount } | { refused: string } | undefined> {
  const errand = errandOf(ctx.sealer, what, provider.id, ticket, ctx.clock.now());
  const redirect = returnAddress(publicUrl, host, provider);
  if (!errand || redirect === undefined) return undefined;
  const prove = () => provedAccount(ctx, provider, errand, { redirect, answer });
  try {
    const account = await orAway(ctx, provider, () => onErrand(ctx, provider, prove), stranger);
    if (!account) return undefined;
    const { problem, refresh_token } = account;
    await notifyOfProvider(ctx, provider, { problem, refreshes: refresh_token !== null });
    return { account };
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    await notifyOfRefusal(ctx, provider, error);
    return { refused: error.reason };
  }
}

/** Keeps why a provider let no one in. */
async function notifyOfRefusal(
  ctx: RequestContext,
  provider: Provider,
  { reason, isProblem, by }: ProviderRefused,
): Promise<void> {
  await notifyOfProvider(ctx, provider, {
    refused: { reason, by },
    ...isProblem ? { problem: reason } : {},
  });
}

/**
 * Reports any invalid answer of a provider as unavailability. For a stranger it counts as a failed
 * attempt, since they caused the wait.
 */
async function orAway<T>(
  ctx: RequestContext,
  provider: Provider,
  work: () => Promise<T>,
  stranger?: string,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ProviderAway)) throw error;
    await notifyOfProvider(ctx, provider, { problem: error.message });
    throw ctx.attempts.failed("access", { address: stranger }) ??
      new Failure("provider_away", { cause: error });
  }
}

/**
 * The logout that a provider reports. `provider` undefined: there is none of that name. Throws
 * `logout_refused`, `provider_away`, and `too_many_requests` if that address was wrong often.
 */
export async function logoutBehind(
  ctx: RequestContext,
  provider: Provider | undefined,
  token: string,
  address: string | undefined,
): Promise<ProvedLogout> {
  const waits = ctx.attempts.mustWait("access", { address });
  if (waits) throw waits;
  const prove = provider &&
    (() => onErrand(ctx, provider, () => provedLogout(ctx, provider, token)));
  const logout = prove && await orAway(ctx, provider, prove, address);
  if (!logout) throw ctx.attempts.failed("access", { address }) ?? new Failure("logout_refused");
  return logout;
}

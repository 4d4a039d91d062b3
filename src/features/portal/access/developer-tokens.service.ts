import type { z } from "zod";
import type { RequestContext } from "../../../calls/context.ts";
import { actorOf, callingDeveloper } from "../../../calls/principal.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { newId } from "../../../kernel/ids.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { newDeveloperToken } from "../../developers/developer-token.ts";
import type {
  developerToken,
  developerTokenInput,
  developerTokenMade,
} from "./developer-tokens.contract.ts";
import { type DeveloperTokenRow, developerTokensOf } from "./developer-tokens.store.ts";
import { endToken, makeToken } from "./developer-tokens.transactions.ts";

type View = z.output<typeof developerToken>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The caller's tokens that open something, newest first. */
export async function list(ctx: RequestContext): Promise<View[]> {
  return await openTokens(ctx, callingDeveloper(ctx.principal).id);
}

/** A developer's tokens that open something, newest first. */
export async function openTokens(
  { storage, clock, principal: { org_id } }: RequestContext,
  developer_id: string,
): Promise<View[]> {
  const rows = await developerTokensOf(storage.reader, { org_id, developer_id });
  return rows.filter(({ expires_at }) => Date.parse(expires_at) > clock.now()).map(serialize);
}

/** Makes a token; its value is in this answer alone. Throws `too_many_tokens`. */
export async function create(
  ctx: RequestContext,
  { name, scope, days }: z.output<NonNullable<typeof developerTokenInput>>,
): Promise<z.output<typeof developerTokenMade>> {
  const { id: developer_id } = callingDeveloper(ctx.principal);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  const { org_id, now } = actor;
  const token = newDeveloperToken();
  const row: DeveloperTokenRow = {
    org_id,
    id: newId(now),
    hash: sha256(token),
    developer_id,
    name,
    scope,
    created_at: toTimestamp(now),
    last_used_at: null,
    expires_at: toTimestamp(now + days * DAY_MS),
  };
  await ctx.storage.commit(makeToken, { actor, token: row });
  return { ...serialize(row), token };
}

/** Ends one of the caller's tokens. Throws `not_found`, and `access_denied` for a token. */
export async function end(ctx: RequestContext, id: string): Promise<void> {
  if (!ctx.principal.session) throw new Failure("access_denied");
  const { id: developer_id } = callingDeveloper(ctx.principal);
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(endToken, { actor, developer_id, id });
}

function serialize(
  { id, name, scope, created_at, last_used_at, expires_at }: Omit<
    DeveloperTokenRow,
    "org_id" | "hash" | "developer_id"
  >,
): View {
  return { id, name, scope, date_created: created_at, last_used_at, expires_at };
}

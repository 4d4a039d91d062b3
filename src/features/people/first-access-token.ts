import { dirname } from "node:path";
import type { ServiceContext } from "../../calls/context.ts";
import { readOrCreateSecretFile } from "../../kernel/secret-file.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { newAccessToken } from "./access-token.ts";
import { ensureAdministrator } from "./operator.transactions.ts";
import { findFirstOrganisation } from "./organisations.store.ts";

/** The source of the administrator's access token. */
export interface FirstAccessToken {
  /** The organisation that it belongs to. */
  org_id: string;
  /** The access token itself where this very start made it; for a terminal, never for a log. */
  fresh?: string;
}

/** Thrown where the setting names another access token than the store's first start did. */
export class AdministratorDiffers extends Error {}

/** Thrown where the setting names another id than that of the store's first organisation. */
export class OrganisationDiffers extends Error {}

/** The settings of the first start. */
interface FirstStart {
  /** The administrator's access token; absent: one is made. */
  readonly token?: string | undefined;
  /** The id of the first organisation; absent: a fresh one. */
  readonly org_id?: string | undefined;
}

/**
 * Makes sure that a person can get in: on the first start of a store with the access token out of
 * the setting (`given`), or with one made here. The file is written before the store knows the
 * access token, so that no crash can leave a store that no one can open; a later start carries on
 * where an earlier one was cut off. Throws AdministratorDiffers and OrganisationDiffers: these
 * settings count at the first start alone, and must not seem to count later.
 */
export async function ensureFirstAccessToken(
  ctx: ServiceContext,
  given: FirstStart,
  file: string,
): Promise<FirstAccessToken> {
  const first = await ensureToken(ctx, given, file);
  if (given.org_id !== undefined && given.org_id !== first.org_id) throw new OrganisationDiffers();
  return first;
}

async function ensureToken(
  ctx: ServiceContext,
  given: FirstStart,
  file: string,
): Promise<FirstAccessToken> {
  const now = ctx.clock.now();
  const id = given.org_id === undefined ? {} : { id: given.org_id };
  if (given.token !== undefined) {
    const { org_id, theirs } = await ctx.storage.commit(ensureAdministrator, {
      ...id,
      hash: sha256(given.token),
      now,
    });
    if (!theirs) throw new AdministratorDiffers();
    return { org_id };
  }
  const known = await findFirstOrganisation(ctx.storage.reader);
  if (known) return { org_id: known.id };
  await Deno.mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const { text, created } = await readOrCreateSecretFile(file, () => `${newAccessToken()}\n`);
  const token = text.trim();
  const { org_id, theirs } = await ctx.storage.commit(ensureAdministrator, {
    ...id,
    hash: sha256(token),
    now,
  });
  if (!created) return { org_id };
  if (theirs) return { org_id, fresh: token };
  // Another node, with a folder of its own, came first: what is here would open nothing.
  await Deno.remove(file);
  return { org_id };
}

import { actorOf, type Idempotency, idempotentCall } from "../../calls/principal.ts";
import { keptAnswer } from "../../changes/idempotent-answers.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { findPlanOfApi } from "../plans/catalogue/catalogue.store.ts";
import type { CatalogueContext } from "../plans/catalogue/live-catalogue.ts";
import { keyExists } from "../keys/keys.store.ts";
import { withHashedNames } from "../keys/hashed-names.ts";
import { newEmailLinks } from "../developers/email-proof.ts";
import { settleSsoKeys } from "../developers/sso-keys.service.ts";
import { draft, initially, type KeyRequestInput } from "./draft-key-request.ts";
import { type Created, type CreateInput, createTransaction } from "./key-requests.transactions.ts";
import type { References } from "../plans/plan.ts";
import { refuseTooLarge, withinLimits } from "./request-limits.ts";
import { requiredFields } from "../plans/catalogue/catalogue-entry.ts";

/**
 * Specification 4.4. Gives the new id, or that of the equal request that waits already, or of the
 * call that this one repeats.
 */
export async function create(
  ctx: CatalogueContext,
  input: KeyRequestInput,
  idempotency: Idempotency = null,
): Promise<string> {
  const { references } = ctx.settings;
  return (await ask(ctx, input, references, idempotency)).id;
}

/**
 * Files a request by these rules, and tells whether it waited already. `add`: the transaction that
 * adds it, if more belongs to it than the request.
 */
export async function ask(
  ctx: CatalogueContext,
  input: KeyRequestInput,
  references: References,
  idempotency: Idempotency,
  add = (made: CreateInput): Promise<Created> => ctx.storage.commit(createTransaction, made),
): Promise<Created> {
  const now = ctx.clock.now();
  const call = idempotentCall(ctx.principal, now, idempotency);
  // Before anything is asked that may have changed since: what the catalogue wants, and the plan of
  // an API.
  const kept = await keptAnswer<Created>(ctx.storage, ctx.sealer, call);
  if (kept) return kept;
  const identity = { org_id: ctx.principal.org_id, id: newId(now) };
  const prepared = await withStoredKeys(ctx, input);
  if (input.portal_developer?.sso_key) await settleSsoKeys(ctx);
  const drafted = draft(prepared, identity, initially(now), await planOfApi(ctx, input));
  await refuseMissingFields(ctx, drafted.plans, input.fields ?? {});
  const { pendingLimits, requestBytes } = ctx.settings;
  refuseTooLarge(drafted, requestBytes);
  return await withinLimits((careful) =>
    add({
      actor: actorOf(ctx.principal, now),
      references,
      draft: drafted,
      limits: { ...pendingLimits, careful },
      emailLinks: newEmailLinks(now),
      idempotency: call,
    })
  );
}

/** The plan that a legacy `for_api` alone represents. */
export async function planOfApi(
  ctx: CatalogueContext,
  input: KeyRequestInput,
): Promise<string | undefined> {
  const named = input.for_plan || input.apply_policies?.length || input.catalogue_entry?.policy_id;
  if (named || !input.for_api) return undefined;
  return await findPlanOfApi(ctx.storage.reader, {
    org_id: ctx.principal.org_id,
    api_id: input.for_api,
  });
}

/** The input without a plain key: neither as its `key` nor in the maps of its developer. */
export async function withStoredKeys(
  ctx: CatalogueContext,
  input: KeyRequestInput,
): Promise<KeyRequestInput> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const prepared = await withStoredKey(ctx, input);
  const { portal_developer } = prepared;
  if (!portal_developer) return prepared;
  return {
    ...prepared,
    portal_developer: await withHashedNames(reader, org_id, portal_developer),
  };
}

/** A `key` in the form of a key id may be a person's plain key; then its hash is kept. */
async function withStoredKey(
  ctx: CatalogueContext,
  input: KeyRequestInput,
): Promise<KeyRequestInput> {
  if (!input.key) return input;
  const hashed = sha256(input.key);
  const isPlainKey = await keyExists(ctx.storage.reader, {
    org_id: ctx.principal.org_id,
    key_id: hashed,
  });
  return isPlainKey ? { ...input, key: hashed } : input;
}

/**
 * Throws `invalid_input` that names every field which the live catalogue or configuration requires
 * for one of these plans and which is missing or empty.
 */
async function refuseMissingFields(
  ctx: CatalogueContext,
  plans: readonly string[],
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  const { storage, principal: { org_id }, settings: { references } } = ctx;
  const configs = await ctx.liveCatalogue.configsOf(storage, org_id, plans);
  const required = new Set(
    configs.flatMap((config) => config ? requiredFields(config, references === "strict") : []),
  );
  const details = [...required]
    .filter((name) => !Object.hasOwn(fields, name) || fields[name]?.trim() === "")
    .map((name) => `fields.${name}: required for this plan`);
  const [message] = details;
  if (message !== undefined) throw new Failure("invalid_input", { message, details });
}

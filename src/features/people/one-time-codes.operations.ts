import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { permissions } from "../../contract/permissions.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { sha256 } from "../../kernel/sha256.ts";
import {
  newRecoveryCodes,
  plainCode,
  RECOVERY_CODES,
  recoveryHash,
  secretFor,
  secretOfTicket,
  stepOfCode,
  uriOf,
} from "./one-time-code.ts";
import { oneTimeCodeInput } from "./one-time-codes.contract.ts";
import { countRecoveryCodes, findOneTimeSecret } from "./one-time-codes.store.ts";
import {
  renewRecoveryCodes as renewRecoveryCodesChange,
  setUpOneTimeCodes,
  takeAwayOneTimeCodes,
} from "./one-time-codes.transactions.ts";
import { requireWhole } from "./passkeys.service.ts";
import { administrationOf } from "./people.service.ts";
import { findPerson } from "./people.store.ts";
import { sessionOf } from "./session-of.ts";

const tag = "Sign-in";

const anyPermission = permissions;

/** The body in examples. */
export const exampleSecret = { ticket: "TICKET-OF-THE-SECRET", code: "123456" };

const codes = z.strictObject({
  set_up_at: nullable(timestamp).meta({ description: "Null: there are none." }),
  last_used_at: nullable(timestamp),
  recovery_codes: z.int().meta({ description: "How many recovery codes are left." }),
}).meta({ id: "OneTimeCodes" });

/** Whether one has them. */
export const getOneTimeCodes = operation({
  id: "getOneTimeCodes",
  method: "GET",
  path: "/v1/one-time-codes",
  tag,
  summary: "Whether the caller has one-time codes, and how many recovery codes are left",
  description:
    "One-time codes are those of an authenticator app (TOTP, RFC 6238). A person who has them gives one beside an access token or an invitation to sign in.",
  permission: anyPermission,
  withinScope: true,
  response: codes,
  errors: [],
  async serve({ principal: { org_id, user_id }, storage: { reader } }) {
    const row = await findOneTimeSecret(reader, { org_id, user_id });
    return {
      set_up_at: row?.created_at ?? null,
      last_used_at: row?.last_used_at ?? null,
      recovery_codes: row ? await countRecoveryCodes(reader, { org_id, user_id }) : 0,
    };
  },
});

const oneTimeSecret = z.strictObject({
  secret: text.meta({ description: "160 bits in base32, to type where nothing can be scanned." }),
  uri: text.meta({
    description: "The secret as an app reads it, of a QR code: it begins with `otpauth://totp/`.",
  }),
  ticket: text.meta({ description: "Goes back with the first code." }),
  expires_at: timestamp,
}).meta({ id: "OneTimeSecret" });

/** A secret for an app. */
export const beginOneTimeCodes = operation({
  id: "beginOneTimeCodes",
  method: "POST",
  path: "/v1/one-time-codes/secret",
  tag,
  summary: "Begin to set up one-time codes: a fresh secret for the caller's app, shown this once",
  description:
    "It does not count until `POST /v1/one-time-codes` has had a first code of it, within ten minutes and by the same session. A session with fewer permissions than its person can't begin: 403 `access_denied`. An access token that calls by itself has no session: 404 `not_found`.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: oneTimeSecret,
  errors: ["not_found", "access_denied"],
  async serve(ctx) {
    await requireWhole(ctx);
    const { principal: { org_id, user_id }, storage: { reader }, sealer, clock } = ctx;
    const person = await findPerson(reader, { org_id, id: user_id });
    if (!person) throw new Failure("not_found");
    const session = sessionOf(ctx.principal).id;
    const { secret, ticket, until } = secretFor(sealer, org_id, session, clock.now());
    const uri = uriOf(person.email ?? person.name, secret);
    return { secret, uri, ticket, expires_at: toTimestamp(until) };
  },
});

const recovery = z.array(text).meta({
  description:
    "Ten codes that each sign in once if the app is unavailable. They are shown this once.",
});

const oneTimeCodesSetUp = z.strictObject({ ...codes.shape, codes: recovery }).meta({
  id: "OneTimeCodesSetUp",
});

/** Set up. */
export const createOneTimeCodes = operation({
  id: "createOneTimeCodes",
  method: "POST",
  path: "/v1/one-time-codes",
  tag,
  summary: "Set up one-time codes by a first code, in the place of those before",
  description:
    "From then on the caller signs in with a code beside an access token or an invitation. Sessions go on. The caller is mailed (`person.one_time_codes_set_up`).",
  permission: anyPermission,
  withinScope: true,
  body: z.object({ ticket: z.string().min(1).max(512), code: oneTimeCodeInput })
    .meta({ id: "OneTimeCodesInput" }),
  response: oneTimeCodesSetUp,
  errors: [...bodyErrors, "not_found", "access_denied", "first_code_refused"],
  example: exampleSecret,
  async serve(ctx, { body: { ticket, code } }) {
    await requireWhole(ctx);
    const { principal: { org_id }, storage, sealer, clock } = ctx;
    const now = clock.now();
    const session_id = sessionOf(ctx.principal).id;
    const view = secretOfTicket(sealer, org_id, session_id, { ticket, now });
    const step = view && stepOfCode(view.secret, plainCode(code), now);
    if (!view || step === undefined) throw new Failure("first_code_refused");
    const fresh = freshRecovery(ctx);
    const { created_at } = await storage.commit(setUpOneTimeCodes, {
      actor: actorOf(ctx.principal, now),
      session_id,
      proved: {
        secret: view.secret,
        step,
        // Of the secret: a ticket can be written in several ways.
        spent: {
          hash: sha256(`one-time secret\0${view.secret}`),
          expires_at: toTimestamp(view.until),
        },
      },
      recovery: fresh.hashes,
    });
    return {
      set_up_at: created_at,
      last_used_at: null,
      recovery_codes: RECOVERY_CODES,
      codes: fresh.codes,
    };
  },
});

const recoveryCodes = z.strictObject({ codes: recovery }).meta({ id: "RecoveryCodes" });

/** Ten others. */
export const renewRecoveryCodes = operation({
  id: "renewRecoveryCodes",
  method: "POST",
  path: "/v1/one-time-codes/recovery",
  tag,
  summary: "Make the caller's recovery codes anew; the previous ones are invalid",
  description: "Not found if there are no one-time codes.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: recoveryCodes,
  errors: ["not_found", "access_denied"],
  async serve(ctx) {
    await requireWhole(ctx);
    const { codes, hashes } = freshRecovery(ctx);
    await ctx.storage.commit(renewRecoveryCodesChange, {
      actor: actorOf(ctx.principal, ctx.clock.now()),
      session_id: sessionOf(ctx.principal).id,
      recovery: hashes,
    });
    return { codes };
  },
});

/** None any more. */
export const deleteOneTimeCodes = operation({
  id: "deleteOneTimeCodes",
  method: "DELETE",
  path: "/v1/one-time-codes",
  tag,
  summary: "Remove the caller's one-time codes and recovery codes: an access token alone signs in",
  description:
    "The caller is mailed (`person.one_time_codes_removed`). If the organisation asks for a second factor, the last administrator's last way to sign in stays.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true) }).meta({ id: "OneTimeCodesRemoved" }),
  errors: ["not_found", "access_denied", "last_administrator"],
  async serve(ctx) {
    await remove(ctx);
    return { removed: true as const };
  },
});

function freshRecovery({ principal: { org_id, user_id } }: RequestContext) {
  const codes = newRecoveryCodes();
  return { codes, hashes: codes.map((code) => recoveryHash({ org_id, user_id }, code)) };
}

/** Removes the caller's codes. Throws `not_found`, `last_administrator`, as requireWhole does. */
async function remove(ctx: RequestContext): Promise<void> {
  await requireWhole(ctx);
  await ctx.storage.commit(takeAwayOneTimeCodes, administrationOf(ctx));
}

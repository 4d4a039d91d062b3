import { z } from "zod";
import { nullable } from "../../contract/v1.ts";
import { timestamp } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { Failure } from "../../kernel/failure.ts";
import { findOneTimeSecret } from "../people/one-time-codes.store.ts";
import { ownPasskey } from "../people/passkeys.contract.ts";
import { toPasskey } from "../people/passkeys.service.ts";
import { passkeysOf } from "../people/passkeys.store.ts";
import { administrationOf } from "../people/people.service.ts";
import { findPerson } from "../people/people.store.ts";
import { ownIdentity } from "../people/identity-providers/provider-sign-in.contract.ts";
import { accountsOf } from "../people/identity-providers/provider-sign-in.service.ts";
import { takeAwayAccountOf, takeAwayCodesOf, takeAwayPasskeyOf } from "./ways-in.transactions.ts";

const tag = "People";

const waysIn = z.strictObject({
  passkeys: z.array(ownPasskey),
  identities: z.array(ownIdentity),
  one_time_codes: nullable(
    z.strictObject({ set_up_at: timestamp, last_used_at: nullable(timestamp) }),
  ).meta({ description: "Null: they have none." }),
}).meta({ id: "WaysIn" });

/** By what another person gets in. */
export const listWaysIn = operation({
  id: "listWaysIn",
  method: "GET",
  path: "/v1/people/{id}/ways-in",
  tag,
  summary:
    "List a person's passkeys and accounts at identity providers, the oldest first, and their one-time codes",
  description: "Their access tokens are at `GET /v1/people/{id}/access-tokens`.",
  permission: ["admin:read"],
  response: waysIn,
  errors: ["not_found"],
  async serve(ctx, { params: { id } }) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    if (!await findPerson(reader, { org_id, id })) throw new Failure("not_found");
    const passkeys = (await passkeysOf(reader, { org_id, user_id: id })).map(toPasskey);
    const codes = await findOneTimeSecret(reader, { org_id, user_id: id });
    return {
      passkeys,
      identities: (await accountsOf(ctx, id)).data,
      one_time_codes: codes
        ? { set_up_at: codes.created_at, last_used_at: codes.last_used_at }
        : null,
    };
  },
});

const personPasskeyRemoved = z.strictObject({
  removed: z.literal(true),
  sessions_ended: z.int(),
})
  .meta({ id: "PersonPasskeyRemoved" });

/** One passkey less of another person. */
export const deletePersonPasskey = operation({
  id: "deletePersonPasskey",
  method: "DELETE",
  path: "/v1/people/{id}/passkeys/{passkey_id}",
  tag,
  summary: "Remove a person's passkey, such as a lost one; their sessions by passkey end",
  description:
    "Its owner is mailed (`person.passkey_removed`). You can't remove one of a person who has more permissions than you.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: personPasskeyRemoved,
  errors: ["not_found", "person_holds_more", "last_administrator"],
  async serve(ctx, { params: { id: person_id, passkey_id: id } }) {
    const input = { ...administrationOf(ctx), person_id, id };
    return {
      removed: true as const,
      sessions_ended: await ctx.storage.commit(takeAwayPasskeyOf, input),
    };
  },
});

/** No one-time codes any more. */
export const deletePersonOneTimeCodes = operation({
  id: "deletePersonOneTimeCodes",
  method: "DELETE",
  path: "/v1/people/{id}/one-time-codes",
  tag,
  summary:
    "Remove a person's one-time codes, such as of a lost phone; their sessions by access token end",
  description:
    "Their recovery codes go with them, and their owner is mailed (`person.one_time_codes_removed`). You can't remove those of a person who has more permissions than you.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true), sessions_ended: z.int() })
    .meta({ id: "PersonOneTimeCodesRemoved" }),
  errors: ["not_found", "person_holds_more", "last_administrator"],
  async serve(ctx, { params: { id: person_id } }) {
    const input = { ...administrationOf(ctx), person_id };
    return {
      removed: true as const,
      sessions_ended: await ctx.storage.commit(takeAwayCodesOf, input),
    };
  },
});

/** One account less. */
export const deletePersonIdentity = operation({
  id: "deletePersonIdentity",
  method: "DELETE",
  path: "/v1/people/{id}/identities/{identity_id}",
  tag,
  summary: "Unlink a person's account at an identity provider; sessions that began by it end",
  description:
    "Its owner is mailed (`person.account_unlinked`). The account by which a provider added its person stays: deactivate the person.",
  permission: ["admin"],
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true), sessions_ended: z.int() })
    .meta({ id: "PersonIdentityRemoved" }),
  errors: ["not_found", "person_holds_more", "added_by_provider"],
  async serve(ctx, { params: { id: person_id, identity_id: id } }) {
    const input = { ...administrationOf(ctx), person_id, id };
    return {
      removed: true as const,
      sessions_ended: await ctx.storage.commit(takeAwayAccountOf, input),
    };
  },
});

type Removed = z.output<typeof personPasskeyRemoved>;

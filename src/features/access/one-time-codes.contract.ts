import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { permissions } from "../../contract/permissions.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";

const tag = "Sign-in";
const anyPermission = permissions;

/** What somebody typed: an app's code, or a recovery code. Blanks and hyphens do not count. */
export const oneTimeCodeInput = z.string().trim().min(1).max(64);

/** What examples send. */
export const exampleSecret = { ticket: "TICKET-OF-THE-SECRET", code: "123456" };

const codes = z.strictObject({
  set_up_at: nullable(timestamp).meta({ description: "Null: there are none." }),
  last_used_at: nullable(timestamp),
  recovery_codes: z.int().meta({ description: "How many recovery codes are left." }),
}).meta({ id: "OneTimeCodes" });

/** Whether one has them. */
export const getOneTimeCodes = defineEndpoint({
  id: "getOneTimeCodes",
  method: "GET",
  path: "/v1/one-time-codes",
  tag,
  summary: "Whether the caller has one-time codes, and how many recovery codes are left",
  description:
    "One-time codes are those of an authenticator app (TOTP, RFC 6238). Who has them gives one beside an access token or an invitation to sign in.",
  permission: anyPermission,
  withinScope: true,
  response: codes,
  errors: [],
});

/** A secret for an app. */
export const beginOneTimeCodes = defineEndpoint({
  id: "beginOneTimeCodes",
  method: "POST",
  path: "/v1/one-time-codes/secret",
  tag,
  summary: "Begin to set up one-time codes: a fresh secret for the caller's app, shown this once",
  description:
    "It counts for nothing until `POST /v1/one-time-codes` has had a first code of it, within ten minutes and by the same session. A session that opens less than its person may begins none: 403 `access_denied`. An access token that calls by itself has no session: 404 `not_found`.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: z.strictObject({
    secret: text.meta({ description: "160 bits in base32, to type where nothing can be scanned." }),
    uri: text.meta({
      description: "The same as an app reads it, of a QR code: it begins with `otpauth://totp/`.",
    }),
    ticket: text.meta({ description: "Goes back with the first code." }),
    expires_at: timestamp,
  }).meta({ id: "OneTimeSecret" }),
  errors: ["not_found", "access_denied"],
});

const recovery = z.array(text).meta({
  description: "Ten codes that each let in once where the app is away. They are shown this once.",
});

/** Set up. */
export const createOneTimeCodes = defineEndpoint({
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
  response: z.strictObject({ ...codes.shape, codes: recovery }).meta({ id: "OneTimeCodesSetUp" }),
  errors: [...bodyErrors, "not_found", "access_denied", "first_code_refused"],
  example: exampleSecret,
});

/** Ten others. */
export const renewRecoveryCodes = defineEndpoint({
  id: "renewRecoveryCodes",
  method: "POST",
  path: "/v1/one-time-codes/recovery",
  tag,
  summary: "Make the caller's recovery codes anew; those before let nobody in any more",
  description: "Not found where there are no one-time codes.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: z.strictObject({ codes: recovery }).meta({ id: "RecoveryCodes" }),
  errors: ["not_found", "access_denied"],
});

/** None any more. */
export const deleteOneTimeCodes = defineEndpoint({
  id: "deleteOneTimeCodes",
  method: "DELETE",
  path: "/v1/one-time-codes",
  tag,
  summary: "Remove the caller's one-time codes and recovery codes: an access token alone signs in",
  description:
    "The caller is mailed (`person.one_time_codes_removed`). Where the organisation asks for a second factor, the last way in of the last administrator stays.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true) }).meta({ id: "OneTimeCodesRemoved" }),
  errors: ["not_found", "access_denied", "last_administrator"],
});

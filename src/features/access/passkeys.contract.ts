import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { nameText } from "../../contract/labels.ts";
import { permissions } from "../../contract/permissions.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";

const tag = "Sign-in";
const anyPermission = permissions;

const challengeMembers = {
  challenge: text.meta({ description: "base64url. It is answered once, within five minutes." }),
  rp_id: text.meta({ description: "The host that passkeys are made for." }),
  expires_at: timestamp,
};

/** A base64url text of an authenticator. */
const encoded = (longest: number) =>
  z.string().max(longest).regex(/^[A-Za-z0-9_-]+$/, { error: "expected base64url" });

/** What an authenticator answers to the challenge of a sign-in. */
export const assertionInput = z.object({
  id: encoded(1400),
  client_data: encoded(4096),
  authenticator_data: encoded(4096),
  signature: encoded(4096),
  user_handle: encoded(128).optional(),
}).meta({
  description:
    "What the browser's `navigator.credentials.get` gave, in base64url: `id`, and of `response` `clientDataJSON`, `authenticatorData`, `signature` and `userHandle`.",
});

/** A challenge for whoever is not signed in. */
export const beginPasskeySignIn = defineEndpoint({
  id: "beginPasskeySignIn",
  method: "POST",
  path: "/v1/session/passkey",
  tag,
  summary: "Begin to sign a browser in by a passkey: a challenge, the same for everybody",
  description:
    "It names no passkeys, so nobody learns whose there are. The cookie binds the challenge to this browser; the answer goes to `POST /v1/session`. User verification is required.",
  permission: "public",
  answerHeaders: {
    "set-cookie":
      "What binds the challenge to this browser: `__Host-keydesk-passkey` over https, else `keydesk_passkey`; HttpOnly, SameSite=Strict, five minutes.",
  },
  response: z.strictObject(challengeMembers).meta({ id: "PasskeyChallenge" }),
  errors: ["csrf_refused", "passkeys_unavailable"],
});

/** One of the caller's passkeys. */
export const ownPasskey = z.strictObject({
  id: text,
  name: text,
  host: text.meta({ description: "The host that it was made for; at another it opens nothing." }),
  date_created: timestamp,
  last_used_at: nullable(timestamp),
}).meta({ id: "Passkey" });

/** One's passkeys. */
export const listPasskeys = defineEndpoint({
  id: "listPasskeys",
  method: "GET",
  path: "/v1/passkeys",
  tag,
  summary: "List the caller's own passkeys, the oldest first; at most 20",
  description: "With their names and when each was last used.",
  permission: anyPermission,
  withinScope: true,
  response: z.strictObject({
    data: z.array(ownPasskey),
    managed: z.boolean().meta({
      description: "An identity provider added the caller, who can add no passkey.",
    }),
  }).meta({ id: "PasskeyList" }),
  errors: [],
});

/** A challenge to make one. */
export const beginPasskey = defineEndpoint({
  id: "beginPasskey",
  method: "POST",
  path: "/v1/passkeys/challenge",
  tag,
  summary:
    "Begin to add a passkey: a challenge for this session, and what the browser is to be told",
  description:
    "A session that opens less than its person may adds none, since a passkey opens all, nor does a person whom an identity provider added. An access token that calls by itself has no session: 404 `not_found`.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: z.strictObject({
    ...challengeMembers,
    ticket: text.meta({ description: "Goes back with the answer." }),
    user_handle: text,
    user_name: text,
    display_name: text,
    algorithms: z.array(z.int()).meta({ description: "COSE algorithms, the best first." }),
  }).meta({ id: "PasskeyCreation" }),
  errors: ["not_found", "added_by_provider", "passkeys_unavailable", "session_opens_less"],
});

const nameInput = nameText(60).min(1);

/** What an authenticator of examples answers. */
export const examplePasskey = {
  ticket: "TICKET-OF-THE-CHALLENGE",
  id: "ID-OF-THE-CREDENTIAL",
  client_data: "CLIENT-DATA-OF-THE-BROWSER",
  attestation: "ATTESTATION-OBJECT",
};

/** One more. */
export const createPasskey = defineEndpoint({
  id: "createPasskey",
  method: "POST",
  path: "/v1/passkeys",
  tag,
  summary: "Add a passkey that the browser made for the challenge",
  description:
    "`id`, `client_data` and `attestation` are what `navigator.credentials.create` gave, in base64url: `id`, and of `response` `clientDataJSON` and `attestationObject`. An attestation with certificates is refused.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  body: z.object({
    name: nameInput,
    ticket: z.string().min(1).max(128),
    id: encoded(1400),
    client_data: encoded(4096),
    attestation: encoded(16384),
  }).meta({ id: "PasskeyInput" }),
  response: ownPasskey,
  errors: [
    ...bodyErrors,
    "not_found",
    "added_by_provider",
    "passkey_refused",
    "passkey_taken",
    "passkeys_unavailable",
    "session_opens_less",
    "too_many_passkeys",
  ],
  example: {
    name: "Laptop",
    ticket: examplePasskey.ticket,
    id: examplePasskey.id,
    client_data: examplePasskey.client_data,
    attestation: examplePasskey.attestation,
  },
});

/** Another name. */
export const renamePasskey = defineEndpoint({
  id: "renamePasskey",
  method: "PUT",
  path: "/v1/passkeys/{id}",
  tag,
  summary: "Give one of the caller's own passkeys another name",
  description: "It opens what it did.",
  permission: anyPermission,
  withinScope: true,
  body: z.object({ name: nameInput }).meta({ id: "PasskeyNameInput" }),
  response: ownPasskey,
  errors: [...bodyErrors, "not_found"],
  example: { name: "Phone" },
});

/** One less. */
export const deletePasskey = defineEndpoint({
  id: "deletePasskey",
  method: "DELETE",
  path: "/v1/passkeys/{id}",
  tag,
  summary: "Remove one of the caller's own passkeys: it signs in nobody any more",
  description:
    "Sessions that began with it go on until they end. The last way in of the last administrator stays.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true) }).meta({ id: "PasskeyRemoved" }),
  errors: ["not_found", "last_administrator"],
});

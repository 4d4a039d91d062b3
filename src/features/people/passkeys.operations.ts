import { z } from "zod";
import { bodyErrors } from "../../contract/endpoint.ts";
import { permissions } from "../../contract/permissions.ts";
import { operation } from "../../http/operation.ts";
import { isSecureCall, requireSameOrigin, sessionCookie } from "../../http/session-cookie.ts";
import { Answer } from "../../kernel/answer.ts";
import { CHALLENGE_MS } from "./passkey.ts";
import {
  nameInput,
  ownPasskey,
  passkeyChallenge,
  passkeyCreation,
  passkeyInput,
  passkeyList,
} from "./passkeys.contract.ts";
import * as service from "./passkeys.service.ts";

const tag = "Sign-in";

const anyPermission = permissions;

/** A challenge for anyone who is not signed in. */
export const beginPasskeySignIn = operation({
  id: "beginPasskeySignIn",
  method: "POST",
  path: "/v1/session/passkey",
  tag,
  summary: "Begin to sign a browser in by a passkey: a challenge, alike for everyone",
  description:
    "It names no passkeys, so it does not reveal whose exist. The cookie binds the challenge to this browser; the answer goes to `POST /v1/session`. User verification is required.",
  permission: "public",
  answerHeaders: {
    "set-cookie":
      "The cookie that binds the challenge to this browser: `__Host-keydesk-passkey` over https, else `keydesk_passkey`; HttpOnly, SameSite=Strict, five minutes.",
  },
  response: passkeyChallenge,
  errors: ["csrf_refused", "passkeys_unavailable"],
  serve(ctx, call) {
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    const { answer, ticket } = service.challengeToSignIn(ctx, call.headers.get("host"));
    const isSecure = isSecureCall(ctx, call);
    return Promise.resolve(
      new Answer(answer, {
        "set-cookie": sessionCookie(ticket, CHALLENGE_MS, isSecure, "passkey"),
      }),
    );
  },
});

/** One's passkeys. */
export const listPasskeys = operation({
  id: "listPasskeys",
  method: "GET",
  path: "/v1/passkeys",
  tag,
  summary: "List the caller's own passkeys, the oldest first; at most 20",
  description: "With their names and when each was last used.",
  permission: anyPermission,
  withinScope: true,
  response: passkeyList,
  errors: [],
  serve: (ctx) => service.list(ctx),
});

/** A challenge to make one. */
export const beginPasskey = operation({
  id: "beginPasskey",
  method: "POST",
  path: "/v1/passkeys/challenge",
  tag,
  summary: "Begin to add a passkey: a challenge for this session, and the options for the browser",
  description:
    "A session with fewer permissions than its person can't add any, since a passkey gives all, nor can a person whom an identity provider added. An access token that calls by itself has no session: 404 `not_found`.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: passkeyCreation,
  errors: ["not_found", "added_by_provider", "passkeys_unavailable", "session_opens_less"],
  serve: (ctx, { headers }) => service.begin(ctx, headers.get("host")),
});

/** An authenticator's answer in examples. */
export const examplePasskey = {
  ticket: "TICKET-OF-THE-CHALLENGE",
  id: "ID-OF-THE-CREDENTIAL",
  client_data: "CLIENT-DATA-OF-THE-BROWSER",
  attestation: "ATTESTATION-OBJECT",
};

/** One more. */
export const createPasskey = operation({
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
  body: passkeyInput,
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
  serve: (ctx, { body, headers }) => service.create(ctx, body, headers.get("host")),
});

/** Another name. */
export const renamePasskey = operation({
  id: "renamePasskey",
  method: "PUT",
  path: "/v1/passkeys/{id}",
  tag,
  summary: "Give one of the caller's own passkeys another name",
  description: "It stays valid for as much as before.",
  permission: anyPermission,
  withinScope: true,
  body: z.object({ name: nameInput }).meta({ id: "PasskeyNameInput" }),
  response: ownPasskey,
  errors: [...bodyErrors, "not_found"],
  example: { name: "Phone" },
  serve: (ctx, { params, body }) => service.rename(ctx, params.id, body.name),
});

/** One less. */
export const deletePasskey = operation({
  id: "deletePasskey",
  method: "DELETE",
  path: "/v1/passkeys/{id}",
  tag,
  summary: "Remove one of the caller's own passkeys: it no longer signs in",
  description:
    "Sessions that began with it go on until they end. The last way in of the last administrator stays.",
  permission: anyPermission,
  withinScope: true,
  needsFreshSignIn: true,
  response: z.strictObject({ removed: z.literal(true) }).meta({ id: "PasskeyRemoved" }),
  errors: ["not_found", "last_administrator"],
  async serve(ctx, { params }) {
    await service.remove(ctx, params.id);
    return { removed: true as const };
  },
});

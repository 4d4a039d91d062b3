import { z } from "zod";
import { nameText } from "../../contract/labels.ts";
import { nullable } from "../../contract/v1.ts";
import { text, timestamp } from "../../contract/values.ts";

const challengeMembers = {
  challenge: text.meta({ description: "base64url. It is answered once, within five minutes." }),
  rp_id: text.meta({ description: "The host that passkeys are made for." }),
  expires_at: timestamp,
};

/** A base64url text of an authenticator. */
const encoded = (longest: number) =>
  z.string().max(longest).regex(/^[A-Za-z0-9_-]+$/, { error: "expected base64url" });

/** An authenticator's answer to the challenge of a sign-in. */
export const assertionInput = z.object({
  id: encoded(1400),
  client_data: encoded(4096),
  authenticator_data: encoded(4096),
  signature: encoded(4096),
  user_handle: encoded(128).optional(),
}).meta({
  description:
    "The result of the browser's `navigator.credentials.get`, in base64url: `id`, and of `response` `clientDataJSON`, `authenticatorData`, `signature` and `userHandle`.",
});

/** The answer of `beginPasskeySignIn`. */
export const passkeyChallenge = z.strictObject(challengeMembers).meta({ id: "PasskeyChallenge" });

/** One of the caller's passkeys. */
export const ownPasskey = z.strictObject({
  id: text,
  name: text,
  host: text.meta({ description: "The host that it was made for; at another it is invalid." }),
  date_created: timestamp,
  last_used_at: nullable(timestamp),
}).meta({ id: "Passkey" });

/** The answer of `listPasskeys`. */
export const passkeyList = z.strictObject({
  data: z.array(ownPasskey),
  managed: z.boolean().meta({
    description: "An identity provider added the caller, who can add no passkey.",
  }),
}).meta({ id: "PasskeyList" });

/** The answer of `beginPasskey`. */
export const passkeyCreation = z.strictObject({
  ...challengeMembers,
  ticket: text.meta({ description: "Goes back with the answer." }),
  user_handle: text,
  user_name: text,
  display_name: text,
  algorithms: z.array(z.int()).meta({ description: "COSE algorithms, the best first." }),
}).meta({ id: "PasskeyCreation" });

export const nameInput = nameText(60).min(1);

/** The body of `createPasskey`. */
export const passkeyInput = z.object({
  name: nameInput,
  ticket: z.string().min(1).max(128),
  id: encoded(1400),
  client_data: encoded(4096),
  attestation: encoded(16384),
}).meta({ id: "PasskeyInput" });

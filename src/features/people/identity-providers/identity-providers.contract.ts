import { z } from "zod";
import { nullable } from "../../../contract/v1.ts";
import { text } from "../../../contract/values.ts";

/** In which form a claim names groups. */
export const groupForms = ["list", "separated", "objects", "keys"] as const;

/** By what Keydesk proves itself to a provider. */
export const clientAuthentications = [
  "auto",
  "client_secret_basic",
  "client_secret_basic_unencoded",
  "client_secret_post",
  "private_key_jwt",
  "tls_client_auth",
] as const;

/** How a browser brings an answer back. */
export const responseModes = ["query", "form_post"] as const;

/** The sessions that a logout of the provider ends. */
export const logoutScopes = ["named", "added", "all"] as const;

/** Whom an identity provider signs in. */
export const providerFor = ["people", "developers"] as const;

/** The answer of `checkIdentityProvider`. */
export const identityProviderCheck = z.strictObject({
  works: z.boolean(),
  problem: nullable(text).meta({ description: "The first of `problems`; null: there is none." }),
  problems: z.array(text).meta({ description: "Problems that prevent it, a sentence each." }),
  notes: z.array(text).meta({
    description: "Functions that its settings do not offer; people may sign in by it even so.",
  }),
  outbound: nullable(text).meta({
    description: "The host that KEYDESK_OUTBOUND must name besides; null: none.",
  }),
  issuer: nullable(text).meta({
    description: "The issuer that it states, if that is not the issuer that is set.",
  }),
  algorithms: z.array(text).meta({ description: "How it signs." }),
  keys: z.int().meta({ description: "How many keys it shows." }),
}).meta({ id: "IdentityProviderCheck" });

import { z } from "zod";
import { bodyErrors, defineEndpoint } from "../../contract/endpoint.ts";
import { text } from "../../contract/values.ts";

const tag = "Developers";

/** The nonce of the example, as a fresh one looks. */
export const exampleNonce = "S5mXnSSo-nonce-of-the-example-S5mXnSSo9d4Aq";

/** What an identity broker asks before it sends somebody back to the portal. */
export const createSsoNonce = defineEndpoint({
  id: "createSsoNonce",
  method: "POST",
  path: "/api/sso",
  tag,
  summary: "Make a nonce by which a portal signs a developer in, once within 60 seconds",
  description:
    "For the original's identity broker, which asks this first at each sign-in; `POST /v1/sso/redeem` gives the developer for it. Only for the portal: any other section is 403.",
  permission: ["act:developer"],
  body: z.object({
    ForSection: z.string().max(100).meta({ description: "`portal`; all others are refused." }),
    EmailAddress: z.string().max(320).optional().meta({
      description: "Whose address the provider gave.",
    }),
  }).meta({ id: "SsoInput" }),
  response: z.strictObject({
    Status: z.literal("OK"),
    Message: z.literal("SSO Nonce created."),
    Meta: text.meta({ description: "The nonce; the store keeps its hash alone." }),
  }).meta({ id: "SsoNonce" }),
  errors: [...bodyErrors, "sso_not_enabled"],
  example: { ForSection: "portal", EmailAddress: "ada@example.org" },
});

/** What the portal asks then. */
export const redeemSsoNonce = defineEndpoint({
  id: "redeemSsoNonce",
  method: "POST",
  path: "/v1/sso/redeem",
  tag: "Developers (native)",
  summary: "Give the developer whom a nonce of an identity broker stands for, once",
  description:
    "That is who has the nonce's e-mail address at this moment. While nobody has it, or they are inactive, it is 404 and the nonce is not used up. Whoever asks second is answered 410.",
  permission: ["act:developer"],
  body: z.object({ nonce: z.string().min(1).max(100) }).meta({ id: "RedeemSsoInput" }),
  response: z.strictObject({ developer_id: text }).meta({ id: "RedeemedSso" }),
  errors: [...bodyErrors, "not_found", "nonce_gone"],
  example: { nonce: exampleNonce },
});

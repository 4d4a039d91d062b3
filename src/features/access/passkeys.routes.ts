import { bind } from "../../http/routes.ts";
import { isSecureCall, requireSameOrigin, sessionCookie } from "../../http/session-cookie.ts";
import { Answer } from "../../kernel/answer.ts";
import { CHALLENGE_MS } from "./passkey.ts";
import * as contract from "./passkeys.contract.ts";
import * as service from "./passkeys.service.ts";

/** Passkeys: the challenge of a sign-in, and one's own. */
export const passkeyRoutes = [
  bind(contract.beginPasskeySignIn, (ctx, call) => {
    requireSameOrigin(call.headers, ctx.settings.publicUrl);
    const { answer, ticket } = service.challengeToSignIn(ctx, call.headers.get("host"));
    const isSecure = isSecureCall(ctx, call);
    return Promise.resolve(
      new Answer(answer, {
        "set-cookie": sessionCookie(ticket, CHALLENGE_MS, isSecure, "passkey"),
      }),
    );
  }),
  bind(contract.listPasskeys, (ctx) => service.list(ctx)),
  bind(contract.beginPasskey, (ctx, { headers }) => service.begin(ctx, headers.get("host"))),
  bind(
    contract.createPasskey,
    (ctx, { body, headers }) => service.create(ctx, body, headers.get("host")),
  ),
  bind(
    contract.renamePasskey,
    (ctx, { params, body }) => service.rename(ctx, params.id, body.name),
  ),
  bind(contract.deletePasskey, async (ctx, { params }) => {
    await service.remove(ctx, params.id);
    return { removed: true as const };
  }),
];

import { withNextPage } from "../../http/next-page.ts";
import { bind } from "../../http/routes.ts";
import { Answer } from "../../kernel/answer.ts";
import { html } from "./claim-page.ts";
import { script } from "./claim-script.ts";
import { style } from "./claim-style.ts";
import * as contract from "./claims.contract.ts";
import * as service from "./claims.service.ts";

/** Everything from this server, nothing inline, and nowhere to send a form to. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

const written = (text: string, type: string) => () =>
  Promise.resolve(
    new Answer(text, {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": POLICY,
    }),
  );

/** Claims, and the page that their links lead to. */
export const claimRoutes = [
  bind(
    contract.openClaim,
    (ctx, call) => service.open(ctx, call.body.token, ctx.clientAddresses.of(call)),
  ),
  bind(
    contract.previewClaim,
    (ctx, call) => service.preview(ctx, call.body.token, ctx.clientAddresses.of(call)),
  ),
  bind(contract.listClaims, async (ctx, call) => {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(
    contract.withdrawClaim,
    (ctx, call) => service.withdraw(ctx, call.params.id, call.idempotency),
  ),
  bind(contract.claimPage, written(html, "text/html")),
  bind(contract.claimScript, written(script, "text/javascript")),
  bind(contract.claimStyle, written(style, "text/css")),
];

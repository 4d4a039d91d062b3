import { sessionCookie, sessionSecretOf } from "../../../http/session-cookie.ts";
import { Failure } from "../../../kernel/failure.ts";
import * as service from "../access/provider-sign-in.service.ts";
import { AWAY_MS } from "../../people/identity-providers/provider-ticket.ts";
import type { Way } from "../../people/identity-providers/errands.service.ts";
import { noPlaceCookie, placeCookie, wantedPlace } from "./cookies.ts";
import { hiddenFields } from "./frame.ts";
import { type Html, html } from "./html.ts";
import { type Handler, type Onward, type Page, type PageCall, placeIn } from "./page.ts";
import { signUpForm } from "./sign-in-pages.ts";

const ACCOUNT = "/portal/account";

/** To a provider and back: to sign in, or to link an account there to one's session. */
export const providerPages: Readonly<Record<string, { GET?: Handler; POST?: Handler }>> = {
  "/portal/sign-in/with/{id}": {
    POST: {
      for: "everybody",
      run: async (call) => {
        const { ctx, params, form } = call;
        const isFresh = form.fresh !== undefined;
        const way = await service.beginSignIn(ctx, params.id ?? "", traveller(call), isFresh);
        return leavePage(call, way, placeIn(form.to));
      },
    },
  },
  "/portal/from/{id}": {
    GET: { for: "everybody", run: async (call) => arrivalPage(call) },
    POST: { for: "everybody", proves: true, takesPosted: true, run: comeBack },
  },
  "/portal/account/link/{id}": {
    POST: {
      for: "developer",
      begins: true,
      run: async (call) => {
        const { ctx, params, headers } = call;
        const way = await service.beginLink(ctx, params.id ?? "", headers);
        return leavePage(call, way, ACCOUNT);
      },
    },
  },
  "/portal/account/identities/{id}": {
    POST: {
      for: "developer",
      begins: true,
      run: async ({ ctx, params }) => {
        await service.unlink(ctx, params.id ?? "");
        return { to: `${ACCOUNT}?done=unlinked` };
      },
    },
  },
};

function traveller({ ctx, headers, peer, isSecure }: PageCall): service.Traveller {
  return {
    headers,
    address: ctx.clientAddresses.of({ headers, peer }),
    ticket: sessionSecretOf(headers, isSecure, "developer-provider"),
    before: sessionSecretOf(headers, isSecure, "developer"),
  };
}

/**
 * A page that goes on to the provider by itself: a form's own redirect may not leave this site,
 * since the policy of content lets forms go nowhere else.
 */
function leavePage(
  { t, isSecure }: PageCall,
  { url, ticket, name }: Way & { name: string },
  to: string,
): Page {
  return {
    title: t.say("provider.leave", { name }),
    narrow: true,
    onTo: url,
    cookies: [
      sessionCookie(ticket, AWAY_MS, isSecure, "developer-provider"),
      placeCookie(to, isSecure),
    ],
    body: html`
      <div class="card">
        <h1>${t.say("provider.leave", { name })}</h1>
        <p><a class="button main" href="${url}" rel="noreferrer">${t.say("provider.on")}</a></p>
      </div>
    `,
  };
}

/**
 * The page at which a browser arrives from the provider: without its cookies, since it comes from
 * another site. The form brings both together, and takes the answer out of the address.
 */
function arrivalPage(call: PageCall): Page {
  const { t, path, query } = call;
  const answer = query.toString();
  if (answer === "") return refusedPage(call);
  return {
    title: t.say("provider.back"),
    narrow: true,
    body: html`
      <div class="card">
        <h1>${t.say("provider.back")}</h1>
        <form method="post" action="${path}" data-at-once>${hiddenFields(call, { answer })}
          <p><button class="main">${t.say("provider.on")}</button></p>
        </form>
      </div>
    `,
  };
}

function refusedPage({ t }: PageCall): Page {
  return {
    title: t.say("provider.refused"),
    narrow: true,
    status: 401,
    body: html`
      <div class="card">
        <h1>${t.say("provider.refused")}</h1>
        <p>${t.say("provider.refused.text")}</p>
        <p><a class="button" href="/portal/sign-in">${t.say("signin")}</a></p>
      </div>
    `,
  };
}

async function comeBack(call: PageCall): Promise<Page | Onward> {
  const { ctx, params, form, headers, isSecure } = call;
  const gone = [
    sessionCookie("", 0, isSecure, "developer-provider"),
    noPlaceCookie(isSecure),
  ];
  let back: service.CameBack;
  try {
    back = await service.comeBack(ctx, params.id ?? "", form.answer ?? "", traveller(call));
  } catch (error) {
    if (!(error instanceof Failure && error.code === "not_authorised")) throw error;
    return { ...refusedPage(call), cookies: gone };
  }
  switch (back.is) {
    case "in": {
      const session = sessionCookie(back.secret, back.lifeMs, isSecure, "developer");
      return { to: wantedPlace(headers), cookies: [session, ...gone] };
    }
    case "linked":
      return { to: `${ACCOUNT}?done=linked`, cookies: gone };
    case "nobody":
      return { ...await nobodysPage(call, back), cookies: gone };
  }
}

/** The account is no one's here: one signs up with it, or links it to who one is already. */
async function nobodysPage(
  call: PageCall,
  { provider, account, name, email }: Extract<service.CameBack, { is: "nobody" }>,
): Promise<Page> {
  const { t } = call;
  return {
    title: t.say("provider.nobody"),
    narrow: true,
    body: html`
      <div class="card">
        <h1>${t.say("provider.nobody")}</h1>
        <p class="lead">${t.say("provider.nobody.lead", { provider })}</p>
        ${account !== undefined && html`
          <h2>${t.say("signup")}</h2>
          <p>${t.say("provider.nobody.up", { provider })}</p>
          ${await signUpForm(call, { email, name, account })}
        `}
        <h2>${t.say("provider.known")}</h2>
        <p>${t.say("provider.known.text", { provider })}</p>
        <p><a class="button" href="/portal/sign-in?to=${ACCOUNT}">${t.say("signin")}</a></p>
      </div>
    `,
  };
}

/** The developer's accounts at providers; nothing where there is neither one nor a provider. */
export async function identitiesCard(call: PageCall): Promise<Html> {
  const { ctx, t } = call;
  const { data, providers } = await service.list(ctx);
  if (data.length + providers.length === 0) return html``;
  return html`
    <section class="card">
      <h2>${t.say("identities")}</h2>
      <p class="note">${t.say("identities.lead")}</p>
      <ul class="list">${data.map(({ id, provider, date_created, last_used_at }) =>
        html`
          <li class="row">
            <div class="grow"><strong>${provider || t.say("identities.gone")}</strong><br><span
                class="note">${t.say("identities.since")} ${t.day(date_created)}. ${t.say(
                  "key.used",
                )}: ${last_used_at === null
                  ? t.say("key.used.never")
                  : t.day(last_used_at)}</span></div>
            <form method="post"
              action="/portal/account/identities/${id}">${hiddenFields(
                call,
              )}<button aria-label="${t.say("identities.unlink.of", { provider })}">${t.say(
                "identities.unlink",
              )}</button></form>
          </li>
        `
      )}</ul>
      ${providers.map(({ id, name }) =>
        html`
          <form method="post" action="/portal/account/link/${id}">${hiddenFields(call)}
            <p><button>${t.say("identities.link", { name })}</button></p></form>
        `
      )}
    </section>
  `;
}

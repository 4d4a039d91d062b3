import { endedSessionHeaders, sessionSecretOf } from "../../../http/session-cookie.ts";
import { Failure } from "../../../kernel/failure.ts";
import { callingDeveloper } from "../../../calls/principal.ts";
import { setLanguage } from "../access/account.service.ts";
import * as service from "../access/sign-in.service.ts";
import { findDeveloper } from "../../developers/developer-accounts.store.ts";
import { nameOfDeveloper } from "../../developers/developer-names.ts";
import { emailIn } from "../../developers/developer-text.ts";
import { codeCookie, languageCookie, noCodeCookie, waitingCode } from "./cookies.ts";
import { complaint, hiddenFields, time } from "./frame.ts";
import { html } from "./html.ts";
import { type Handler, type Onward, type Page, type PageCall, placeIn } from "./page.ts";
import { ownForms } from "./account-forms.ts";
import { digitsField } from "./sign-in-pages.ts";
import { LANGUAGES } from "./texts.ts";

/** The pages of the developer's account, sessions and language. */
export const accountPages: Readonly<Record<string, { GET?: Handler; POST?: Handler }>> = {
  "/portal/account": { GET: { for: "developer", run: (call) => accountPage(call) } },
  "/portal/account/sessions/{id}": {
    POST: {
      for: "developer",
      run: async (call) => {
        const isOwn = await service.endOne(call.ctx, call.params.id ?? "");
        return isOwn ? signedOut(call) : { to: "/portal/account" };
      },
    },
  },
  "/portal/account/sessions": {
    POST: {
      for: "developer",
      run: async (call) => {
        await service.endAll(call.ctx);
        return signedOut(call);
      },
    },
  },
  "/portal/sign-out": {
    POST: {
      for: "developer",
      leaves: true,
      run: async (call) => {
        await service.end(call.ctx);
        return signedOut(call);
      },
    },
  },
  "/portal/prove": {
    GET: { for: "developer", run: async (call) => provePage(call) },
    POST: { for: "developer", run: prove },
  },
  "/portal/language": {
    POST: {
      for: "everybody",
      knowsDeveloper: true,
      run: async ({ ctx, form: { language = "", to }, isSecure }) => {
        if (!isLanguage(language)) throw new Failure("invalid_input");
        if (ctx.principal.developer) await setLanguage(ctx, language);
        return { to: placeIn(to), cookies: [languageCookie(language, isSecure)] };
      },
    },
  },
};

const isLanguage = (tag: string): tag is keyof typeof LANGUAGES => Object.hasOwn(LANGUAGES, tag);

/** A finished action is reported once, by the address that the browser comes back to. */
const DONE = ["profile", "email", "password", "token", "linked", "unlinked"] as const;

function signedOut({ isSecure }: PageCall): Onward {
  const { "set-cookie": cookie = "" } = endedSessionHeaders(isSecure, "developer");
  return { to: "/portal/sign-in", cookies: [cookie], forget: true };
}

/** The developer's account; `wrong`: what could not be taken of what they sent. */
export async function accountPage(call: PageCall, wrong = ""): Promise<Page> {
  const { ctx, t, query } = call;
  const done = DONE.find((one) => one === query.get("done"));
  const { id } = callingDeveloper(ctx.principal);
  const found = await findDeveloper(ctx.storage.reader, { org_id: ctx.principal.org_id, id });
  if (!found) throw new Failure("not_found");
  const sessions = await service.list(ctx);
  return {
    title: t.say("account"),
    status: wrong === "" ? 200 : 400,
    body: html`
      <div class="head">
        <h1>${t.say("account")}</h1>
        <form method="post" action="/portal/sign-out">${hiddenFields(call)}<button>${t.say(
          "account.out",
        )}</button></form>
      </div>
      ${wrong !== "" && complaint(wrong)}${done !== undefined &&
        html`<p class="said good" role="status">${t.say(`done.${done}`)}</p>`}
      <dl class="card">
        <dt>${t.say("account.name")}</dt>
        <dd>${nameOfDeveloper(found.document).trim() || t.say("account.none")}</dd>
        <dt>${t.say("account.email")}</dt>
        <dd>${emailIn(found.document) || t.say("account.none")}</dd>
      </dl>
      ${await ownForms(call)}
      <section class="card">
        <h2>${t.say("account.sessions")}</h2>
        <ul class="list">${sessions.map((session) => {
          const browser = session.browser || t.say("account.browser");
          return html`
            <li
              class="row"><div class="grow"><strong>${browser}</strong> ${session.current &&
                html`<span class="pill good">${
                  t.say("account.current")
                }</span>`}<br><span class="note">${t.say("account.begun")} ${t.say(
                  `account.by.${session.signed_in_by}`,
                )}, ${time(t, session.date_created)}${session.last_used_at !== null &&
                html`. ${t.say("account.used")}: ${
                  time(t, session.last_used_at)
                }`}</span></div>${!session.current &&
                html`
                  <form method="post"
                    action="/portal/account/sessions/${session.id}">${hiddenFields(
                      call,
                    )}<button aria-label="${t.say("account.end.of", { browser })}">${t.say(
                      "account.end",
                    )}</button></form>
                `}</li>
          `;
        })}</ul>
        <form method="post"
          action="/portal/account/sessions">${hiddenFields(call)}<p><button>${t.say(
            "account.end.all",
          )}</button></p></form>
      </section>
    `,
  };
}

/** First a code is mailed, then it is entered. */
function provePage(call: PageCall, wrong = ""): Page {
  const { t, headers, query, form } = call;
  const to = placeIn(form.to ?? query.get("to"));
  const waiting = waitingCode(headers);
  return {
    title: t.say("prove"),
    narrow: true,
    status: wrong === "" ? 200 : 400,
    body: html`<div class="card"><h1>${t.say("prove")}</h1>
<p class="lead">${t.say("prove.lead")}</p>
${wrong !== "" && complaint(wrong)}
${
      waiting && html`<form method="post" action="/portal/prove">
${hiddenFields(call, { to })}
${digitsField(call)}
<p><button class="main">${t.say("prove.enter")}</button></p>
</form>`
    }
<form method="post" action="/portal/prove">
${hiddenFields(call, { to })}
<p><button class="${waiting ? "text" : "main"}">${t.say("prove.do")}</button></p>
</form></div>`,
  };
}

async function prove(call: PageCall) {
  const { ctx, form, headers, isSecure, t } = call;
  const to = placeIn(form.to);
  const waiting = waitingCode(headers);
  if (form.code === undefined || !waiting) {
    const { ticket } = await service.askProof(ctx);
    const cookie = codeCookie({ ticket, email: "", to }, isSecure);
    return { to: `/portal/prove?to=${to}`, cookies: cookie ? [cookie] : [] };
  }
  const secret = sessionSecretOf(headers, isSecure, "developer");
  const code = form.code.replaceAll(/\s/g, "");
  try {
    await service.prove(ctx, { ticket: waiting.ticket, code }, secret);
  } catch (error) {
    if (!(error instanceof Failure && error.code === "wrong_code")) throw error;
    return provePage(call, t.say("code.wrong"));
  }
  return { to, cookies: [noCodeCookie(isSecure)] };
}

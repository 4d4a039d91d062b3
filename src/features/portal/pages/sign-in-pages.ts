import { sessionCookie, sessionSecretOf } from "../../../http/session-cookie.ts";
import { Failure } from "../../../kernel/failure.ts";
import {
  isOfferedByAddress,
  type OfferedProvider,
  offeredTo,
} from "../access/provider-sign-in.service.ts";
import * as service from "../access/sign-in.service.ts";
import { codeCookie, noCodeCookie, waitingCode } from "./cookies.ts";
import { complaint, field, hiddenFields } from "./frame.ts";
import { type Html, html } from "./html.ts";
import { type Handler, type Page, type PageCall, placeIn } from "./page.ts";
import { findConfiguration } from "../../plans/catalogue/catalogue.store.ts";
import type { Question } from "../../plans/catalogue/questions.contract.ts";
import { wrongAnswers } from "../../plans/catalogue/questions.ts";
import { NAME, signUpQuestions } from "../access/sign-up-fields.ts";
import { complaintOf, questionField } from "./question-field.ts";
import { pagesAt } from "../access/developer-pages.ts";

/** The pages to sign in: by code or password. */
export const signInPages: Readonly<Record<string, { GET?: Handler; POST?: Handler }>> = {
  "/portal/sign-in": {
    GET: { for: "everybody", run: (call) => signInPage(call) },
    POST: { for: "everybody", run: signIn },
  },
  "/portal/sign-in/code": {
    GET: { for: "everybody", run: (call) => codePage(call) },
    POST: { for: "everybody", run: enterCode },
  },
  "/portal/sign-up": {
    GET: { for: "everybody", run: (call) => signUpPage(call) },
    POST: {
      for: "everybody",
      run: async (call) => {
        if (call.site.sign_up === "closed") return closedPage(call);
        const asked = await askedAtSignUp(call);
        const fields = Object.fromEntries(
          asked.flatMap(({ name }, at) => {
            const said = call.form[`field-${at}`]?.trim();
            return said ? [[name, said] as const] : [];
          }),
        );
        const [wrong] = wrongAnswers(asked, fields);
        if (wrong) return await signUpPage(call, complaintOf(call.t, wrong.question));
        return await askCode(call, fields);
      },
    },
  },
};

/** By the password, where one was given; else by a provider of the address's domain, or a code. */
async function signIn(call: PageCall) {
  const { form: { email = "", password = "", to }, site: { sign_in } } = call;
  if (password === "" || !sign_in.password) return await askOrOffer(call);
  try {
    return await signedIn(call, { email, password }, placeIn(to));
  } catch (error) {
    if (!(error instanceof Failure && error.code === "not_authorised")) throw error;
    return await signInPage(call, call.t.say("signin.wrong"));
  }
}

/** Offers the providers of an address's domain, where it has any; else a code is mailed. */
async function askOrOffer(call: PageCall) {
  const { ctx, form, headers, t, site: { sign_in } } = call;
  const { email = "", by } = form;
  const offered = by === "code" || !email.includes("@")
    ? []
    : await offeredTo(ctx, headers, email.trim());
  if (offered.length > 0) return waysPage(call, offered);
  if (sign_in.code || !await isOfferedByAddress(ctx, headers)) return await askCode(call, {});
  return await signInPage(call, t.say("signin.nocode"));
}

async function askCode(call: PageCall, fields: Record<string, string>) {
  const { ctx, form, t, isSecure } = call;
  const { email = "" } = form;
  const { ticket } = await service.askCode(ctx, email, visitorOf(call));
  const cookie = codeCookie(
    { ticket, email: email.trim(), to: placeIn(form.to), fields, account: form.account ?? "" },
    isSecure,
  );
  if (!cookie) return await signUpPage(call, t.say("signup.long"));
  return { to: "/portal/sign-in/code", cookies: [cookie] };
}

async function enterCode(call: PageCall) {
  const { form, t, headers } = call;
  const waiting = waitingCode(headers);
  if (!waiting) return await signInPage(call, t.say("code.none"));
  const { ticket, to, fields, account } = waiting;
  try {
    const code = (form.code ?? "").replaceAll(/\s/g, "");
    const by = { ticket, code, ...fields ? { fields: { ...fields } } : {} };
    return await signedIn(call, by, to, account);
  } catch (error) {
    if (!(error instanceof Failure && error.code === "wrong_code")) throw error;
    return await codePage(call, t.say("code.wrong"));
  }
}

/** Signs in, and goes on to `to`; the session that the browser had until then ends. */
export async function signedIn(
  { ctx, isSecure, ...call }: PageCall,
  by: Parameters<typeof service.signIn>[1],
  to: string,
  account = "",
) {
  const visitor = { ...visitorOf({ ctx, isSecure, ...call }), account };
  const { secret, lifeMs } = await service.signIn(ctx, by, visitor);
  const cookies = [
    sessionCookie(secret, lifeMs, isSecure, "developer"),
    noCodeCookie(isSecure),
  ];
  return { to: placeIn(to), cookies };
}

function visitorOf({ ctx, headers, peer, t, isSecure }: PageCall): service.Visitor {
  const before = sessionSecretOf(headers, isSecure, "developer");
  return {
    headers,
    address: ctx.clientAddresses.of({ headers, peer }),
    language: t.language,
    ...before === undefined ? {} : { before },
  };
}

/** The sign-in page; `wrong`: the reason of a failed attempt. */
export async function signInPage(call: PageCall, wrong = ""): Promise<Page> {
  const { ctx, t, headers, site: { organisation, sign_in, sign_up }, form, query } = call;
  const to = placeIn(form.to ?? query.get("to"));
  const everybodys = await offeredTo(ctx, headers, "");
  const asksAddress = sign_in.code || await isOfferedByAddress(ctx, headers);
  const own = (asksAddress || sign_in.password) &&
    html`<form method="post" action="/portal/sign-in">
${hiddenFields(call, { to })}
${
      field({
        name: "email",
        label: t.say("signin.email"),
        type: "email",
        value: form.email ?? "",
        required: true,
        auto: "username",
      })
    }${
      sign_in.password && field({
        name: "password",
        label: t.say("signin.password"),
        type: "password",
        required: !asksAddress,
        auto: "current-password",
        note: sign_in.code ? t.say("signin.code.note") : "",
      })
    }
<p><button class="main">${
      t.say(
        sign_in.password ? "signin.do" : sign_in.code ? "signin.code" : "signin.go",
      )
    }</button></p>
${sign_in.code && !sign_in.password && html`<p class="note">${t.say("signin.code.alone")}</p>`}
</form>`;
  const hasNone = !asksAddress && !sign_in.password && everybodys.length === 0;
  return {
    title: t.say("signin"),
    narrow: true,
    status: wrong === "" ? 200 : 400,
    body: html`<div class="card"><h1>${t.say("signin")}</h1>
<p class="lead">${t.say("signin.lead", { organisation: organisation.name })}</p>
${wrong !== "" && complaint(wrong)}
${everybodys.map((one) => providerButton(call, one, { to }, !asksAddress))}
${own}
${hasNone && html`<p>${t.say("signin.nothing")}</p>`}
<p>${
      sign_up === "closed"
        ? t.say("signup.closed", { organisation: organisation.name })
        : html`${t.say("signin.up")} <a href="/portal/sign-up?to=${encodeURIComponent(to)}">${
          t.say("signin.up.do")
        }</a>`
    }</p></div>`,
  };
}

/** The choice for an address of this domain, existing or not: its company's sign-in, or a code. */
function waysPage(call: PageCall, offered: readonly OfferedProvider[]): Page {
  const { t, form: { email = "", to }, site: { sign_in } } = call;
  const place = placeIn(to);
  return {
    title: t.say("signin"),
    narrow: true,
    body: html`<div class="card"><h1>${t.say("signin")}</h1>
<p class="lead ltr">${email}</p>
${offered.map((one) => providerButton(call, one, { to: place }))}
${
      sign_in.code && html`<form method="post" action="/portal/sign-in">
${hiddenFields(call, { to: place, email, by: "code" })}
<p><button>${t.say("signin.code")}</button></p>
</form>`
    }
<p><a href="/portal/sign-in">${t.say("signin.other")}</a></p></div>`,
  };
}

/** The form that goes to a provider: a button with its name. */
export function providerButton(
  call: PageCall,
  { id, name }: OfferedProvider,
  carried: Readonly<Record<string, string>>,
  isMain = true,
): Html {
  const { t } = call;
  return html`
    <form method="post" action="/portal/sign-in/with/${id}">${hiddenFields(call, carried)}
      <p><button class="${isMain ? "main" : ""}">${t.say("provider.with", { name })}</button></p>
    </form>
  `;
}

async function codePage(call: PageCall, wrong = ""): Promise<Page> {
  const { t, headers } = call;
  const waiting = waitingCode(headers);
  if (!waiting) return await signInPage(call, t.say("code.none"));
  return {
    title: t.say("code"),
    narrow: true,
    status: wrong === "" ? 200 : 400,
    body: html`<div class="card"><h1>${t.say("code")}</h1>
<p class="lead">${t.say("code.sent")} <strong>${waiting.email}</strong></p>
${wrong !== "" && complaint(wrong)}
<form method="post" action="/portal/sign-in/code">
${digitsField(call)}
<p><button class="main">${t.say("code.do")}</button></p>
</form>
<p class="note">${t.say("code.note")}</p>
<p class="note">${t.say("code.spam")}</p>
<p><a href="/portal/sign-in">${t.say("code.again")}</a></p></div>`,
  };
}

/** The field of a code's six digits. */
export function digitsField({ t }: Pick<PageCall, "t">): Html {
  return html`
    <label for="f-code">${t.say("code.label")}</label>
    <input class="digits" id="f-code" name="code" inputmode="numeric" autocomplete="one-time-code"
      maxlength="12" required autofocus>
  `;
}

function closedPage({ t, site: { organisation: { name } } }: PageCall): Page {
  return {
    title: t.say("signup"),
    narrow: true,
    status: 404,
    body: html`
      <div class="card">
        <h1>${t.say("signup")}</h1>
        <p>${t.say("signup.closed", { organisation: name })}</p>
        <p>${t.say("signup.in")} <a href="/portal/sign-in">${t.say("signin")}</a></p>
      </div>
    `,
  };
}

async function signUpPage(call: PageCall, wrong = ""): Promise<Page> {
  const { t, form, site: { organisation, sign_up, mail_domains } } = call;
  if (sign_up === "closed") return closedPage(call);
  return {
    title: t.say("signup"),
    narrow: true,
    status: wrong === "" ? 200 : 400,
    body: html`<div class="card"><h1>${t.say("signup")}</h1>
<p class="lead">${t.say("signup.lead")}</p>
${
      sign_up === "invitation" &&
      html`<p>${t.say("signup.rule.invitation", { organisation: organisation.name })}</p>`
    }${
      sign_up === "domains" &&
      html`<p>${t.say("signup.rule.domains", { domains: mail_domains.join(", ") })}</p>`
    }
${wrong !== "" && complaint(wrong)}
${await signUpForm(call, form)}
<p>${t.say("signup.in")} <a href="/portal/sign-in">${t.say("signin")}</a></p></div>`,
  };
}

/** The form of a sign-up; `said`: what it holds already. */
export async function signUpForm(
  call: PageCall,
  said: Readonly<Record<string, string>>,
): Promise<Html> {
  const { t } = call;
  const asked = await askedAtSignUp(call);
  const { account } = said;
  const to = placeIn(said.to ?? call.query.get("to"));
  const carried = { to, ...account ? { account } : {} };
  return html`<form method="post" action="/portal/sign-up">
${hiddenFields({ csrf: "" }, carried)}
${
    field({
      name: "email",
      label: t.say("signin.email"),
      type: "email",
      value: said.email ?? "",
      required: true,
      auto: "email",
    })
  }
${
    asked.map((question, at) => {
      const name = `field-${at}`;
      const before = question.name === NAME ? said.name : undefined;
      return questionField(t, question, { name, said: said[name] ?? before ?? "" });
    })
  }
<p><button class="main">${t.say("signup.do")}</button></p>
</form>`;
}

async function askedAtSignUp({ ctx, headers }: PageCall): Promise<Question[]> {
  const { org_id } = await pagesAt(ctx, headers);
  const strict = ctx.settings.references === "strict";
  return signUpQuestions(await findConfiguration(ctx.storage.reader, { org_id }), strict);
}

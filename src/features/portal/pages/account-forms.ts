import { findConfiguration } from "../../plans/catalogue/catalogue.store.ts";
import type { Question } from "../../plans/catalogue/questions.contract.ts";
import * as account from "../access/account.service.ts";
import { tokenScopes } from "../access/developer-tokens.contract.ts";
import * as tokens from "../access/developer-tokens.service.ts";
import { signUpQuestions } from "../access/sign-up-fields.ts";
import { field, hiddenFields, time } from "./frame.ts";
import { type Html, html } from "./html.ts";
import type { PageCall } from "./page.ts";
import { identitiesCard } from "./provider-pages.ts";
import { questionField } from "./question-field.ts";
import { LANGUAGES } from "./texts.ts";

/** How long a token may live, in days. */
export const LONGEST_DAYS = 90;

/** The forms of the account's page. */
export async function ownForms(call: PageCall): Promise<Html> {
  return html`${await profileForm(call)}${emailForm(call)}${await mailsForm(call)}${
    call.site.sign_in.password && passwordForm(call)
  }${await identitiesCard(call)}${await tokensCard(call)}${lookForm(call)}`;
}

async function profileForm(call: PageCall): Promise<Html> {
  const { ctx, t, form } = call;
  const { fields } = await account.get(ctx);
  const asked = await askedQuestions(call);
  return html`
    <form class="card" method="post" action="/portal/account/profile">${hiddenFields(call)}
      <h2>${t.say("account.you")}</h2>
      ${asked.map((question, at) => {
        const name = `field-${at}`;
        return questionField(t, question, {
          name,
          said: form[name] ?? fields[question.name] ?? "",
        });
      })}
      <button>${t.say("account.save")}</button>
    </form>
  `;
}

/** The questions of sign-up, in their order. */
export async function askedQuestions({ ctx }: PageCall): Promise<Question[]> {
  const { storage: { reader }, principal: { org_id }, settings } = ctx;
  const strict = settings.references === "strict";
  return signUpQuestions(await findConfiguration(reader, { org_id }), strict);
}

function emailForm(call: PageCall): Html {
  const { t, form } = call;
  return html`
    <form class="card" method="post" action="/portal/account/email">${hiddenFields(call)}
      <h2>${t.say("email")}</h2>
      <p class="note">${t.say("email.lead")}</p>
      ${field({
        name: "email",
        label: t.say("email.new"),
        type: "email",
        value: form.email ?? "",
        required: true,
        auto: "email",
      })}
      <button>${t.say("signin.code")}</button>
    </form>
  `;
}

async function mailsForm(call: PageCall): Promise<Html> {
  const { ctx, t } = call;
  const { language, quota, key_ends, verified } = await account.getMails(ctx);
  const tick = (name: string, isOn: boolean) =>
    html`
      <label class="check"><input type="checkbox" name="${name}" ${isOn && html`
        checked
      `}> ${t.say(`mails.${name === "quota" ? "quota" : "key_ends"}`)}</label>
    `;
  return html`
    <form class="card" method="post" action="/portal/account/mails">${hiddenFields(call)}
      <h2>${t.say("mails")}</h2>
      ${tick("quota", quota)}${tick("key_ends", key_ends)}
      ${!verified && html`<p class="note">${t.say("mails.unverified")}</p>`}
      <label for="f-mails">${t.say("mails.language")}</label>
      <select id="f-mails" name="language">${(["", "en", "de"] as const).map((one) =>
        html`
          <option value="${one}" ${one === language && html`
            selected
          `}>${one === "" ? t.say("mails.theirs") : LANGUAGES[one]}</option>
        `
      )}</select>
      <button>${t.say("account.save")}</button>
    </form>
  `;
}

function passwordForm(call: PageCall): Html {
  const { t } = call;
  return html`
    <form class="card" method="post" action="/portal/account/password">${hiddenFields(call)}
      <h2>${t.say("signin.password")}</h2>
      <p class="note">${t.say("password.lead")}</p>
      ${field({
        name: "password",
        label: t.say("password.new"),
        type: "password",
        required: true,
        auto: "new-password",
      })}
      <button>${t.say("password.do")}</button>
    </form>
  `;
}

async function tokensCard(call: PageCall): Promise<Html> {
  const { ctx, t } = call;
  const own = await tokens.list(ctx);
  return html`
    <section class="card">
      <h2>${t.say("tokens")}</h2>
      <p class="note">${t.say("tokens.lead")}</p>
      <ul class="list">${own.map(({ id, name, scope, last_used_at, expires_at }) =>
        html`
          <li class="row">
            <div
              class="grow"><strong>${name}</strong><br><span class="note">${t.say(
                `tokens.${scope}`,
              )}. ${t.say("key.ends")}: ${time(t, expires_at)}. ${t.say(
                "key.used",
              )}: ${last_used_at ===
                  null
                ? t.say("key.used.never")
                : time(t, last_used_at)}</span></div>
            <form method="post"
              action="/portal/account/tokens/${id}">${hiddenFields(
                call,
              )}<button aria-label="${t.say("tokens.end.of", { name })}">${t.say(
                "account.end",
              )}</button></form>
          </li>
        `
      )}</ul>
      <details>
        <summary>${t.say("tokens.make")}</summary>
        <form method="post" action="/portal/account/tokens">${hiddenFields(call)}
          ${field({ name: "token-name", label: t.say("tokens.name"), required: true })}
          <label for="f-scope">${t.say("tokens.scope")}</label>
          <select id="f-scope" name="scope">${tokenScopes.map((scope) =>
            html`
              <option value="${scope}">${t.say(`tokens.${scope}`)}</option>
            `
          )}</select>
          ${field({
            name: "days",
            label: t.say("tokens.days", { n: LONGEST_DAYS }),
            type: "number",
            value: "30",
            required: true,
          })}
          <button>${t.say("tokens.do")}</button>
        </form>
      </details>
    </section>
  `;
}

function lookForm(call: PageCall): Html {
  const { t, look } = call;
  return html`
    <form class="card" method="post" action="/portal/look">
      <h2>${t.say("look")}</h2>
      <label for="f-theme">${t.say("look.theme")}</label>
      <select id="f-theme" name="theme">${(["system", "light", "dark"] as const).map((theme) =>
        html`
          <option value="${theme}" ${theme === look.theme && html`
            selected
          `}>${t.say(`look.${theme}`)}</option>
        `
      )}</select>
      <label class="check"><input type="checkbox" name="shortcuts" ${look.shortcuts && html`
        checked
      `}> ${t.say("look.shortcuts")}</label>
      <p class="note">${t.say("look.keys")}</p>
      <button>${t.say("account.save")}</button>
    </form>
  `;
}

import { Failure } from "../../../kernel/failure.ts";
import { wrongAnswers } from "../../plans/catalogue/questions.ts";
import * as account from "../access/account.service.ts";
import { tokenScopes } from "../access/developer-tokens.contract.ts";
import { list as listIdentities } from "../access/provider-sign-in.service.ts";
import * as tokens from "../access/developer-tokens.service.ts";
import { askedQuestions, LONGEST_DAYS } from "./account-forms.ts";
import { accountPage } from "./account-pages.ts";
import { codeCookie, lookCookie, noCodeCookie, waitingCode } from "./cookies.ts";
import { complaint, hiddenFields } from "./frame.ts";
import { html } from "./html.ts";
import type { Handler, Onward, Page, PageCall } from "./page.ts";
import { complaintOf } from "./question-field.ts";
import { digitsField, providerButton } from "./sign-in-pages.ts";

const ACCOUNT = "/portal/account";
const LANGUAGES_OF_MAILS = ["", "en", "de"] as const;

/** The pages on which developers change their own account. */
export const ownAccountPages: Readonly<Record<string, { GET?: Handler; POST?: Handler }>> = {
  "/portal/account/profile": { POST: { for: "developer", run: saveProfile } },
  "/portal/account/email": {
    GET: { for: "developer", opens: true, run: async (call) => emailPage(call) },
    POST: { for: "developer", opens: true, run: askEmail },
  },
  "/portal/account/email/code": { POST: { for: "developer", opens: true, run: takeEmail } },
  "/portal/account/mails": {
    POST: {
      for: "developer",
      run: async ({ ctx, form }) => {
        // The organisation's own is the empty one, which a form's body leaves out.
        const language = LANGUAGES_OF_MAILS.find((one) => one === (form.language ?? ""));
        if (language === undefined) throw new Failure("invalid_input");
        const { quota, key_ends } = form;
        await account.setMails(ctx, {
          language,
          quota: quota !== undefined,
          key_ends: key_ends !== undefined,
        });
        return { to: `${ACCOUNT}?done=profile` };
      },
    },
  },
  "/portal/account/password": { POST: { for: "developer", begins: true, run: savePassword } },
  "/portal/account/tokens": { POST: { for: "developer", begins: true, run: makeToken } },
  "/portal/account/tokens/{id}": {
    POST: {
      for: "developer",
      run: async ({ ctx, params }) => {
        await tokens.end(ctx, params.id ?? "");
        return { to: `${ACCOUNT}?done=token` };
      },
    },
  },
  "/portal/account/again": {
    GET: { for: "developer", run: againPage },
  },
  "/portal/look": {
    POST: {
      for: "everybody",
      run: ({ form: { theme = "", shortcuts }, isSecure }) => {
        if (theme !== "system" && theme !== "light" && theme !== "dark") {
          throw new Failure("invalid_input");
        }
        const look = { theme, shortcuts: shortcuts !== undefined } as const;
        return Promise.resolve({ to: ACCOUNT, cookies: [lookCookie(look, isSecure)] });
      },
    },
  },
};

async function saveProfile(call: PageCall): Promise<Page | Onward> {
  const { ctx, form, t } = call;
  const asked = await askedQuestions(call);
  const given = asked.map(({ name }, at) => [name, (form[`field-${at}`] ?? "").trim()] as const);
  const [wrong] = wrongAnswers(asked, Object.fromEntries(given));
  if (wrong) return await accountPage(call, complaintOf(t, wrong.question));
  if (given.some(([, said]) => said.length > 1000)) {
    return await accountPage(call, t.say("account.long"));
  }
  await account.setFields(ctx, Object.fromEntries(given));
  return { to: `${ACCOUNT}?done=profile` };
}

async function askEmail(call: PageCall): Promise<Page | Onward> {
  const { ctx, t, isSecure, form: { email = "" } } = call;
  try {
    const { ticket } = await account.askEmailCode(ctx, email.trim());
    const cookie = codeCookie({ ticket, email: email.trim(), to: ACCOUNT }, isSecure);
    return { to: "/portal/account/email", cookies: cookie ? [cookie] : [] };
  } catch (error) {
    if (!(error instanceof Failure && error.code === "invalid_input")) throw error;
    return await accountPage(call, t.say("email.wrong"));
  }
}

function emailPage(call: PageCall, wrong = ""): Page | Onward {
  const { t, headers } = call;
  const waiting = waitingCode(headers);
  if (!waiting || waiting.email === "") return { to: ACCOUNT };
  return {
    title: t.say("email"),
    narrow: true,
    status: wrong === "" ? 200 : 400,
    body: html`
      <div class="card">
        <h1>${t.say("email")}</h1>
        <p class="lead">${t.say("email.sent")} <strong class="ltr">${waiting.email}</strong></p>
        ${wrong !== "" && complaint(wrong)}
        <form method="post" action="/portal/account/email/code">${hiddenFields(call)}
          ${digitsField(call)}
          <p><button class="main">${t.say("prove.enter")}</button></p>
        </form>
        <p><a href="${ACCOUNT}">${t.say("account")}</a></p>
      </div>
    `,
  };
}

async function takeEmail(call: PageCall): Promise<Page | Onward> {
  const { ctx, t, form, headers, isSecure } = call;
  const waiting = waitingCode(headers);
  if (!waiting) return { to: ACCOUNT };
  const code = (form.code ?? "").replaceAll(/\s/g, "");
  try {
    await account.setEmail(ctx, { ticket: waiting.ticket, code });
  } catch (error) {
    if (!(error instanceof Failure && error.code === "wrong_code")) throw error;
    return emailPage(call, t.say("code.wrong"));
  }
  return { to: `${ACCOUNT}?done=email`, cookies: [noCodeCookie(isSecure)] };
}

async function savePassword(call: PageCall): Promise<Page | Onward> {
  const { ctx, t, form: { password = "" } } = call;
  try {
    await account.setPassword(ctx, password);
  } catch (error) {
    const isWeak = error instanceof Failure &&
      (error.code === "invalid_input" || error.code === "developer_refused");
    if (!isWeak) throw error;
    return await accountPage(call, t.say("password.weak"));
  }
  return { to: `${ACCOUNT}?done=password` };
}

async function makeToken(call: PageCall): Promise<Page> {
  const { ctx, t, form } = call;
  const name = form["token-name"]?.trim() ?? "";
  const scope = tokenScopes.find((one) => one === form.scope);
  const days = Number(form.days);
  const isGood = name !== "" && name.length <= 100 && scope !== undefined &&
    Number.isInteger(days) && days >= 1 && days <= LONGEST_DAYS;
  if (!isGood) return await accountPage(call, t.say("tokens.wrong", { n: LONGEST_DAYS }));
  const { token } = await tokens.create(ctx, { name, scope, days });
  return {
    title: t.say("tokens.new"),
    body: html`
      <div class="card">
        <h1>${t.say("tokens.new")}</h1>
        <p class="said wait">${t.say("tokens.once")}</p>
        <p><code id="token" data-env="KEYDESK_TOKEN">${token}</code> <button class="text"
            type="button" data-copy="token" data-done="${t.say("new.copied")}" hidden>${t.say(
              "new.copy",
            )}</button></p>
        <form action="${ACCOUNT}" data-guard>
          <label class="check"><input type="checkbox" required> ${t.say("new.kept")}</label>
          <div class="row"><button class="main">${t.say("new.done")}</button>
            <button type="button" data-save-env hidden>${t.say("new.env")}</button>
            <span class="note grow">${t.say("new.guard")}</span></div>
        </form>
      </div>
    `,
  };
}

/** An action that only the developer may begin needs a session that they began just now. */
async function againPage(call: PageCall): Promise<Page> {
  const { t, ctx } = call;
  const { data, providers } = await listIdentities(ctx);
  const own = providers.filter(({ id }) => data.some((one) => one.provider_id === id));
  return {
    title: t.say("again"),
    narrow: true,
    body: html`
      <div class="card">
        <h1>${t.say("again")}</h1>
        <p class="lead">${t.say("again.lead")}</p>
        ${own.map((one) => providerButton(call, one, { fresh: "1", to: ACCOUNT }))}
        <form method="post"
          action="/portal/sign-out">${hiddenFields(
            call,
          )}<button class="main">${t.say("again.do")}</button></form>
        <p><a href="${ACCOUNT}">${t.say("account")}</a></p>
      </div>
    `,
  };
}

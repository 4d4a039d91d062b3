import { sessionSecretOf } from "../../../http/session-cookie.ts";
import { Failure } from "../../../kernel/failure.ts";
import { type Brought, namedByLink, sessionHere } from "../access/entering.service.ts";
import { hiddenFields } from "./frame.ts";
import { html } from "./html.ts";
import type { Handler, Onward, Page, PageCall } from "./page.ts";
import { signedIn, signInPage } from "./sign-in-pages.ts";

/** The page at which a link of another site signs in. */
export const enterPages: Readonly<Record<string, { GET?: Handler; POST?: Handler }>> = {
  "/portal/enter": {
    GET: { for: "everybody", run: async (call) => enterPage(call) },
    POST: { for: "everybody", run: enter },
  },
};

/**
 * `/portal?nonce=…`, where an identity broker sends a browser: without its cookies, since it comes
 * from another site. The form brings both together, and takes the nonce out of the address.
 */
export const nonceArrival: Handler = {
  for: "everybody",
  run: async ({ t, query }) => ({
    title: t.say("enter"),
    narrow: true,
    body: html`
      <div class="card">
        <h1>${t.say("enter")}</h1>
        <p class="lead">${t.say("enter.lead")}</p>
        <form method="post" action="/portal/enter" data-at-once>${hiddenFields({ csrf: "" }, {
          nonce: query.get("nonce") ?? "",
        })}
          <p><button class="main">${t.say("enter.do")}</button></p>
        </form>
      </div>
    `,
  }),
};

/**
 * Signs in at once where no one, or the same developer, is signed in. Over another one's session a
 * press is asked for, which names both: any site can send its visitor here with a link of its own.
 */
async function enter(call: PageCall): Promise<Page | Onward> {
  const { ctx, form, headers, isSecure } = call;
  const brought: Brought = form.nonce ? { nonce: form.nonce } : { link: form.link ?? "" };
  const here = await sessionHere(ctx, headers, sessionSecretOf(headers, isSecure, "developer"));
  const theirs = here && await namedByLink(ctx, headers, brought);
  const isOther = here && theirs && (here.viewer !== theirs.viewer ||
    (here.viewer === null && here.developer.id !== theirs.developer.id));
  if (isOther && form.over !== here.id) return swapPage(call, brought, { here, theirs });
  try {
    const onward = await signedIn(call, brought, "/portal");
    return isOther ? { ...onward, forget: true } : onward;
  } catch (error) {
    if (!(error instanceof Failure && error.code === "not_authorised")) throw error;
    return await signInPage(call, call.t.say("enter.gone"));
  }
}

type Both = Record<"here" | "theirs", { id?: string; developer: { id: string; called: string } }>;

function swapPage(call: PageCall, brought: Brought, { here, theirs }: Both): Page {
  const { t } = call;
  const [from, to] = [here.developer.called, theirs.developer.called];
  const carried = { ...brought, over: here.id ?? "" };
  return {
    title: t.say("swap"),
    narrow: true,
    status: 409,
    body: html`
      <div class="card">
        <h1>${t.say("swap")}</h1>
        <p class="lead">${t.say("swap.here", { name: from })}</p>
        <p>${t.say("swap.link", { name: to })}</p>
        <form method="post" action="/portal/enter">${hiddenFields({ csrf: "" }, carried)}
          <p><button>${t.say("swap.do", { name: to })}</button></p>
        </form>
        <p><a class="button main" href="/portal">${t.say("swap.stay", { name: from })}</a></p>
        <p class="note">${t.say("swap.note")}</p>
      </div>
    `,
  };
}

function enterPage({ t }: PageCall): Page {
  return {
    title: t.say("enter"),
    narrow: true,
    body: html`
      <div class="card">
        <h1>${t.say("enter")}</h1>
        <p class="lead">${t.say("enter.lead")}</p>
        <form method="post" action="/portal/enter" data-from-hash="" hidden>
          <input type="hidden" name="link" value="">
          <p><button class="main">${t.say("enter.do")}</button></p>
        </form>
        <noscript><p>${t.say("enter.noscript")}</p></noscript>
        <p><a href="/portal/sign-in">${t.say("signin")}</a></p>
      </div>
    `,
  };
}

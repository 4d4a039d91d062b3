import type { Failure } from "../../../kernel/failure.ts";
import { html } from "./html.ts";
import type { Page } from "./page.ts";
import type { Texts } from "./texts.ts";

/** The page of a failed call at this path, in words that name the rule. */
export function failurePage(t: Texts, failure: Failure, path: string): Page {
  if (OFFERED.test(path) && (GONE.has(failure.code) || failure.code === "unknown_plan")) {
    const others = t.say("request.gone.others");
    return { ...card(t.say("gone.offer"), t.say("gone.offer.text"), others), status: 404 };
  }
  return GONE.has(failure.code)
    ? card(t.say("gone"), t.say("gone.text"), t.say("gone.home"))
    : card(t.say("failed"), reasonOf(t, failure), t.say("gone.home"));
}

/** A page that says one thing and leads to the first one. */
function card(title: string, text: string, onward: string): Page {
  return {
    title,
    narrow: true,
    body: html`
      <div class="card">
        <h1>${title}</h1>
        <p>${text}</p>
        <p><a class="button" href="/portal">${onward}</a></p>
      </div>
    `,
  };
}

/** Paths of what is offered: an API, or a plan to request. */
const OFFERED = /^\/portal\/(apis|ask)\//;

const GONE: ReadonlySet<string> = new Set(["not_found", "unknown_path", "key_not_found"]);

/** Why something failed, in the reader's language. */
export function reasonOf(t: Texts, { code, retryAfterSeconds }: Failure): string {
  switch (code) {
    case "too_many_requests":
      return t.say("failed.wait", { seconds: retryAfterSeconds ?? 1 });
    case "csrf_refused":
    case "fresh_sign_in_required":
      return t.say("failed.csrf");
    case "body_too_large":
    case "key_request_too_large":
      return t.say("failed.long");
    case "malformed_body":
    case "malformed_request":
    case "invalid_input":
      return t.say("failed.input");
    case "not_authorised":
    case "wrong_code":
    case "wrong_credentials":
    case "nonce_gone":
      return t.say("failed.sign_in");
    case "access_denied":
    case "method_not_allowed":
      return t.say("failed.denied");
    case "code_required":
      return t.say("prove.lead");
    case "unavailable":
    case "audit_stream_unavailable":
    case "store_damaged":
      return t.say("failed.unavailable");
    case "internal":
      return t.say("failed.internal");
    case "unknown_plan":
    case "inactive_plan":
    case "keyless_plan":
    case "mixed_auth_types":
      return t.say("failed.plan");
    case "too_many_pending":
    case "already_decided":
    case "no_offer":
    case "too_many_words":
    case "offer_waits":
    case "not_late":
    case "reminded_already":
    case "one_time_link_gone":
    case "key_revoked":
    case "key_suspended":
    case "key_suspended_by_others":
    case "key_not_suspended":
    case "key_expired":
    case "key_rotated":
    case "key_damaged":
    case "too_many_tokens":
    case "audit_stream_behind":
    case "provider_away":
    case "providers_unavailable":
    case "identity_taken":
    case "too_many_identities":
    case "last_way_in":
      return t.say(`failed.${code}`);
    default:
      return t.say("failed.other", { code });
  }
}

/** The page at an address without pages. */
export function offPage(t: Texts): Page {
  return {
    title: t.say("off"),
    narrow: true,
    body: html`
      <div class="card">
        <h1>${t.say("off")}</h1>
        <p>${t.say("off.text")}</p>
      </div>
    `,
  };
}

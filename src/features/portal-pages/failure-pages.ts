import type { Failure } from "../../kernel/failure.ts";
import { html } from "./html.ts";
import type { Page } from "./page.ts";
import type { Texts } from "./texts.ts";

/** What a failed call says, in words that name the rule. */
export function failurePage(t: Texts, failure: Failure): Page {
  if (GONE.has(failure.code)) {
    return {
      title: t.say("gone"),
      narrow: true,
      body: html`
        <div class="card">
          <h1>${t.say("gone")}</h1>
          <p>${t.say("gone.text")}</p>
          <p><a class="button" href="/portal">${t.say("gone.home")}</a></p>
        </div>
      `,
    };
  }
  return {
    title: t.say("failed"),
    narrow: true,
    body: html`
      <div class="card">
        <h1>${t.say("failed")}</h1>
        <p>${reasonOf(t, failure)}</p>
        <p><a class="button" href="/portal">${t.say("gone.home")}</a></p>
      </div>
    `,
  };
}

const GONE: ReadonlySet<string> = new Set(["not_found", "unknown_path", "key_not_found"]);

/** Why something failed, in the reader's language as far as there are words for it. */
export function reasonOf(t: Texts, { code, message, details, retryAfterSeconds }: Failure): string {
  switch (code) {
    case "csrf_refused":
      return t.say("failed.csrf");
    case "too_many_requests":
      return t.say("failed.wait", { seconds: retryAfterSeconds ?? 1 });
    case "unavailable":
      return t.say("failed.unavailable");
    case "invalid_input":
      return t.say("failed.input", { why: details[0] ?? message });
    default:
      return t.say("failed.other", { why: message });
  }
}

/** What stands where no pages are. */
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

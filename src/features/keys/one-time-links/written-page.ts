import { Answer } from "../../../kernel/answer.ts";

interface PageCall {
  readonly headers: { get(name: string): string | null };
}

/** Everything from this server, nothing inline, and nowhere to send a form to. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

/** Serves a text of the pages that mailed links lead to. */
export const writtenPage = (
  text: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
) =>
() =>
  Promise.resolve(
    new Answer(text, {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": POLICY,
      ...headers,
    }),
  );

/** Serves a page that is written in the language of the person who reads it. */
export const languagePage =
  (html: (acceptLanguage: string | null) => string) => (_: unknown, { headers }: PageCall) =>
    writtenPage(html(headers.get("accept-language")), "text/html", { vary: "accept-language" })();

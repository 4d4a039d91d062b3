import type { PageLanguage } from "./page-language.ts";

/**
 * A page that a mailed link leads to, of one reader's language: its script, as linkScript makes it,
 * reads the texts from it. `src`: where that is; `main`: what is shown, in HTML.
 */
export function linkHtml<Key extends string>(
  { tag, direction, texts }: PageLanguage<Key | LinkText>,
  { src, main }: { src: string; main(say: (key: Key | LinkText) => string): string },
): string {
  const say = (key: Key | LinkText) => escaped(texts[key]);
  return `<!doctype html>
<html lang="${tag}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${say("title")}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="claim.css">
<script src="${src}" defer></script>
</head>
<body>
<header>
<p class="brand"><img id="logo" width="28" height="28" alt="" hidden><span id="organisation">Keydesk</span></p>
<p id="host"></p>
</header>
<main>
<section id="about" aria-labelledby="title">
<h1 id="title">${say("title")}</h1>
<dl id="facts"></dl>
</section>
<div id="steps">
<noscript><p>${say("script")}</p></noscript>
${main(say)}
<section id="unread" hidden>
<h2 id="unread-title" tabindex="-1">${say("unread")}</h2>
<p>${say("unread.note")}</p>
<p><button id="again" type="button">${say("again")}</button></p>
</section>
<p id="status" role="status"></p>
</div>
</main>
<footer id="footer" hidden><p id="help">${say("help")} <a id="support"></a></p></footer>
${textsScript(texts)}
</body>
</html>
`;
}

/** The texts that every such page has, whatever it is of. */
type LinkText =
  | ("title" | "script" | "unread" | "unread.note" | "again")
  | ("help" | "reading" | "failed");

/** The element in which a page's script finds its texts. */
export function textsScript(texts: Readonly<Record<string, string>>): string {
  const json = JSON.stringify(texts).replaceAll("<", "\\u003c");
  return `<script type="application/json" id="texts">${json}</script>`;
}

/** A text as it is in HTML. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

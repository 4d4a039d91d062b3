import type { OneTimeLinkLanguage } from "./one-time-link-texts.ts";
import type { OneTimeLinkTexts } from "./one-time-link-texts.ts";
import { escaped, textsScript } from "./link-page.ts";

/**
 * The page of a one-time link: asks before it opens anything, so that whoever only looks at it
 * burns nothing. Its script reads the texts from it.
 */
export function oneTimeLinkHtml({ tag, direction, texts }: OneTimeLinkLanguage): string {
  const say = (key: keyof OneTimeLinkTexts) => escaped(texts[key]);
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
<script src="claim.js" defer></script>
</head>
<body>
<header>
<p class="brand"><img id="logo" width="28" height="28" alt="" hidden><svg id="mark" viewBox="0 0 20 20" width="24" height="24" aria-hidden="true"><rect width="20" height="20" rx="5"/><path d="M6.6 4.8h2.1v4.5l4-4.5h2.6l-4 4.4 4.3 6h-2.6l-3.2-4.6-1.1 1.2v3.4H6.6z"/><text id="letter" x="10" y="14.4"></text></svg><span id="organisation">Keydesk</span></p>
<p id="host"></p>
</header>
<main>
<section id="about" aria-labelledby="title">
<h1 id="title">${say("title")}</h1>
<p id="since" hidden></p>
<dl id="facts"></dl>
</section>
<div id="steps">
<noscript><p>${say("script")}</p></noscript>
<section id="ask" hidden>
<p>${say("once")}</p>
<p>${say("place")}</p>
<p id="until"></p>
<p><button id="open" type="button">${say("show")}</button></p>
</section>
<section id="shown" hidden>
<h2 id="done" tabindex="-1">${say("keep")}</h2>
<p class="once"><strong>${say("shown.once")}</strong> ${say("shown.note")}</p>
<dl id="parts"></dl>
<p id="token-use" hidden>${say("token.use")} <a href="console" target="_blank" rel="noopener">${
    say("token.console")
  }</a>. ${say("token.header")}</p>
<p><label class="kept"><input id="kept" type="checkbox"> ${say("kept")}</label></p>
<p class="buttons"><button id="finish" type="button" disabled>${
    say("done")
  }</button> <button id="save" class="plain" type="button">${say("save")}</button></p>
<p class="note">${say("done.note")}</p>
</section>
<section id="finished" hidden>
<h2 id="finished-title" tabindex="-1">${say("finished")}</h2>
<p>${say("finished.note")}</p>
</section>
<section id="gone" hidden>
<h1 id="gone-title" tabindex="-1">${say("gone")}</h1>
<p id="gone-why"></p>
</section>
<section id="unread" hidden>
<h2 id="unread-title" tabindex="-1">${say("unread")}</h2>
<p>${say("unread.note")}</p>
<p><button id="again" type="button">${say("again")}</button></p>
</section>
<p id="status" role="status"></p>
</div>
</main>
<footer id="footer" hidden><p id="help" hidden>${
    say("help")
  } <a id="support"></a></p><p id="docs" hidden><a id="documentation" target="_blank" rel="noopener noreferrer">${
    say("documentation")
  }</a></p></footer>
${textsScript(texts)}
</body>
</html>
`;
}

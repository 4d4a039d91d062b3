/**
 * The page of a claim link: asks before it opens anything, so that whoever only looks at it burns
 * nothing.
 */
export const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>Your key or access token</title>
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
<h1 id="title">Your key or access token</h1>
<p id="since" hidden></p>
<dl id="facts"></dl>
</section>
<div id="steps">
<noscript><p>This page needs JavaScript to open your link.</p></noscript>
<section id="ask" hidden>
<p>You can open it <strong>once</strong>: after that this link is used up.</p>
<p>Have a safe place ready to keep it, such as a password manager.</p>
<p id="until"></p>
<p><button id="open" type="button">Show it</button></p>
</section>
<section id="shown" hidden>
<h2 id="done" tabindex="-1">Keep it now</h2>
<p class="once"><strong>Shown this once.</strong> This link no longer opens anything, and nobody can show it again.</p>
<dl id="parts"></dl>
<p id="token-use" hidden>It opens this desk: <a href="console" target="_blank" rel="noopener">sign in to the console</a> with it. A script sends it in the header <code>Authorization</code>.</p>
<p><label class="kept"><input id="kept" type="checkbox"> I have kept it in a safe place</label></p>
<p class="buttons"><button id="finish" type="button" disabled>Done</button> <button id="save" class="plain" type="button">Save as .env file</button></p>
<p class="note">“Done” clears it from this page. Until the box is ticked, closing the page asks first.</p>
</section>
<section id="finished" hidden>
<h2 id="finished-title" tabindex="-1">That was all</h2>
<p>It is cleared from this page. You can close it.</p>
</section>
<section id="gone" hidden>
<h1 id="gone-title" tabindex="-1">This link opens nothing</h1>
<p id="gone-why"></p>
</section>
<section id="unread" hidden>
<h2 id="unread-title" tabindex="-1">The link could not be read now</h2>
<p>Nothing was used up.</p>
<p><button id="again" type="button">Try again</button></p>
</section>
<p id="status" role="status"></p>
</div>
</main>
<footer id="footer" hidden><p id="help" hidden>Not yours, or it looks wrong? Write to <a id="support"></a>.</p><p id="docs" hidden><a id="documentation" target="_blank" rel="noopener noreferrer">Documentation</a></p></footer>
</body>
</html>
`;

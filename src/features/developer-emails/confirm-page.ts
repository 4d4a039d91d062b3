/**
 * The page of a link that confirms an address: asks before it confirms, since scanners of mails
 * follow links.
 */
export const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>Confirm an e-mail address</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="claim.css">
<script src="confirm.js" defer></script>
</head>
<body>
<header>
<p class="brand"><img id="logo" width="28" height="28" alt="" hidden><span id="organisation">Keydesk</span></p>
<p id="host"></p>
</header>
<main>
<section id="about" aria-labelledby="title">
<h1 id="title">Confirm an e-mail address</h1>
<dl id="facts"></dl>
</section>
<div id="steps">
<noscript><p>This page needs JavaScript to confirm your address.</p></noscript>
<section id="ask" hidden>
<p id="what"></p>
<p>If it was not you, close this page: nothing is confirmed by reading it.</p>
<p><button id="confirm" type="button">Confirm</button></p>
</section>
<section id="finished" hidden>
<h2 id="finished-title" tabindex="-1">Confirmed</h2>
<p id="next"></p>
</section>
<section id="gone" hidden>
<h2 id="gone-title" tabindex="-1">This link confirms nothing</h2>
<p>It was used already, has expired, or a part of it is missing. Ask whoever runs the portal for a new one.</p>
</section>
<section id="unread" hidden>
<h2 id="unread-title" tabindex="-1">The link could not be read now</h2>
<p>Nothing was used up.</p>
<p><button id="again" type="button">Try again</button></p>
</section>
<p id="status" role="status"></p>
</div>
</main>
<footer id="footer" hidden><p id="help">Not you, or it looks wrong? Write to <a id="support"></a>.</p></footer>
</body>
</html>
`;

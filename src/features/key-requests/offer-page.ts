/**
 * The page of a link that answers an offer: asks before it answers, since scanners of mails follow
 * links.
 */
export const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>An offer for your request</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="claim.css">
<script src="offer.js" defer></script>
</head>
<body>
<header>
<p class="brand"><img id="logo" width="28" height="28" alt="" hidden><span id="organisation">Keydesk</span></p>
<p id="host"></p>
</header>
<main>
<section id="about" aria-labelledby="title">
<h1 id="title">An offer for your request</h1>
<dl id="facts"></dl>
</section>
<div id="steps">
<noscript><p>This page needs JavaScript to answer an offer.</p></noscript>
<section id="ask" hidden>
<p>There is no key before you accept. Reading this page answers nothing.</p>
<p class="buttons"><button id="accept" type="button">Accept</button> <button id="turn-down" class="plain" type="button">Turn it down</button></p>
<p><label for="words">Or answer in your own words</label></p>
<p><textarea id="words" rows="3" maxlength="2000"></textarea></p>
<p><button id="answer" class="plain" type="button">Send the answer</button></p>
</section>
<section id="accepted" hidden>
<h2 id="accepted-title" tabindex="-1">Accepted</h2>
<p>Your key waits to be opened. The link shows it once; it is mailed to you, too, where mails of approvals are sent.</p>
<p><a id="key" rel="noopener">Open my key</a></p>
</section>
<section id="finished" hidden>
<h2 id="finished-title" tabindex="-1">Thank you</h2>
<p>Your answer has arrived. The request waits for people again.</p>
</section>
<section id="over" hidden>
<h2 id="over-title" tabindex="-1"></h2>
<p id="over-why"></p>
</section>
<section id="gone" hidden>
<h2 id="gone-title" tabindex="-1">This is no link of an offer</h2>
<p>A part of it is missing, or its request is there no more. Open the whole link of the mail.</p>
</section>
<section id="unread" hidden>
<h2 id="unread-title" tabindex="-1">The link could not be read now</h2>
<p>Nothing was answered.</p>
<p><button id="again" type="button">Try again</button></p>
</section>
<p id="status" role="status"></p>
</div>
</main>
<footer id="footer" hidden><p id="help">Questions? Write to <a id="support"></a>.</p></footer>
</body>
</html>
`;

// As whom the page calls: with the access token that is typed in, else as whoever is signed in to
// the console in this browser, else as nobody. Neither is kept anywhere but in this page's memory.

let address;
let shown;
let session = null;
let hasToken = false;

/** Begins to show in `element` as whom calls are sent; `root`: where the server stands. */
export function watchCaller(root, element) {
  address = new URL("v1/session", root);
  shown = element;
  shown.querySelector("a").href = new URL("console", root);
  // Whoever signs in or out beside this page comes back to it.
  addEventListener("focus", () => void askWhoIsIn());
  void askWhoIsIn();
}

/** An access token was typed in, or taken away. */
export function tokenIs(there) {
  hasToken = there;
  show();
}

/**
 * A call as it is sent. With an access token it goes without cookies, so that it is the token's
 * alone. By session it carries the token against forged calls, asked for anew each time: the
 * session may be another by now.
 */
export async function asCaller(request) {
  if (Object.keys(request.headers).some((name) => name.toLowerCase() === "authorization")) {
    return { ...request, credentials: "omit" };
  }
  const before = session;
  await askWhoIsIn();
  if (!session) return { ...request, credentials: "omit" };
  if (before && !isSame(before, session)) {
    // Nothing that one person typed is sent as another.
    location.reload();
    await new Promise(() => {});
  }
  const isRead = ["GET", "HEAD"].includes(request.method);
  const headers = isRead ? {} : { "x-csrf-token": session.csrf_token };
  return {
    ...request,
    credentials: "same-origin",
    headers: { ...request.headers, ...headers },
  };
}

function isSame(one, other) {
  return one.person.id === other.person.id && one.organisation.id === other.organisation.id;
}

/** Asking is no use of the session, which would keep it alive. */
async function askWhoIsIn() {
  try {
    const answer = await fetch(address, { headers: { "x-keydesk-background": "1" } });
    const told = await answer.json();
    session = answer.ok ? told : null;
  } catch {
    session = null;
  }
  show();
}

function show() {
  const words = shown.querySelector("span");
  shown.querySelector("a").hidden = hasToken || session !== null;
  shown.hidden = false;
  words.textContent = hasToken
    ? "Calls are sent with the access token that was typed in."
    : session
    ? `Signed in as ${session.person.name} (${session.organisation.name}). Calls of /v1 are sent as you, all others ` +
      "need an access token."
    : "Nobody is signed in. Authorize takes an access token, or";
}

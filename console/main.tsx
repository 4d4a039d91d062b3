import { render } from "preact";
import { wasSignedIn } from "./api/early.ts";
import { begin, readShellBy, session } from "./api/session.ts";
import { App, Shell } from "./app.tsx";
import { isolateChildren } from "./parts/isolated-children.ts";
import "./shell/theme.ts";

/** Time for the first picture: parts that come later are drawn into it. */
const AT_ONCE_MS = 60;

isolateChildren();
readShellBy(Shell.ahead);
void start();

// Not at the top: screens wait until this module has run.
async function start(): Promise<void> {
  const begun = begin();
  // A person who was signed in most likely still is. The server knows better, and says so.
  if (!wasSignedIn()) await begun;
  if (session.value !== null) {
    await Shell.ahead();
    await Promise.race([
      Promise.all([begun, readFirst()]),
      new Promise((resolve) => setTimeout(resolve, AT_ONCE_MS)),
    ]);
  }
  const place = document.getElementById("app");
  // The first content of the page would stay below a sign-in.
  place?.replaceChildren();
  if (place) render(<App />, place);
}

/** Reads the screen of the address. What fails is read when it is shown. */
async function readFirst(): Promise<void> {
  await import("./shell/lazy-screen.tsx").then(({ readFirst }) => readFirst(), () => {});
}

import { render } from "preact";
import { begin } from "./api/session.ts";
import { App } from "./app.tsx";
import { isolateChildren } from "./parts/isolated-children.ts";
import { listenForShortcuts } from "./parts/shortcuts.ts";
import { readFirst } from "./shell/lazy-screen.tsx";

/** What is there by then is part of the first picture; what is not comes into it. */
const AT_ONCE_MS = 60;

isolateChildren();
listenForShortcuts();
void start();

// Not at the top: screens wait until this module has run.
async function start(): Promise<void> {
  await Promise.race([
    Promise.all([begin(), readFirst()]),
    new Promise((resolve) => setTimeout(resolve, AT_ONCE_MS)),
  ]);
  const place = document.getElementById("app");
  // What stood there from the beginning would stay below a sign-in.
  place?.replaceChildren();
  if (place) render(<App />, place);
}

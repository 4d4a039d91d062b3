import { render } from "preact";
import { begin } from "./api/session.ts";
import { App } from "./app.tsx";
import { listenForShortcuts } from "./parts/shortcuts.ts";

void begin();
listenForShortcuts();
const place = document.getElementById("app");
if (place) render(<App />, place);

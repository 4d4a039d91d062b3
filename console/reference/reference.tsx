/** The reference: drawn from this server's own document. `tools/reference-page.js` bundles it. */
import { render } from "preact";
import { isolateChildren } from "../parts/isolated-children.ts";
import "../shell/theme.ts";
import { watchCaller } from "./caller.ts";
import { type Document, groupsOf } from "./document.ts";
import { ReferencePage } from "./page.tsx";

const place = document.getElementById("reference");
if (place) {
  isolateChildren();
  void start(place, new URL(place.dataset.root ?? "./", location.href));
}

async function start(place: HTMLElement, root: URL): Promise<void> {
  watchCaller(root);
  try {
    const answer = await fetch(new URL("openapi.json", root));
    if (!answer.ok) throw new Error(String(answer.status));
    // as: the server's own document, which tests check.
    const table = await answer.json() as Document;
    place.replaceChildren();
    render(<ReferencePage document={table} groups={groupsOf(table)} />, place);
  } catch {
    place.replaceChildren();
    render(<p role="alert">The document did not load. Load this page again in a moment.</p>, place);
  }
}

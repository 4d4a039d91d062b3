import { version } from "../kernel/version.ts";

/**
 * The folder into which `tools/reference-page.js` puts the page's files: in a clone below dist/, in
 * a package beside the program.
 */
const folder = import.meta.url.endsWith(".ts") ? "../../dist/reference/" : "./reference/";

/** The files of the page, by name, as they are packed. */
export const pageFiles: Readonly<Record<string, URL>> = Object.fromEntries(
  ["reference.css", "reference.js"].map((name) => [name, new URL(folder + name, import.meta.url)]),
);

/**
 * The page. `served`: the files' names as they are served. All addresses are relative, because a
 * proxy may put the whole server below a path of its own; `inFolder`: the page was asked for with a
 * slash at its end.
 */
export function page(served: ReadonlyMap<string, string>, inFolder: boolean): string {
  const file = (name: string) => `${inFolder ? "" : "reference/"}${served.get(name) ?? ""}`;
  const root = inFolder ? "../" : "./";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Keydesk reference</title>
<link rel="icon" href="data:,">
<link rel="preload" href="${root}openapi.json" as="fetch" crossorigin>
<link rel="stylesheet" href="${file("reference.css")}">
<script type="module" src="${file("reference.js")}"></script>
</head>
<body>
<header>
<p><a href="${root}console">Console</a></p>
<h1>Keydesk reference <small>${version}</small></h1>
<nav aria-label="The interface as a document">
<a href="${root}openapi.json">OpenAPI 3.2</a>
<a href="${root}openapi-3.1.json">OpenAPI 3.1</a>
</nav>
</header>
<div id="reference" data-root="${root}">
<noscript><p>This page needs JavaScript. The documents above hold the same.</p></noscript>
</div>
</body>
</html>
`;
}

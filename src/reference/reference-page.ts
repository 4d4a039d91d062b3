import { version } from "../kernel/version.ts";

/** Where Swagger UI's files and ours stand: beside the program as the build puts them, or in a clone. */
const built = !import.meta.url.endsWith(".ts");
const at = (inClone: string, name: string) =>
  new URL(built ? `./reference/${name}` : `${inClone}${name}`, import.meta.url);

const SWAGGER_UI = "../../node_modules/swagger-ui-dist/";
const OURS = "./page/";

/** The files of the page, by name; `build.ts` packs them into `dist/reference`. */
export const pageFiles: Readonly<Record<string, URL>> = {
  "swagger-ui.css": at(SWAGGER_UI, "swagger-ui.css"),
  "swagger-ui-bundle.js": at(SWAGGER_UI, "swagger-ui-bundle.js"),
  "reference.css": at(OURS, "reference.css"),
  "reference.js": at(OURS, "reference.js"),
};

/**
 * The page. `served`: the files' names as they are served. All addresses are relative, because a proxy may put the
 * whole server below a path of its own; `inFolder`: the page was asked for with a slash at its end.
 */
export function page(served: ReadonlyMap<string, string>, inFolder: boolean): string {
  const file = (name: string) => `${inFolder ? "" : "reference/"}${served.get(name) ?? ""}`;
  const root = inFolder ? ".." : "./";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Keydesk reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${file("swagger-ui.css")}">
<link rel="stylesheet" href="${file("reference.css")}">
<script src="${file("swagger-ui-bundle.js")}" defer></script>
<script src="${file("reference.js")}" defer></script>
</head>
<body>
<header>
<h1>Keydesk reference <small>${version}</small></h1>
<nav aria-label="The interface as a document">
<a href="${root}openapi.json">OpenAPI 3.2</a>
<a href="${root}openapi-3.1.json">OpenAPI 3.1</a>
</nav>
<h2 class="visually-hidden">Operations</h2>
</header>
<div id="reference" data-root="${root}">
<noscript><p>This page needs JavaScript. The documents above hold the same.</p></noscript>
</div>
</body>
</html>
`;
}

// Swagger UI over this server's own document. tools/reference-page.js bundles it.

import { h } from "preact";
import SwaggerUI from "swagger-ui";
import { asCaller, tokenIs, watchCaller } from "./caller.js";
import { mendNames } from "./names.js";
import { Texts } from "./texts.js";

const main = document.getElementById("reference");
const root = new URL(main.dataset.root, location.href);

// Swagger UI has both themes and a class for the dark one.
const dark = matchMedia("(prefers-color-scheme: dark)");
const setTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", setTheme);
setTheme();

/**
 * The head of an operation is a button, so the path in it must be no link; the address follows what
 * is open.
 */
const pathsAreTexts = { components: { DeepLink: ({ text }) => h("span", null, text) } };

/** In the place of Markdown, which would be written as HTML. */
const textsAreTexts = { wrapComponents: { Markdown: () => Texts } };

/** Tells whether an access token is typed in. */
const tellsOfToken = {
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (original) => (typed) => {
          tokenIs(true);
          return original(typed);
        },
        logout: (original) => (names) => {
          tokenIs(false);
          return original(names);
        },
      },
    },
  },
};

watchCaller(root, document.getElementById("caller"));
start().catch(() => {
  const told = document.createElement("p");
  told.setAttribute("role", "alert");
  told.textContent = "The document did not load. Load this page again in a moment.";
  main.append(told);
});

async function start() {
  const answer = await fetch(new URL("openapi.json", root));
  if (!answer.ok) throw new Error(String(answer.status));
  const spec = await answer.json();
  spec.servers = [{ url: root.href.replace(/\/$/, "") }];
  // What is typed in is the one access token. The session is the browser's own affair, and
  // caller.js's.
  const { credential } = spec.components.securitySchemes;
  spec.components.securitySchemes = { credential };
  for (const operation of operations(spec)) {
    operation.security = operation.security.filter((one) => "credential" in one);
  }
  new MutationObserver(() => mendNames(main)).observe(main, { childList: true, subtree: true });
  SwaggerUI({
    spec,
    domNode: main,
    plugins: [pathsAreTexts, textsAreTexts, tellsOfToken],
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    filter: true,
    persistAuthorization: false,
    supportedSubmitMethods: ["get", "post", "put", "delete", "update", "UPDATE"],
    syntaxHighlight: false,
    validatorUrl: null,
    // The token against forged calls is for the server alone.
    showMutatedRequest: false,
    requestInterceptor: asCaller,
  });
}

function operations(spec) {
  return Object.values(spec.paths).flatMap(({ additionalOperations, ...item }) => [
    ...Object.values(item),
    ...Object.values(additionalOperations ?? {}),
  ]);
}

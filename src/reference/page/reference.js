// Starts Swagger UI over this server's own document.

const main = document.getElementById("reference");
const root = new URL(main.dataset.root, location.href);

// Swagger UI has both themes and a class for the dark one.
const dark = matchMedia("(prefers-color-scheme: dark)");
const setTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", setTheme);
setTheme();

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
  // The page calls with the one access token that is typed into it, never with the cookie of who is signed in beside it.
  const { credential } = spec.components.securitySchemes;
  spec.components.securitySchemes = { credential };
  for (const operation of operations(spec)) {
    operation.security = operation.security.filter((one) => "credential" in one);
  }
  new MutationObserver(mend).observe(main, { childList: true, subtree: true });
  SwaggerUIBundle({
    spec,
    domNode: main,
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    filter: true,
    persistAuthorization: false,
    supportedSubmitMethods: ["get", "post", "put", "delete", "update", "UPDATE"],
    // Of those that Swagger UI has, the one whose colours can all be read.
    syntaxHighlight: { theme: "obsidian" },
    validatorUrl: null,
    requestInterceptor: (request) => ({ ...request, credentials: "omit" }),
  });
}

/** What Swagger UI leaves without a name or out of the keyboard's reach. */
function mend() {
  for (const filter of main.querySelectorAll(".filter:not([role])")) {
    filter.setAttribute("role", "search");
    filter.querySelector("input").setAttribute("aria-label", "Filter operations");
  }
  for (const select of main.querySelectorAll("select:not([aria-label])")) {
    const parameter = select.closest("tr[data-param-name]")?.dataset.paramName;
    select.setAttribute("aria-label", parameter ?? "Choose what is shown");
  }
  for (const answers of main.querySelectorAll("[role=region]:not([aria-label])")) {
    answers.setAttribute("aria-label", answers.id);
  }
  for (const text of main.querySelectorAll("pre:not([tabindex])")) {
    text.setAttribute("tabindex", "0");
  }
}

function operations(spec) {
  return Object.values(spec.paths).flatMap(({ additionalOperations, ...item }) => [
    ...Object.values(item),
    ...Object.values(additionalOperations ?? {}),
  ]);
}

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
  // The page calls with what is typed into it, never with the cookie of who is signed in beside it.
  delete spec.components.securitySchemes.session;
  for (const operation of operations(spec)) {
    operation.security = operation.security.filter((one) => !("session" in one));
  }
  new MutationObserver(nameFilter).observe(main, { childList: true, subtree: true });
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
    validatorUrl: null,
    requestInterceptor: (request) => ({ ...request, credentials: "omit" }),
  });
}

/** As soon as the field for filtering is there, a screen reader is told what it is for. */
function nameFilter(_changes, observer) {
  const filter = main.querySelector(".filter");
  if (!filter) return;
  observer.disconnect();
  filter.setAttribute("role", "search");
  filter.querySelector("input").setAttribute("aria-label", "Filter operations");
}

function operations(spec) {
  return Object.values(spec.paths).flatMap(({ additionalOperations, ...item }) => [
    ...Object.values(item),
    ...Object.values(additionalOperations ?? {}),
  ]);
}

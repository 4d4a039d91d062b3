// What Swagger UI leaves without a name or out of the keyboard's reach.

/** Names what has none by now. Called at each change of the page. */
export function mendNames(main) {
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
  // Speech finds a button by what stands on it.
  for (const button of main.querySelectorAll(".modal-btn[aria-label]")) {
    button.removeAttribute("aria-label");
  }
  for (const dialog of main.querySelectorAll(".modal-ux:not([role])")) nameDialog(dialog);
}

/**
 * The dialog for the access token: named, and begun in its field. The focus goes back to what
 * opened it.
 */
function nameDialog(dialog) {
  const opener = document.activeElement;
  dialog.setAttribute("role", "dialog");
  dialog.setAttribute("aria-modal", "true");
  dialog.setAttribute("aria-label", "Access token");
  dialog.querySelector(".close-modal").setAttribute("aria-label", "Close without a change");
  dialog.querySelector("input")?.focus();
  const closing = new MutationObserver(() => {
    if (dialog.isConnected) return;
    closing.disconnect();
    opener.focus();
  });
  closing.observe(document.body, { childList: true, subtree: true });
}

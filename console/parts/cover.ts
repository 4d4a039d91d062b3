const NARROW = matchMedia("(max-width: 860px)");

let drawers = 0;
let dialogs = 0;

/**
 * On a narrow screen a drawer lies over the page, which is inert meanwhile: whatever carries
 * `data-behind-drawer`. Not while a modal dialog is open: the browser makes everything behind it
 * inert, and the dialog may be a part of the page. Gives what ends the drawer's (or the dialog's)
 * part in this.
 */
export function cover(by: "drawer" | "dialog"): () => void {
  count(by, 1);
  return () => count(by, -1);
}

NARROW.addEventListener("change", apply);

function count(by: "drawer" | "dialog", change: number): void {
  if (by === "drawer") drawers += change;
  else dialogs += change;
  apply();
}

function apply(): void {
  for (const one of document.querySelectorAll<HTMLElement>("[data-behind-drawer]")) {
    one.inert = NARROW.matches && drawers > 0 && dialogs === 0;
  }
}

import { keep, kept } from "../api/kept.ts";
import { signal } from "../signal.ts";

/** How the page looks: as the system does, or by choice. */
export type Theme = "system" | "light" | "dark";

/** All three, in the order of the switch. */
export const themes: readonly Theme[] = ["system", "light", "dark"];

const KEY = "keydesk.theme";

/** The choice of this browser. */
export const theme = signal<Theme>(read());

/** Chooses, and keeps the choice. */
export function choose(chosen: Theme): void {
  theme.value = chosen;
  show(chosen);
  keep(KEY, chosen);
}

show(theme.value);

function show(chosen: Theme): void {
  document.documentElement.dataset.theme = chosen;
}

function read(): Theme {
  const chosen = kept(KEY);
  return themes.find((one) => one === chosen) ?? "system";
}

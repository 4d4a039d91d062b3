/** A value that this browser keeps under a name; null without one, or if storage is forbidden. */
export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps it. Where storage is forbidden it lasts as long as the page. */
export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Said above.
  }
}

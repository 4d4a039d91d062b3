/**
 * Resolves when styles that no other screen needs are there; a failure does not hold the screen
 * back.
 */
export function readStyles(href: string): Promise<void> {
  return new Promise((resolve) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href });
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
}

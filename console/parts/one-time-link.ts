/**
 * A one-time link as another person can open it: without a public address the server knows its path
 * alone.
 */
export function absolute(link: string): string {
  return new URL(link, location.origin).href;
}

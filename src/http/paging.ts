import { Answer } from "../lib/answer.ts";
import type { Call } from "./mount.ts";

/** The page with a `Link` to the next one (RFC 8288), where there is one. */
export function withNextLink<T extends { next_cursor: string | null }>(
  call: Call<unknown, object, unknown>,
  page: T,
): T | Answer<T> {
  if (page.next_cursor === null) return page;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...call.query, cursor: page.next_cursor })) {
    if (value !== undefined) query.set(name, String(value));
  }
  return new Answer(page, { link: `<${call.path}?${query}>; rel="next"` });
}

import { HeadedAnswer } from "../lib/headed-answer.ts";
import type { JsonText } from "../lib/json-text.ts";

/** A page with the address of the next one as `Link` (RFC 8288), where there is a next one. */
export function withNextPage<T>(
  call: { readonly path: string; readonly query: Readonly<Record<string, unknown>> },
  page: T | JsonText,
  next_cursor: string | null,
): HeadedAnswer<T> {
  if (next_cursor === null) return new HeadedAnswer<T>(page, {});
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...call.query, cursor: next_cursor })) {
    if (value !== undefined) query.set(name, String(value));
  }
  return new HeadedAnswer<T>(page, { link: `<${call.path}?${query}>; rel="next"` });
}

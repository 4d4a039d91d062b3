import { Answer } from "../kernel/answer.ts";

/** A page with the address of the next one as `Link` (RFC 8288), where there is a next one. */
export function withNextPage<T>(
  call: { readonly path: string; readonly query: Readonly<Record<string, unknown>> },
  page: T,
  next_cursor: string | null,
): Answer<T> {
  if (next_cursor === null) return new Answer(page);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...call.query, cursor: next_cursor })) {
    if (value !== undefined) query.set(name, String(value));
  }
  return new Answer(page, { link: `<${call.path}?${query}>; rel="next"` });
}

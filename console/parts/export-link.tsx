/** Downloads a whole list as CSV, with the filters of `query`. */
export function ExportLink({ of: path, query }: {
  of: string;
  query: Readonly<Record<string, string | number | undefined>>;
}) {
  const chosen = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) chosen.set(name, String(value));
  }
  return <a class="button is-quiet" href={`${path}?${chosen}`} download>Export</a>;
}

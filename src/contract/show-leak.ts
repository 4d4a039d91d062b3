/** A mark as it is shown. */
export interface LeakView {
  reported_at: string;
  reported_by: string;
  url: string | null;
}

/** The columns of a mark, as rows that may lack one are read. */
export interface LeakColumns {
  leaked_at: string | null;
  leaked_by: string | null;
  leaked_url: string | null;
}

/** A mark as it is shown; null where nothing was reported. */
export function toLeak(
  { leaked_at, leaked_by, leaked_url }: LeakColumns,
): LeakView | null {
  if (leaked_at === null) return null;
  return {
    reported_at: leaked_at,
    reported_by: leaked_by ? `partner ${leaked_by}` : "anybody",
    url: leaked_url || null,
  };
}

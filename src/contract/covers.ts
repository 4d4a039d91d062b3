/**
 * Of what alone somebody sees and decides: these plans, the plans that open nothing but these APIs,
 * and the plans with one of these tags.
 */
export interface Covers {
  plans: string[];
  apis: string[];
  tags: string[];
}

/** So many of each are named at the most. */
export const MOST_COVERED = 50;

/** The text by which it is stored: each once, in one order. */
export function coversText({ plans, apis, tags }: Covers): string {
  const each = (named: readonly string[]) => [...new Set(named)].sort();
  return JSON.stringify({ plans: each(plans), apis: each(apis), tags: each(tags) });
}

/** The scope of its stored form, null for everything. */
export function coversOf(stored: string | null): Covers | null {
  // as: coversText wrote it, and the checksum of its row is looked at.
  return stored === null ? null : JSON.parse(stored) as Covers;
}

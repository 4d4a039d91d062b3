/**
 * The plans within which a person sees and decides: these, the plans that are valid for nothing but
 * these APIs, and the plans with one of these tags.
 */
export interface Scope {
  plans: string[];
  apis: string[];
  tags: string[];
}

/** So many of each are named at the most. */
export const MOST_IN_SCOPE = 50;

/** The text by which it is stored: each once, in one order. */
export function scopeText({ plans, apis, tags }: Scope): string {
  const each = (named: readonly string[]) => [...new Set(named)].sort();
  return JSON.stringify({ plans: each(plans), apis: each(apis), tags: each(tags) });
}

/** The scope of its stored form, null for everything. */
export function readScope(stored: string | null): Scope | null {
  // as: scopeText wrote it, and the checksum of its row is looked at.
  return stored === null ? null : JSON.parse(stored) as Scope;
}

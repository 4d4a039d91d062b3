/**
 * Whether a write failed because a unique index has the value already. The transaction can't go on
 * after that: turn it into the Failure that ends it.
 */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // as: both engines' errors carry their own code under one of these names.
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === POSTGRES_UNIQUE_VIOLATION || errcode === SQLITE_CONSTRAINT_UNIQUE;
}

const POSTGRES_UNIQUE_VIOLATION = "23505";
const SQLITE_CONSTRAINT_UNIQUE = 2067;

/** bcrypt's form, whose cost is two digits. */
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;

/** Whether a stored hash is bcrypt's, as an import brings it: replaced at the first log-in. */
export function isForeignHash(stored: string): boolean {
  return BCRYPT.test(stored);
}

/** The cost of such a hash: each more doubles the work. Undefined for no such hash. */
export function foreignCost(stored: string): number | undefined {
  const cost = BCRYPT.exec(stored)?.[1];
  return cost === undefined ? undefined : Number(cost);
}

/** A higher cost takes the thread of passwords for seconds, and everybody's log-in with it. */
export const MOST_COST = 14;

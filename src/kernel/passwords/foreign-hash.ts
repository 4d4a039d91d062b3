/** bcrypt's form, whose cost is two digits. */
const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;

/** Whether a stored hash is bcrypt's, as an import brings it: it is replaced at the first log-in. */
export function isForeignHash(stored: string): boolean {
  return BCRYPT.test(stored);
}

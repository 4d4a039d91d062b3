/**
 * Makes a value at its first use, and once: concurrent callers wait for the same. A failure is not
 * kept, so the next caller begins anew.
 */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
}

/**
 * Makes something when it is first asked for, and once: whoever asks meanwhile waits for the same.
 * What failed is not kept, so the next one to ask begins anew.
 */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
}

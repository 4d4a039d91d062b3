/**
 * Waits for the promise, at most `ms` milliseconds. Gives what the promise gives; after that time
 * gives or throws what `late` gives or throws, and how the promise ends then is no one's concern.
 */
export async function inTime<T, L>(
  promise: Promise<T>,
  ms: number,
  late: () => L,
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  try {
    return await Promise.race([promise, expired.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

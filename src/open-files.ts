/** The limit of open files if it is unknown. */
const USUAL = 1024;
/** A start warns below this limit: one page of a browser takes six connections. */
export const FEW_FILES = 8192;
/** Kept free for the store's files, connections to databases and out, and reads from disk. */
const LEAST_ROOM = 64;
const MOST_ROOM = 1024;
/** More connections at once are a matter for several processes: each holds some kilobytes. */
const MOST_CONNECTIONS = 16_384;

/**
 * How many files this process may have open. The launcher says it: the runtime raises its soft
 * limit to the hard one and may not read which that is.
 */
export function openFilesLimit(): number {
  const limit = Number(Deno.env.get("KEYDESK_OPEN_FILES"));
  if (limit > 0) return limit;
  try {
    const limits = Deno.readTextFileSync("/proc/self/limits");
    return Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? USUAL);
  } catch {
    return USUAL;
  }
}

/** How many connections clients may have at once with so many files. */
export function connectionsWithin(openFiles: number): number {
  const room = Math.min(MOST_ROOM, Math.max(LEAST_ROOM, Math.ceil(openFiles / 8)));
  return Math.min(MOST_CONNECTIONS, Math.max(Math.ceil(openFiles / 2), openFiles - room));
}

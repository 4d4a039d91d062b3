import { WriterThread } from "./storage/engines/sqlite-threaded-writer.ts";

/**
 * The writer's thread; it loads by itself from now on. It is beside this file, in a clone as in the
 * package.
 */
export function startWriter(): WriterThread {
  const name = import.meta.url.endsWith(".ts") ? "writer-thread.ts" : "writer-thread.js";
  return new WriterThread(new URL(`./${name}`, import.meta.url));
}

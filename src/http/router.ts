import type { Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";

/**
 * Hono's TrieRouter, which alone takes all of our paths. What it finds for a declared path without parameters, or
 * for the root of a tree, is kept, since it is the same for each request.
 */
export class LiteralFirstRouter<T> implements Router<T> {
  readonly name = "LiteralFirstRouter";
  readonly #trie = new TrieRouter<T>();
  /** By path, then by method; no others than the declared ones, since a client may send any word as its method. */
  readonly #kept = new Map<string, Map<string, Result<T>>>();
  readonly #methods = new Set<string>();

  add(method: string, path: string, handler: T): void {
    this.#trie.add(method, path, handler);
    this.#methods.add(method);
    const literal = path.replace(/\/\*$/, "");
    if (!/[:*?]/.test(literal)) this.#kept.set(literal, new Map());
    // What was found before may lack this one.
    for (const byMethod of this.#kept.values()) byMethod.clear();
  }

  match(method: string, path: string): Result<T> {
    const byMethod = this.#kept.get(path);
    if (byMethod === undefined || !this.#methods.has(method)) return this.#trie.match(method, path);
    let found = byMethod.get(method);
    if (found === undefined) byMethod.set(method, found = this.#trie.match(method, path));
    return found;
  }
}

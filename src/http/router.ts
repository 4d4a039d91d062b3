import type { Params, Result, Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";

/**
 * Hono's TrieRouter, which alone takes all of our paths. What it finds is kept where it is the same for each
 * request: for a declared path without parameters, for the root of a tree, and for a declared path whose only
 * parameter is its last segment, whichever id stands there.
 */
export class LiteralFirstRouter<T> implements Router<T> {
  readonly name = "LiteralFirstRouter";
  readonly #trie = new TrieRouter<T>();
  /** By path, then by method; no others than the declared ones, since a client may send any word as its method. */
  readonly #kept = new Map<string, Map<string, Result<T>>>();
  /** The same by what stands before the last segment, with the slash. */
  readonly #keptBeforeId = new Map<string, Map<string, FoundForId<T>>>();
  readonly #methods = new Set<string>();

  add(method: string, path: string, handler: T): void {
    this.#trie.add(method, path, handler);
    this.#methods.add(method);
    const literal = path.replace(/\/\*$/, "");
    if (!/[:*?]/.test(literal)) this.#kept.set(literal, new Map());
    const beforeParameter = /^([^:*?]*\/):\w+$/.exec(path)?.[1];
    if (beforeParameter !== undefined) this.#keptBeforeId.set(beforeParameter, new Map());
    // What was found before may lack this one.
    for (const byMethod of this.#kept.values()) byMethod.clear();
    for (const byMethod of this.#keptBeforeId.values()) byMethod.clear();
  }

  match(method: string, path: string): Result<T> {
    if (!this.#methods.has(method)) return this.#trie.match(method, path);
    const byMethod = this.#kept.get(path);
    if (byMethod !== undefined) return this.#keep(byMethod, method, path);
    const cut = path.lastIndexOf("/") + 1;
    const beforeId = this.#keptBeforeId.get(path.slice(0, cut));
    const id = path.slice(cut);
    return beforeId !== undefined && ID.test(id)
      ? this.#matchId(beforeId, method, path, id)
      : this.#trie.match(method, path);
  }

  #keep(byMethod: Map<string, Result<T>>, method: string, path: string): Result<T> {
    let found = byMethod.get(method);
    if (found === undefined) byMethod.set(method, found = this.#trie.match(method, path));
    return found;
  }

  #matchId(
    byMethod: Map<string, FoundForId<T>>,
    method: string,
    path: string,
    id: string,
  ): Result<T> {
    let found = byMethod.get(method);
    if (found === undefined) {
      // as: this router puts each handler's parameters beside it, by name.
      const handlers = this.#trie.match(method, path)[0] as [T, Params][];
      byMethod.set(method, found = { id, handlers });
    }
    const { id: firstId, handlers } = found;
    return [handlers.map(([handler, params]) => [handler, withId(params, firstId, id)])];
  }
}

/** An id as we make them, lib/ids.ts. No declared path has a segment that looks like one. */
const ID = /^[0-9a-f]{24}$/;

/** What was found for the first id that stood there. */
interface FoundForId<T> {
  id: string;
  handlers: [T, Params][];
}

function withId(params: Params, firstId: string, id: string): Params {
  const own: Params = Object.create(null);
  for (const name in params) own[name] = params[name] === firstId ? id : params[name] ?? "";
  return own;
}

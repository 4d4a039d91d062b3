import { addRoute, createRouter, findRoute } from "rou3";

/** Where a path leads. `T` is what serves a method. */
export interface Found<T> {
  /** The path as declared: `/certs/{id}`. */
  readonly path: string;
  /** What stands for each `{name}` of it, percent-encoding taken off. */
  readonly params: Readonly<Record<string, string>>;
  /** What serves the method; undefined where the path does not take it. HEAD is served as GET is. */
  readonly serving: T | undefined;
  /** The methods that the path takes, as the header `Allow` lists them. */
  readonly allow: string;
}

/**
 * One table from paths to the methods that they take, so that look-up, 404, 405 and `Allow` never disagree. A path
 * that is declared letter by letter wins over one with parameters, whatever the method.
 */
export class PathTable<T> {
  readonly #router = createRouter<Place<T>>();
  readonly #places = new Map<string, Place<T>>();

  /** The path takes these methods, beside those that it was given before. */
  add(path: string, methods: readonly string[], served: T): void {
    const place = this.#places.get(path) ?? { path, methods: new Map<string, T>(), allow: "" };
    for (const method of methods) place.methods.set(method, served);
    place.allow = allowOf([...place.methods.keys()]);
    if (this.#places.has(path)) return;
    this.#places.set(path, place);
    addRoute(this.#router, "", path.replaceAll(/\{(\w+)\}/g, ":$1"), place);
  }

  /** The path and all below it take every method. */
  addTree(path: string, served: T): void {
    addRoute(this.#router, "", `${path}/**`, { path, methods: new Map(), allow: "", tree: served });
  }

  /** `path` is one that `requestPath` gave; undefined where it leads nowhere. */
  find(method: string, path: string): Found<T> | undefined {
    // The library takes a slash off the end, as requestPath has done already.
    const found = findRoute(this.#router, "", path.endsWith("/") ? `${path}/` : path);
    if (!found) return undefined;
    const { path: declared, methods, allow, tree } = found.data;
    if (tree !== undefined) return { path: declared, params: {}, serving: tree, allow };
    const serving = methods.get(method === "HEAD" ? "GET" : method);
    return { path: declared, params: decoded(found.params), serving, allow };
  }
}

interface Place<T> {
  readonly path: string;
  readonly methods: Map<string, T>;
  allow: string;
  /** What serves every method of the path and of all paths below. */
  readonly tree?: T;
}

function allowOf(methods: readonly string[]): string {
  return [...methods, ...methods.includes("GET") ? ["HEAD"] : [], "OPTIONS"].join(", ");
}

function decoded(params: Record<string, string> = {}): Record<string, string> {
  for (const name in params) {
    const text = params[name] ?? "";
    if (text.includes("%")) params[name] = decodeURIComponent(text);
  }
  return params;
}

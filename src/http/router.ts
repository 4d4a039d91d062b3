import { addRoute, createRouter, findRoute } from "rou3";
import type { ReceivedRequest } from "../../packages/http-listener/request.ts";
import { sha256 } from "../kernel/sha256.ts";

/** The target of a path. `T` is the server of a method. */
export interface Found<T> {
  /** The path as declared: `/certs/{id}`. */
  readonly path: string;
  /** The value of each `{name}` of it, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The server of the method; undefined if the path does not take it. HEAD is served as GET. */
  readonly serving: T | undefined;
  /** The methods that the path takes, as the header `Allow` lists them. */
  readonly allow: string;
}

/**
 * One table from paths to the methods that they take, so that look-up, 404, 405 and `Allow` never
 * disagree. A path that is declared letter by letter wins over one with parameters, whatever the
 * method.
 */
export class PathTable<T> {
  /** The trees, and every other path. */
  readonly #router = createRouter<Place<T>>();
  /** By the whole path, where it has no parameter. */
  readonly #exact = new Map<string, Place<T>>();
  /** By all before the last part, where that is the only parameter. */
  readonly #byId = new Map<string, { readonly place: Place<T>; readonly name: string }>();
  readonly #places = new Map<string, Place<T>>();

  /** The path takes these methods, beside those that it was given before. */
  add(path: string, methods: readonly string[], served: T): void {
    const place = this.#places.get(path) ?? { path, methods: new Map<string, T>(), allow: "" };
    for (const method of methods) place.methods.set(method, served);
    place.allow = allowOf([...place.methods.keys()]);
    if (this.#places.has(path)) return;
    this.#places.set(path, place);
    const [, before = "", name] = /^([^{]*)(?:\{(\w+)\})?$/.exec(path) ?? [];
    if (name !== undefined) this.#byId.set(before, { place, name });
    else if (before !== "") this.#exact.set(before, place);
    else addRoute(this.#router, "", path.replaceAll(/\{(\w+)\}/g, ":$1"), place);
  }

  /** The path and all below it take every method. */
  addTree(path: string, served: T): void {
    const place = { path, methods: new Map<string, T>(), allow: "", tree: served };
    addRoute(this.#router, "", `${path}/**`, place);
    this.#exact.set(path, place);
  }

  /**
   * `path` is one that `requestPath` gave; undefined where it leads nowhere. Most paths are found
   * by their letters, or by those before an id: the library, which splits every path, knows and
   * finds the others.
   */
  find(method: string, path: string): Found<T> | undefined {
    const exact = this.#exact.get(path);
    if (exact) return foundAt(exact, method, {});
    const last = path.lastIndexOf("/") + 1;
    const byId = last < path.length ? this.#byId.get(path.slice(0, last)) : undefined;
    if (byId) return foundAt(byId.place, method, { [byId.name]: path.slice(last) });
    // The library takes a slash off the end, as requestPath has done already.
    const found = findRoute(this.#router, "", path.endsWith("/") ? `${path}/` : path);
    return found && foundAt(found.data, method, found.params);
  }
}

function foundAt<T>(
  { path, methods, allow, tree }: Place<T>,
  method: string,
  params: Record<string, string> | undefined,
): Found<T> {
  if (tree !== undefined) return { path, params: {}, serving: tree, allow };
  const serving = methods.get(method === "HEAD" ? "GET" : method);
  return { path, params: decodedParams(params), serving, allow };
}

interface Place<T> {
  readonly path: string;
  readonly methods: Map<string, T>;
  allow: string;
  /** The server of every method of the path and of all paths below. */
  readonly tree?: T;
}

function allowOf(methods: readonly string[]): string {
  return [...methods, ...methods.includes("GET") ? ["HEAD"] : [], "OPTIONS"].join(", ");
}

function decodedParams(params: Record<string, string> = {}): Record<string, string> {
  for (const name in params) {
    const text = params[name] ?? "";
    if (text.includes("%")) params[name] = decodeURIComponent(text);
  }
  return params;
}

/**
 * The path by which a request is routed, percent-encoding taken off, except for `%25` and what
 * would be a part of the path's form, such as `%2F`; a slash at its end makes no other path. A path
 * that is no percent-encoded UTF-8 is taken letter by letter, since looking for the parts of it
 * that are costs far more than sending them. So what is left of percent-encoding always decodes.
 */
export function requestPath(request: ReceivedRequest): string {
  const received = pathOf(request.url);
  const path = received.includes("%") ? decoded(received) : received;
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function decoded(path: string): string {
  try {
    return decodeURI(path.replaceAll("%25", "%2525"));
  } catch {
    return path.replaceAll("%", "%25");
  }
}

/** The path of a URL as received, without the query. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}

/**
 * A path as received by this pattern, with the SHA-256 of what represents `{keyParameter}` in its
 * place, since that may be a plain key; a key id stays.
 */
export function withoutKey(path: string, pattern: string, keyParameter: string): string {
  const place = pattern.split("/").indexOf(`{${keyParameter}}`);
  return path.split("/").map((part, n) => n === place ? keyIdOf(part) : part).join("/");
}

function keyIdOf(part: string): string {
  if (KEY_ID.test(part)) return part;
  try {
    return sha256(decodeURIComponent(part));
  } catch {
    return sha256(part);
  }
}

const KEY_ID = /^[0-9a-f]{64}$/;

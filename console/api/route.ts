import type { Endpoint, Method } from "../../src/contract/endpoint.ts";

/** The path of an endpoint's type. */
type PathOf<E> = E extends Endpoint<infer Path> ? Path : never;

/**
 * The part of an endpoint that a call needs while it runs. The rest of the contract is types alone.
 */
export interface Route {
  readonly method: Method;
  readonly path: string;
}

/**
 * An endpoint of the contract as the console carries it: method and path, with the types of the
 * whole. So the schemas, which only the server needs, are not part of what browsers load.
 * test/console compares each with the registry.
 */
export function route<E extends Endpoint>(method: Method, path: PathOf<E>): E {
  const carried: Route = { method, path };
  // as: the client reads no more of an endpoint than this.
  return carried as E;
}

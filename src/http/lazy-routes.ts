import type { Binding, Route, RouteHead } from "./mount.ts";

/** How each feature's endpoints are loaded, by its name. */
export type FeatureLoaders<Feature extends string = string> = Readonly<
  Record<Feature, () => Promise<readonly Binding[]>>
>;

/** The routes of a table, each of which loads its feature when it is first called. */
export function routesOf<Feature extends string>(
  table: readonly RouteHead<Feature>[],
  loaders: FeatureLoaders<Feature>,
): Route[] {
  return table.map((head) => new LazyRoute(head, loaders[head.feature]));
}

class LazyRoute implements Route {
  readonly head: RouteHead;
  readonly #feature: () => Promise<readonly Binding[]>;
  #binding: Binding | undefined;

  constructor(head: RouteHead, feature: () => Promise<readonly Binding[]>) {
    this.head = head;
    this.#feature = feature;
  }

  get binding(): Binding | Promise<Binding> {
    return this.#binding ?? this.#load();
  }

  /** Several calls at once wait for the same modules: the runtime evaluates each once. */
  async #load(): Promise<Binding> {
    const { feature, id } = this.head;
    const binding = (await this.#feature()).find(({ endpoint }) => endpoint.id === id);
    if (!binding) throw new Error(`the feature ${feature} binds no ${id}`);
    return this.#binding = binding;
  }
}

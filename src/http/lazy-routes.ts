import type { RequestContext } from "../calls/context.ts";
import type { Binding, Route, RouteHead } from "./routes.ts";

/** How each feature's endpoints are loaded, by its name. */
export type FeatureLoaders<
  Ctx extends RequestContext,
  Feature extends string = string,
> = Readonly<Record<Feature, () => Promise<readonly Binding<Ctx>[]>>>;

/** The routes of a table, each of which loads its feature when it is first called. */
export function routesOf<Ctx extends RequestContext, Feature extends string>(
  table: readonly RouteHead<Feature>[],
  loaders: FeatureLoaders<Ctx, Feature>,
): Route<Ctx>[] {
  return table.map((head) => new LazyRoute(head, loaders[head.feature]));
}

class LazyRoute<Ctx extends RequestContext> implements Route<Ctx> {
  readonly head: RouteHead;
  readonly #feature: () => Promise<readonly Binding<Ctx>[]>;
  #binding: Binding<Ctx> | undefined;

  constructor(head: RouteHead, feature: () => Promise<readonly Binding<Ctx>[]>) {
    this.head = head;
    this.#feature = feature;
  }

  get binding(): Binding<Ctx> | Promise<Binding<Ctx>> {
    return this.#binding ?? this.#load();
  }

  /** Several calls at once wait for the same modules: the runtime evaluates each once. */
  async #load(): Promise<Binding<Ctx>> {
    const { feature, id } = this.head;
    const binding = (await this.#feature()).find(({ endpoint }) => endpoint.id === id);
    if (!binding) throw new Error(`the feature ${feature} binds no ${id}`);
    return this.#binding = binding;
  }
}

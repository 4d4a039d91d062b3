import type { DeskCall } from "../src/desk.ts";
import type { FeatureLoaders } from "../src/http/lazy-routes.ts";
import type { RouteHead } from "../src/http/routes.ts";

/** The text of src/route-table.ts. */
export async function routeTableText(features: FeatureLoaders<DeskCall>): Promise<string> {
  const heads: RouteHead[] = [];
  for (const [feature, load] of Object.entries(features)) {
    for (const { endpoint } of await load()) {
      const { id, method, aliases = [], path, otherPaths, wholeTree, overridable } = endpoint;
      heads.push({
        feature,
        id,
        methods: [method, ...aliases],
        path,
        ...otherPaths ? { otherPaths } : {},
        ...wholeTree ? { wholeTree: true } : {},
        ...overridable ? { overridable: method } : {},
      });
    }
  }
  const rows = heads.map((head) => `  ${JSON.stringify(head)},`);
  return `// Written by tools/openapi.ts from the endpoints of src/endpoints.ts; change them there.
import type { features } from "./endpoints.ts";
import type { RouteHead } from "./http/routes.ts";

/** Every endpoint's place, for the router: known at once, while its feature is loaded at its first call. */
export const routeTable: readonly RouteHead<keyof typeof features>[] = [
${rows.join("\n")}
];
`;
}

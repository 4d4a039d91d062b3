import type { FeatureLoaders } from "../src/http/lazy-routes.ts";
import type { RouteHead } from "../src/http/mount.ts";

/** The text of src/route-table.ts. */
export async function routeTableText(features: FeatureLoaders): Promise<string> {
  const heads: RouteHead[] = [];
  for (const [feature, load] of Object.entries(features)) {
    for (const { endpoint } of await load()) {
      const { id, method, aliases = [], path, wholeTree } = endpoint;
      heads.push({
        feature,
        id,
        methods: [method, ...aliases],
        path,
        ...wholeTree ? { wholeTree } : {},
      });
    }
  }
  const rows = heads.map((head) => `  ${JSON.stringify(head)},`);
  return `// Written by tools/openapi.ts from the endpoints of src/features.ts; change them there.
import type { features } from "./features.ts";
import type { RouteHead } from "./http/mount.ts";

/** Every endpoint's place, for the router: known at once, while its feature is loaded at its first call. */
export const routeTable: readonly RouteHead<keyof typeof features>[] = [
${rows.join("\n")}
];
`;
}

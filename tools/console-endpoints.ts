/** The endpoints as the console calls them: method and path, with the types of the operations. */
import { takesSessions } from "../src/contract/envelope.ts";
import type { Declared, Export } from "./discovered.ts";
import { aliasOf, imports, MADE } from "./lists.ts";

/**
 * Endpoints that stand in a file of their own, since browsers load them with the first call of one,
 * by folder or file below features/; the longest name wins.
 */
const APART: Readonly<Record<string, string>> = {
  jobs: "job-endpoints.ts",
  "people/views": "view-endpoints.ts",
  "notifications/alerts": "alert-endpoints.ts",
  "notifications/mailed-links": "decision-endpoints.ts",
  "key-requests/assign": "decision-endpoints.ts",
  "key-requests/comments": "decision-endpoints.ts",
  config: "config-endpoints.ts",
  "notifications/mail": "channel-endpoints.ts",
  "notifications/channels": "channel-endpoints.ts",
  "notifications/mail-server": "channel-endpoints.ts",
  "people/access-tokens": "token-endpoints.ts",
  "keys/one-time-links/access-tokens": "token-endpoints.ts",
  "people/sessions": "session-endpoints.ts",
  "branding/branding": "session-endpoints.ts",
  "sign-in/sign-in-rules": "session-endpoints.ts",
  "people/organisations": "token-endpoints.ts",
  "people/person-sessions": "token-endpoints.ts",
  "portal/access/developers-access": "token-endpoints.ts",
  "people/passkeys": "sign-in-endpoints.ts",
  "people/one-time-codes": "sign-in-endpoints.ts",
  "sign-in/ways-in": "identity-endpoints.ts",
  "sign-in/invitations": "sign-in-endpoints.ts",
  "people/identity-providers": "identity-endpoints.ts",
  "sign-in/roles": "identity-endpoints.ts",
  "sign-in/temporary-access": "temporary-access-endpoints.ts",
  "key-requests/policies": "policy-endpoints.ts",
  "key-requests/delegations": "policy-endpoints.ts",
  "hygiene/unused": "unused-endpoints.ts",
  gateways: "gateway-endpoints.ts",
  "migration/lazy-migration": "gateway-endpoints.ts",
  "migration/shadow-mode": "migration-endpoints.ts",
};

/**
 * Each file by its path. A call that no screen has is left out by the bundler. Throws: a name above
 * is of no endpoint, whose file has another now, and would come with the first page.
 */
export function consoleEndpointFiles({ operations }: Declared): { path: string; text: string }[] {
  const callable = operations.filter(({ value }) => takesSessions(value));
  const unused = new Set(Object.keys(APART));
  const byFile = Map.groupBy(callable, ({ file }) => {
    const place = file.replaceAll(/^features\/|\.operations\.ts$/g, "");
    const steps = place.split("/");
    const word = steps.map((_, i) => steps.slice(0, steps.length - i).join("/"))
      .find((name) => name in APART) ?? "";
    unused.delete(word);
    return APART[word] ?? "endpoints.ts";
  });
  if (unused.size > 0) throw new Error(`console-endpoints.ts: no endpoint is of ${[...unused]}`);
  return [...byFile].map(([name, those]) => ({ path: `console/api/${name}`, text: textOf(those) }));
}

function textOf(endpoints: Declared["operations"]): string {
  const routes = endpoints.map((one) => {
    const { method, path } = one.value;
    const type = `typeof ${aliasOf(one.file)}.${one.name}`;
    return `export const ${nameOf(one)} = /* @__PURE__ */ route<${type}>("${method}", "${path}");`;
  });
  return `${MADE}
${imports(endpoints, "../../src/", "import type")}
import { route } from "./route.ts";

${routes.join("\n")}
`;
}

/** The contract's name for it. There is but one interface here, so no name says /v1. */
function nameOf({ name }: Export<unknown>): string {
  return name.replace(/Native(?=[A-Z])/, "").replace(/Endpoint$/, "");
}

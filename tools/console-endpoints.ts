/** The endpoints as the console calls them: method and path, with the types of the contract. */
import { takesSessions } from "../src/contract/envelope.ts";
import type { Declared, Export } from "./discovered.ts";
import { aliasOf, imports, MADE } from "./lists.ts";

/**
 * Endpoints that stand in a file of their own, since browsers load them with the first call of one,
 * by feature or file.
 */
const APART: Readonly<Record<string, string>> = {
  jobs: "job-endpoints.ts",
  views: "view-endpoints.ts",
  alerts: "alert-endpoints.ts",
  "deliveries/mailed-links": "decision-endpoints.ts",
  "key-requests/assign": "decision-endpoints.ts",
  "key-requests/comments": "decision-endpoints.ts",
  "deliveries/mail": "target-endpoints.ts",
  "deliveries/targets": "target-endpoints.ts",
  "access/access-tokens": "token-endpoints.ts",
  "keys/claims/access-tokens": "token-endpoints.ts",
  "access/sessions": "session-endpoints.ts",
  "branding/branding": "session-endpoints.ts",
  "sign-in/sign-in-rules": "session-endpoints.ts",
  "access/organisations": "token-endpoints.ts",
  "access/person-sessions": "token-endpoints.ts",
  "developer-access/developers-access": "token-endpoints.ts",
  "access/passkeys": "sign-in-endpoints.ts",
  "access/one-time-codes": "sign-in-endpoints.ts",
  "key-requests/signature": "sign-in-endpoints.ts",
  "sign-in/ways-in": "identity-endpoints.ts",
  "sign-in/invitations": "sign-in-endpoints.ts",
  identity: "identity-endpoints.ts",
  roles: "identity-endpoints.ts",
  elevations: "elevation-endpoints.ts",
  "approval-policies": "policy-endpoints.ts",
  delegations: "policy-endpoints.ts",
  unused: "unused-endpoints.ts",
  gateways: "gateway-endpoints.ts",
  learning: "gateway-endpoints.ts",
  meter: "meter-endpoints.ts",
};

/** Each file by its path. A call that no screen has is left out by the bundler. */
export function consoleEndpointFiles({ endpoints }: Declared): { path: string; text: string }[] {
  const callable = endpoints.filter(({ value }) => takesSessions(value));
  const byFile = Map.groupBy(
    callable,
    ({ file }) => {
      const place = file.replaceAll(/^features\/|\.(contract|operations)\.ts$/g, "");
      return APART[place.split("/")[0] ?? ""] ?? APART[place] ?? "endpoints.ts";
    },
  );
  return [...byFile].map(([name, those]) => ({ path: `console/api/${name}`, text: textOf(those) }));
}

function textOf(endpoints: Declared["endpoints"]): string {
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

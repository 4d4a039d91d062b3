/** What a gateway is set up with, out of docs/gateways: console and command line fill it in. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../docs/gateways/", import.meta.url));

/** The files of each product, the one that is filled in first. */
export const FILES_OF = {
  nginx: ["nginx.conf"],
  caddy: ["Caddyfile"],
  haproxy: ["haproxy.cfg", "haproxy.lua"],
  envoy: ["envoy.yaml"],
  traefik: ["traefik.yaml"],
  tyk: ["api-definition.json", "auth-check.js"],
} as const;

/** The text of the module that holds them. */
export function gatewayFilesText(): string {
  const all = Object.entries(FILES_OF).map(([kind, names]) => [
    kind,
    names.map((name) => ({ name, text: readFileSync(join(FOLDER, name), "utf8") })),
  ]);
  return `/** The documented files of gateways. Made of docs/gateways by tools/gateway-files.ts. */
export const gatewayFiles: Readonly<
  Record<
    ${Object.keys(FILES_OF).map((kind) => `"${kind}"`).join(" | ")},
    readonly { readonly name: string; readonly text: string }[]
  >
> = ${JSON.stringify(Object.fromEntries(all), null, 2)};
`;
}

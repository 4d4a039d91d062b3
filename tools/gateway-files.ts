/** What a gateway is set up with, out of docs/gateways: console and command line fill it in. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../docs/gateways/", import.meta.url));

/**
 * The files of each product, by their names here and at the gateway. The first is printed unless
 * another is asked for.
 */
const FILES_OF = {
  nginx: {
    "nginx.conf": "keydesk-${GATEWAY_NAME}.conf",
    "nginx.server": "keydesk-${GATEWAY_NAME}.server",
  },
  caddy: { Caddyfile: "keydesk-${GATEWAY_NAME}.caddy" },
  haproxy: {
    "haproxy.cfg": "keydesk-${GATEWAY_NAME}.cfg",
    "haproxy.lua": "keydesk-${GATEWAY_NAME}.lua",
  },
  envoy: { "envoy.yaml": "keydesk-${GATEWAY_NAME}.yaml" },
  traefik: { "traefik.yaml": "keydesk-${GATEWAY_NAME}.yaml" },
  tyk: { "api-definition.json": "api-definition.json", "auth-check.js": "auth-check.js" },
};

/** The text of the module that holds them. */
export function gatewayFilesText(): string {
  const all = Object.entries(FILES_OF).map(([kind, files]) => [
    kind,
    Object.entries(files).map(([file, name]) => ({
      file,
      name,
      text: readFileSync(join(FOLDER, file), "utf8"),
    })),
  ]);
  return `/** The documented files of gateways. Made of docs/gateways by tools/gateway-files.ts. */
export const gatewayFiles: Readonly<
  Record<
    ${Object.keys(FILES_OF).map((kind) => `"${kind}"`).join(" | ")},
    readonly { readonly file: string; readonly name: string; readonly text: string }[]
  >
> = ${JSON.stringify(Object.fromEntries(all), null, 2)};
`;
}

import type { gatewayFiles } from "./gateway-files.ts";

/**
 * The use of each product's files beside a server that runs: commands for root in the folder of the
 * files, with `${GATEWAY_NAME}` to fill in. Other sites of the server go on as they are.
 */
export const gatewaySteps: Readonly<Record<keyof typeof gatewayFiles, readonly string[]>> = {
  nginx: [
    "install -m 644 keydesk-${GATEWAY_NAME}.conf /etc/nginx/conf.d/",
    "install -m 600 keydesk-${GATEWAY_NAME}.server /etc/nginx/",
    "nginx -t && nginx -s reload",
  ],
  caddy: [
    "install -g caddy -m 640 keydesk-${GATEWAY_NAME}.caddy /etc/caddy/",
    "echo 'import keydesk-${GATEWAY_NAME}.caddy' >>/etc/caddy/Caddyfile  # once",
    "caddy validate --config /etc/caddy/Caddyfile && systemctl reload caddy",
  ],
  haproxy: [
    "install -D -m 600 -t /etc/haproxy/conf.d keydesk-${GATEWAY_NAME}.cfg",
    "install -m 600 keydesk-${GATEWAY_NAME}.lua /etc/haproxy/",
    `echo 'EXTRAOPTS="-S /run/haproxy-master.sock -f /etc/haproxy/conf.d"' >>/etc/default/haproxy  # once`,
    "haproxy -c -f /etc/haproxy/haproxy.cfg -f /etc/haproxy/conf.d",
    "systemctl restart haproxy  # later: reload",
  ],
  envoy: [
    "install -D -m 600 -t /etc/envoy keydesk-${GATEWAY_NAME}.yaml",
    "envoy --mode validate -c /etc/envoy/keydesk-${GATEWAY_NAME}.yaml",
    "envoy --use-dynamic-base-id -c /etc/envoy/keydesk-${GATEWAY_NAME}.yaml",
  ],
  traefik: [
    "install -m 600 keydesk-${GATEWAY_NAME}.yaml /etc/traefik/dynamic/  # providers.file.directory",
  ],
  tyk: [
    "install -m 644 auth-check.js /opt/tyk-gateway/middleware/",
    "# Add the members of api-definition.json to the API's definition, then reload Tyk.",
  ],
};

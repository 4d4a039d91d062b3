/** The files of docs/gateways in their places at a server of other sites. */
import { join } from "node:path";
import { repository } from "../../test/support/command.ts";

/** The documented files. */
export const gatewayFolder = join(repository, "docs/gateways");

/** Debian's file, as far as sites need it. */
export const nginxMain = `worker_processes auto;
worker_rlimit_nofile 16384;
error_log stderr;
pid nginx.pid;

events {
  worker_connections 4096;
}

http {
  access_log off;
  include conf.d/*.conf;
  include sites-enabled/*;
}
`;

/** What a configuration is filled with. */
export type Words = Readonly<Record<string, string>>;

/**
 * Puts the files of a gateway into a folder, as that of the server's configuration, and gives the
 * path of the file that the server is started with. `from` is the folder of the documented files.
 */
export async function placeGateway(
  kind: "nginx" | "caddy" | "haproxy" | "envoy",
  words: Words,
  folder: string,
  change = (text: string) => text,
  from = gatewayFolder,
): Promise<string> {
  const read = async (name: string) => change(await Deno.readTextFile(join(from, name)));
  const name = `keydesk-${words.GATEWAY_NAME}`;
  if (kind === "nginx") {
    const placed = {
      [`conf.d/${name}.conf`]: await read("nginx.conf"),
      [`${name}.server`]: await read("nginx.server"),
    };
    return await placeAtNginx(placed, words, folder);
  }
  if (kind === "caddy") return await placeAtCaddy(`${name}.caddy`, await read("Caddyfile"), folder);
  if (kind === "envoy") {
    await Deno.writeTextFile(join(folder, `${name}.yaml`), await read("envoy.yaml"));
    return join(folder, `${name}.yaml`);
  }
  await Deno.writeTextFile(join(folder, `${name}.lua`), await read("haproxy.lua"));
  const text = (await read("haproxy.cfg")).replaceAll("/etc/haproxy", folder);
  await Deno.writeTextFile(join(folder, `${name}.cfg`), text);
  return join(folder, `${name}.cfg`);
}

/** Fills files in and puts them into the folder of nginx; gives its main file. */
export async function placeAtNginx(
  placed: Readonly<Record<string, string>>,
  words: Words,
  folder: string,
): Promise<string> {
  await Deno.mkdir(join(folder, "conf.d"), { recursive: true });
  for (const [path, text] of Object.entries(placed)) {
    await Deno.writeTextFile(join(folder, path), text);
    await fillIn(join(folder, path), words, join(folder, path));
  }
  await Deno.writeTextFile(join(folder, "main.conf"), nginxMain);
  return join(folder, "main.conf");
}

/** Puts a file beside the Caddyfile that imports it; gives the latter. */
export async function placeAtCaddy(name: string, text: string, folder: string): Promise<string> {
  await Deno.writeTextFile(join(folder, name), text);
  await Deno.writeTextFile(
    join(folder, "Caddyfile"),
    `{\n\tadmin off\n}\n\nimport ${name}\n`,
  );
  return join(folder, "Caddyfile");
}

/** As `envsubst` does it with the list of words that the documentation gives. */
export async function fillIn(file: string, words: Words, target: string): Promise<void> {
  let text = await Deno.readTextFile(file);
  for (const [name, value] of Object.entries(words)) text = text.replaceAll(`\${${name}}`, value);
  await Deno.writeTextFile(target, text, { mode: 0o600 });
}

import { join } from "node:path";
import { repository } from "../../test/support/command.ts";

/** The proxies that stand before an API in these tests, with the configurations out of docs/gateways. */
export const proxies = ["nginx", "caddy"] as const;

/** What a proxy's configuration is filled with. */
export interface DoorSettings {
  API_ADDRESS: string;
  API_ID: string;
  DESK_ADDRESS: string;
  DESK_CREDENTIAL: string;
}

/** A running proxy. */
export interface Door extends AsyncDisposable {
  readonly url: string;
}

/** What reached the API. */
export interface Reached {
  method: string;
  path: string;
  headers: Headers;
  body: string;
}

/** An API that takes every call and remembers it. */
export interface Api extends AsyncDisposable {
  readonly address: string;
  readonly reached: Reached[];
}

/** Starts an API on a free port. */
export function startApi(): Api {
  const reached: Reached[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (r) => {
    const { pathname, search } = new URL(r.url);
    const body = await r.text();
    reached.push({ method: r.method, path: pathname + search, headers: r.headers, body });
    return new Response("served by the API");
  });
  return {
    address: `127.0.0.1:${server.addr.port}`,
    reached,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Starts a proxy with its configuration out of docs/gateways, and waits until it listens. */
export async function startDoor(
  kind: typeof proxies[number],
  settings: DoorSettings,
  folder: string,
): Promise<Door> {
  const address = `127.0.0.1:${freePort()}`;
  const url = `http://${address}`;
  const command = kind === "nginx"
    ? await nginx({ ...settings, DOOR_ADDRESS: address }, folder)
    : caddy({ ...settings, DOOR_ADDRESS: url }, folder);
  const child = command.spawn();
  let written = "";
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) written += text;
  })();
  let ended = false;
  const end = child.status.then(() => ended = true);
  const deadline = Date.now() + 20_000;
  while (!await answers(url)) {
    if (ended || Date.now() > deadline) throw new Error(`${kind} does not listen: ${written}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await end;
      await reading;
    },
  };
}

type Words = DoorSettings & { DOOR_ADDRESS: string };

/** As `envsubst` does it with the list of words that docs/gateways.md gives. */
async function nginx(words: Words, folder: string): Promise<Deno.Command> {
  let text = await Deno.readTextFile(join(repository, "docs/gateways/nginx.conf"));
  for (const [name, value] of Object.entries(words)) text = text.replaceAll(`\${${name}}`, value);
  await Deno.writeTextFile(join(folder, "nginx.conf"), text, { mode: 0o600 });
  return new Deno.Command("/usr/sbin/nginx", {
    args: ["-p", folder, "-c", "nginx.conf", "-g", "daemon off;"],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  });
}

function caddy(words: Words, folder: string): Deno.Command {
  const file = join(repository, "docs/gateways/Caddyfile");
  return new Deno.Command("/usr/bin/caddy", {
    args: ["run", "--adapter", "caddyfile", "--config", file],
    env: { ...words, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  });
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).body?.cancel();
    return true;
  } catch {
    return false;
  }
}

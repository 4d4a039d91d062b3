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
  /** Everything that it has written to its error log; whole once it has ended. */
  errors(): string;
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

/** Starts a proxy before an API with its configuration out of docs/gateways, and waits until it listens. */
export async function startDoor(
  kind: typeof proxies[number],
  settings: DoorSettings,
  folder: string,
): Promise<Door> {
  const file = join(repository, "docs/gateways", files[kind]);
  return await startProxy(kind, file, "DOOR_ADDRESS", { ...settings }, folder);
}

/** The same before two APIs, which plans call `weather` and `tides`. */
export async function startDoorOfTwo(
  kind: typeof proxies[number],
  settings: Omit<DoorSettings, "API_ADDRESS" | "API_ID"> & {
    WEATHER_ADDRESS: string;
    TIDES_ADDRESS: string;
  },
  folder: string,
): Promise<Door> {
  const file = join(repository, "docs/gateways", `two-apis.${files[kind]}`);
  return await startProxy(kind, file, "DOOR_ADDRESS", { ...settings }, folder);
}

/** The proxies whose rewrites are in docs/rewrites. */
export const rewriters = ["nginx", "caddy", "haproxy"] as const;

/** Starts a proxy before a desk that turns UPDATE into PUT, and waits until it listens. */
export async function startRewriter(
  kind: typeof rewriters[number],
  desk: string,
  folder: string,
): Promise<Door> {
  const file = join(repository, "docs/rewrites", files[kind]);
  return await startProxy(kind, file, "PROXY_ADDRESS", { DESK_ADDRESS: desk }, folder);
}

/** The proxies whose configurations before two nodes are in docs/rolling. */
export const balancers = ["nginx", "haproxy", "caddy"] as const;

/** The configuration of a proxy before two nodes. */
export function balancerFile(kind: typeof balancers[number]): string {
  return join(repository, "docs/rolling", files[kind]);
}

/** Starts a proxy before two nodes with its configuration out of docs/rolling, and waits until it listens. */
export async function startBalancer(
  kind: typeof balancers[number],
  nodes: { NODE_A_ADDRESS: string; NODE_B_ADDRESS: string },
  folder: string,
): Promise<Door> {
  return await startProxy(kind, balancerFile(kind), "PROXY_ADDRESS", nodes, folder);
}

const files = { nginx: "nginx.conf", caddy: "Caddyfile", haproxy: "haproxy.cfg" };

async function startProxy(
  kind: keyof typeof files,
  file: string,
  listens: string,
  settings: Words,
  folder: string,
): Promise<Door> {
  const address = `127.0.0.1:${freePort()}`;
  const url = `http://${address}`;
  const words = { ...settings, [listens]: kind === "caddy" ? url : address };
  const child = (await commands[kind](file, words, folder)).spawn();
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
    errors: () => written,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await end;
      await reading;
    },
  };
}

/** What a configuration is filled with. */
type Words = Record<string, string>;

const commands = { nginx, caddy, haproxy };

const quiet = { stdin: "null", stdout: "null", stderr: "piped" } as const;

/** As `envsubst` does it with the list of words that the documentation gives. */
async function nginx(file: string, words: Words, folder: string): Promise<Deno.Command> {
  let text = await Deno.readTextFile(file);
  for (const [name, value] of Object.entries(words)) text = text.replaceAll(`\${${name}}`, value);
  await Deno.writeTextFile(join(folder, "nginx.conf"), text, { mode: 0o600 });
  const args = ["-p", folder, "-c", "nginx.conf", "-g", "daemon off;"];
  return new Deno.Command("/usr/sbin/nginx", { args, ...quiet });
}

function caddy(file: string, words: Words, folder: string): Deno.Command {
  const env = { ...words, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const args = ["run", "--adapter", "caddyfile", "--config", file];
  return new Deno.Command("/usr/bin/caddy", { args, env, ...quiet });
}

function haproxy(file: string, words: Words): Deno.Command {
  return new Deno.Command("/usr/sbin/haproxy", { args: ["-db", "-f", file], env: words, ...quiet });
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

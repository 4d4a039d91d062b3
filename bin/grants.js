// What Keydesk may touch, as Deno's permission flags. Everything that is not listed is refused: no other file,
// host, environment variable, no subprocess, no native library.

import { existsSync } from "node:fs";
import { isIPv6 } from "node:net";
import { resolve } from "node:path";

/** Verbs whose files are written; the files of every other verb are read. */
const writingVerbs = new Set(["backup", "export", "purge"]);

/** Verbs that work on a server where one is named, and touch nothing else then. */
const serverVerbs = new Set(["requests", "developers", "plans", "keys", "doctor"]);

/**
 * The flags for `deno run`: `args` are the words after `keydesk`, relative paths stand under `cwd`, and
 * `packageDir` holds the program. Unusable settings are granted nothing and left to the program, which names
 * them: never throws.
 *
 * The data directory need not exist: a grant covers a path, and the program makes the directory (mode 0700).
 */
export function grants(args, env, cwd, packageDir) {
  const server = serverGrants(args, env, cwd);
  if (server) return flags({ ...server, read: [packageDir, ...server.read] });
  const data = resolve(cwd, env.KEYDESK_DATA_DIR || "data");
  const listen = endpoint(env.KEYDESK_HOST || "127.0.0.1", env.KEYDESK_PORT || "3000");
  const moved = movedStores(args);
  const database = merged([
    databaseGrants(env.KEYDESK_DATABASE_URL ?? "", cwd),
    ...moved.map((store) => storeGrants(store, cwd)),
  ]);
  const named = argumentGrants(args, cwd);
  return flags({
    net: [listen, ...database.net, ...outsideGrants(args, env)],
    // SQLite makes its log and shared memory beside the database, so the whole directory.
    read: [data, packageDir, ...database.read, ...named.read],
    write: [data, ...database.write, ...named.write],
  });
}

function flags({ net, read, write }) {
  return [
    flag("allow-net", net),
    flag("allow-read", read.map(escapePath)),
    flag("allow-write", write.map(escapePath)),
    "--allow-env=KEYDESK_*",
    // Any other variable reads as absent, instead of an error in a library that asks for it (pg: USER, PG*):
    // the settings of Keydesk are the KEYDESK_* ones and nothing else.
    "--ignore-env",
  ].filter((one) => one !== "");
}

/**
 * What a command on a server needs: the server, the file with the access token, and the files that are named on the
 * command line. Undefined where the command works on the local store.
 */
function serverGrants(args, env, cwd) {
  if (!serverVerbs.has(args[0]) || (args[0] === "keys" && args[1] === "import")) return undefined;
  const url = optionOf(args, "--url") ?? env.KEYDESK_URL;
  if (!url) return undefined;
  const named = argumentGrants(args, cwd);
  const tokenFile = optionOf(args, "--token-file") ?? env.KEYDESK_TOKEN_FILE;
  return {
    net: [serverOf(url)],
    read: [...named.read, ...tokenFile ? [resolve(cwd, tokenFile)] : []],
    write: [],
  };
}

/** `doctor` asks the address by which others reach this server. */
function outsideGrants(args, env) {
  return args[0] === "doctor" && env.KEYDESK_PUBLIC_URL ? [serverOf(env.KEYDESK_PUBLIC_URL)] : [];
}

/** The last value of an option, in either of its forms; undefined without one. */
function optionOf(args, name) {
  let value;
  args.forEach((word, index) => {
    if (word.startsWith(`${name}=`)) value = word.slice(name.length + 1);
    else if (word === name) value = args[index + 1];
  });
  return value;
}

/** `host:port` of an http:// or https:// URL, or "". */
function serverOf(url) {
  if (!URL.canParse(url)) return "";
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return "";
  return endpoint(hostname, port || (protocol === "https:" ? "443" : "80"));
}

/** No flag for an empty list: without a list, a flag would allow everything. */
function flag(name, values) {
  const list = [...new Set(values)].filter((value) => value !== "");
  return list.length === 0 ? "" : `--${name}=${list.join(",")}`;
}

/** Deno splits lists of paths at single commas. */
function escapePath(path) {
  return path.replaceAll(",", ",,");
}

/** `host:port` as Deno writes it, or "" for what is neither a name nor an address, or no port. */
function endpoint(host, port) {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const usable = /^[A-Za-z0-9._-]+$/.test(bare) || isIPv6(bare);
  if (!usable || !/^\d{1,5}$/.test(port) || Number(port) > 65535) return "";
  return isIPv6(bare) ? `[${bare}]:${port}` : `${bare}:${port}`;
}

/**
 * The servers of a postgres:// URL, one or several (`host1:5432,host2`), or the directories of their sockets;
 * and the certificate files that it names. Reads it as libpq does: `?host=` and `?port=` come first.
 */
function databaseGrants(url, cwd) {
  const granted = { net: [], read: [], write: [] };
  const parts = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)[^?#]*(?:\?([^#]*))?/i.exec(url);
  if (!parts) return granted;
  const query = new URLSearchParams(parts[2]);
  const ports = (query.get("port") ?? "").split(",");

  (query.get("host") || parts[1]).split(",").forEach((server, index) => {
    const [, host, ownPort] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(server) ?? [];
    if (host === undefined) return;
    const name = decode(host) || "localhost";
    const port = ports[index] || ports[0] || ownPort || "5432";
    if (name.startsWith("/")) {
      const socket = `${name}/.s.PGSQL.${port}`;
      // Deno asks for all three; its lists of hosts know no escape for a comma.
      if (!socket.includes(",")) granted.net.push(`unix:${socket}`);
      granted.read.push(socket);
      granted.write.push(socket);
    } else {
      granted.net.push(endpoint(name, port));
    }
  });
  for (const name of ["sslrootcert", "sslcert", "sslkey"]) {
    const file = query.get(name);
    // `sslrootcert=system` is no file.
    if (file && file !== "system") granted.read.push(resolve(cwd, file));
  }
  return granted;
}

function merged(all) {
  const every = (name) => all.flatMap((one) => one[name]);
  return { net: every("net"), read: every("read"), write: every("write") };
}

/** The stores that `migrate-store` names: `--from sqlite:FILE`, `--to=postgres://…`. */
function movedStores(args) {
  if (args[0] !== "migrate-store") return [];
  return args.map((word) => word.replace(/^--(from|to|reopen)=/, ""));
}

/** A store to move: its database, or its file with the sealing key beside it. */
function storeGrants(store, cwd) {
  const file = /^sqlite:(.+)$/s.exec(store)?.[1];
  if (file === undefined) return databaseGrants(store, cwd);
  const path = resolve(cwd, file);
  return { net: [], read: [path, resolve(path, "..", "sealing-key")], write: [path] };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The files that the person named on the command line. What exists may be read (`certs import a.pem`,
 * `--key=b.pem`). What stands behind a verb that writes may be read and written, and so may the same name with
 * `.partial` added, to write beside the target and rename (`backup /mnt/keydesk.sqlite`).
 */
function argumentGrants(args, cwd) {
  const granted = { read: [], write: [] };
  // `keydesk export` writes to standard output, unlike `certs export`.
  if (args[0] === "export") return granted;
  let writes = false;
  for (const word of args) {
    // The file is the word itself, or what follows the = of an option.
    const value = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
    if (value === "" || value.startsWith("-")) continue;
    const path = resolve(cwd, value);
    if (writes) {
      granted.read.push(path, `${path}.partial`);
      granted.write.push(path, `${path}.partial`);
    } else if (existsSync(path)) {
      granted.read.push(path);
    }
    writes ||= writingVerbs.has(word);
  }
  return granted;
}

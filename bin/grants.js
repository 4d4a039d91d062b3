// What Keydesk may touch, as Deno's permission flags. Everything that is not listed is refused: no
// other file, host, environment variable, no native library, and no subprocess but the keyring's
// program where a context's access token is there.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { dirname, isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { contextsFile, contextsIn, keyringProgram } from "./contexts.js";

/**
 * What each verb touches, by its words: `needs`, `listens`, `calls`, `asksItself`, `onServer` and
 * `contexts` as src/cli/touched.ts has them, and of its arguments (`arguments`) and every option
 * that takes a value what each names: `read`, `write`, `store`, `net`, `context`, or `text`, which
 * names nothing.
 * verbs.json is made of the commands themselves, a line each, and checked in: a change of what a
 * command may touch is read with the change that makes it.
 */
export const verbs = Object.fromEntries(
  Object.entries(JSON.parse(readFileSync(new URL("verbs.json", import.meta.url), "utf8")))
    .map((
      [verb, line],
    ) => [verb, Object.fromEntries(line.split(" ").filter(Boolean).map(touched))]),
);

function touched(word) {
  const [name, value] = word.split("=");
  return [name, value ?? (name === "arguments" || name.startsWith("-") ? "text" : true)];
}

/**
 * Settings whose value may stand in a file, which another setting of this name and `_FILE` names.
 */
const secretSettings = [
  "KEYDESK_ADMIN_TOKEN",
  "KEYDESK_DATABASE_URL",
  "KEYDESK_DATABASE_PASSWORD",
  "KEYDESK_SEALING_KEY",
  "KEYDESK_LEAK_PARTNER_KEYS",
  "KEYDESK_SMTP_URL",
];

/**
 * The flags for `deno run`: `args` are the words after `keydesk`, relative paths stand under `cwd`,
 * and `packageDir` holds the program. Unusable settings are granted nothing and left to the
 * program, which names them: never throws.
 *
 * The data directory need not exist: a grant covers a path, and the program makes the directory
 * (mode 0700).
 */
export function grants(args, env, cwd, packageDir) {
  const [verb, words] = verbOf(args);
  const named = namedBy(verb, words);
  const granted = merged([
    ...neededBy(verb, words, named, env, cwd),
    ...named.map(([kind, value]) => kinds[kind](value, cwd)),
  ]);
  return [
    flag("allow-net", granted.net),
    flag("allow-read", [packageDir, ...granted.read].map(escapePath)),
    flag("allow-write", granted.write.map(escapePath)),
    flag("allow-env", ["KEYDESK_*", ...granted.env]),
    flag("allow-run", granted.run.map(escapePath)),
    // Any other variable reads as absent, instead of an error in a library that asks for it (pg:
    // USER, PG*): the settings of Keydesk are the KEYDESK_* ones and nothing else.
    "--ignore-env",
    // Nodes are listed by it.
    verb === verbs.serve ? "--allow-sys=hostname" : "",
    // The file of contexts is used by its owner alone.
    granted.contexts.length > 0 ? "--allow-sys=uid" : "",
    // Of all that the runtime calls unstable, a port that several processes listen on.
    verb === verbs.serve && env.KEYDESK_REUSE_PORT === "true" ? "--unstable-net" : "",
  ].filter((one) => one !== "");
}

/** What a verb needs besides what its words name. */
function neededBy(verb, words, named, env, cwd) {
  if (verb.contexts) return [ownContexts(verb, words, env, cwd)];
  if (verb.needs === "nothing") return [];
  if (verb.needs === "settings") return [settingsFiles(env, cwd)];
  const { KEYDESK_TOKEN_FILE: file, KEYDESK_PUBLIC_URL: publicUrl } = env;
  // Of several the last one counts.
  const lastOf = (kind) => named.findLast(([one]) => one === kind)?.[1];
  const other = lastOf("net");
  const option = lastOf("context");
  const url = option === undefined ? env.KEYDESK_URL : undefined;
  const contexts = verb.onServer && !other && !url ? chosenContext(option, env, cwd) : {};
  if (contexts.isServer) return [contexts];
  if (!verb.onServer || !(url || other)) {
    return [
      contexts,
      ...verb.listens ? [listening(env), collecting(env)] : [],
      ...verb.calls ? [called(env), mailed(env, cwd)] : [],
      settingsStore(env, cwd),
      settingsFiles(env, cwd),
      ...verb === verbs.serve ? [headsFile(env, cwd), gatewayFolder(env, cwd)] : [],
      ...verb === verbs.serve || verb === verbs.doctor ? [auditStream(env)] : [],
      ...verb.asksItself && publicUrl ? [kinds.net(publicUrl)] : [],
    ];
  }
  // The file belongs to the server of KEYDESK_URL, where that is set.
  const isRead = file && verb["--token-file"] &&
    (!url || !other || originOf(url) === originOf(other));
  return [...other ? [] : [kinds.net(url)], ...isRead ? [kinds.read(file, cwd)] : []];
}

/**
 * The context that a verb works on if no address is named, as src/cli/chosen-server.ts chooses it,
 * and the file that says so; `isServer`: there is one. `option`: the one that `--context` names.
 */
function chosenContext(option, env, cwd) {
  const file = contextsFile(env, cwd);
  const named = option ?? env.KEYDESK_CONTEXT;
  if (!file || (!named && storeSettings.some((name) => env[name]))) return {};
  const { current, contexts } = contextsIn(file);
  const name = named || current || "";
  const own = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  const isServer = own !== undefined;
  return { ...merged([{ read: [file], contexts: [file] }, ofContext(own, env)]), isServer };
}

/** Settings that are there where a store is. */
const storeSettings = [
  "KEYDESK_DATA_DIR",
  "KEYDESK_DATABASE_URL",
  "KEYDESK_DATABASE_URL_FILE",
  "KEYDESK_SEALING_KEY",
  "KEYDESK_SEALING_KEY_FILE",
];

/** The server of a context, and the place of its access token. */
function ofContext(context, env) {
  const { url, token } = context ?? {};
  if (typeof url !== "string" || typeof token !== "string") return {};
  const [, kind, value] = /^\$\{(env|file):(.+)\}$/s.exec(token) ?? [];
  return {
    net: [serverOf(url)],
    read: kind === "file" && isAbsolute(value) ? [value] : [],
    env: kind === "env" && /^[A-Za-z_][A-Za-z0-9_]*$/.test(value) ? [value] : [],
    run: token === keyring ? [keyringProgram(env)] : [],
  };
}

/** An access token that is in the system's keyring. */
const keyring = "${keyring}";

/**
 * The file of contexts for the verbs that list and change it. It is replaced by a draft beside it,
 * under a lock; its folder is made where there is none. The keyring is for those that put an access
 * token there, or take one away.
 */
function ownContexts(verb, words, env, cwd) {
  const file = contextsFile(env, cwd);
  if (!file) return {};
  const folder = dirname(file);
  const own = [file, `${file}.partial`, `${file}.lock`, ...existsSync(folder) ? [] : [folder]];
  const changed = words.map((word) => contextsIn(file).contexts[word]);
  const isKept = words.includes("--keyring") || changed.some((one) => one?.token === keyring);
  if (verb.contexts === "read") return { read: [file], contexts: [file] };
  return { read: own, write: own, run: isKept ? [keyringProgram(env)] : [], contexts: [file] };
}

/** The origin of a URL; what is none is itself. */
function originOf(text) {
  return URL.canParse(text) ? new URL(text).origin : text;
}

/**
 * The verb's line and the words behind it. Whatever is no verb is told so, or how the verbs are
 * used.
 */
function verbOf(args) {
  for (const length of [3, 2, 1]) {
    const name = args.slice(0, length).join(" ");
    if (args.length >= length && Object.hasOwn(verbs, name)) {
      return [verbs[name], args.slice(length)];
    }
  }
  return [{ needs: "nothing" }, []];
}

/** What the words name, each as `[kind, value]`, read as the program's own parser reads them. */
function namedBy(verb, words) {
  const named = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, option, value] = /^(--[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (word === "--") {
      named.push(...rest.splice(0).map((one) => [verb.arguments, one]));
    } else if (option !== undefined) {
      if (Object.hasOwn(verb, option)) named.push([verb[option], value ?? rest.shift()]);
    } else if (word.startsWith("-")) {
      // `-q text`, or `-qtext`.
      const short = word.slice(0, 2);
      if (Object.hasOwn(verb, short)) named.push([verb[short], word.slice(2) || rest.shift()]);
    } else {
      named.push([verb.arguments, word]);
    }
  }
  return named.filter(([kind, value]) => Object.hasOwn(kinds, kind ?? "") && value);
}

/** What each kind of word grants. */
const kinds = {
  read: (file, cwd) => ({ net: [], read: [resolve(cwd, file)], write: [] }),
  write: (file, cwd) => {
    const path = resolve(cwd, file);
    return { net: [], read: [path, `${path}.partial`], write: [path, `${path}.partial`] };
  },
  store: storeGrants,
  net: (url) => ({ net: [serverOf(url)], read: [], write: [] }),
  // Its server, by chosenContext.
  context: () => ({}),
  declaration: declarationGrants,
};

/** What a file that declares an organisation names, or each file of a folder. */
function declarationGrants(word, cwd) {
  if (word === "-") return { net: [], read: [], write: [] };
  const path = resolve(cwd, word);
  const files = [path, ...namesIn(path).map((name) => resolve(path, name))];
  const named = files.flatMap((file) =>
    [
      ...textOf(file).matchAll(/\$\{(env|file):([^{}\n]{1,500})\}/g),
    ].map(([, kind, name]) => ({ kind, name, folder: dirname(file) }))
  );
  const of = (wanted) => named.filter(({ kind }) => kind === wanted);
  return {
    net: [],
    read: [path, ...of("file").map(({ name, folder }) => resolve(folder, name))],
    write: [],
    env: of("env").map(({ name }) => name).filter((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)),
  };
}

/** `host:port` of an http://, https://, redis:// or rediss:// URL, or "". */
function serverOf(text) {
  if (!URL.canParse(text)) return "";
  const { protocol, hostname, port } = new URL(text);
  const usual = { "http:": "80", "https:": "443", "redis:": "6379", "rediss:": "6379" }[protocol];
  return usual === undefined ? "" : endpoint(hostname, port || usual);
}

function listening(env) {
  const address = endpoint(env.KEYDESK_HOST || "127.0.0.1", env.KEYDESK_PORT || "3000");
  const { KEYDESK_METRICS_HOST: host, KEYDESK_METRICS_PORT: port } = env;
  const figures = port ? [endpoint(host || "127.0.0.1", port)] : [];
  return { net: [address, ...figures], read: [], write: [] };
}

/** Whether the runtime sends spans, by its setting. */
export function isTracing(setting) {
  return setting === "true" || setting === "1";
}

/** Where it sends them, as `host:port`; "" where it sends none, or not over the network. */
export function collectorOf(env) {
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  const isElsewhere = env.OTEL_DENO_VSOCK || env.OTEL_SDK_DISABLED === "true";
  if (!isTracing(env.OTEL_DENO) || protocol === "console" || isElsewhere) return "";
  return serverOf(
    env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT ||
      `http://localhost:${protocol === "grpc" ? 4317 : 4318}`,
  );
}

/** Whether it can be reached is looked at: the runtime does not say so. */
function collecting(env) {
  return { net: [collectorOf(env)], read: [], write: [] };
}

/**
 * The hosts that may be called, at their ports. A network names no host: what leads there has a
 * name of its own.
 */
function called({ KEYDESK_OUTBOUND: entries = "" }) {
  const net = entries.split(",").map((entry) => entry.trim()).flatMap((entry) => {
    const [, host, port] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? ["", entry];
    return (port === undefined ? ["443", "80"] : [port]).map((one) => endpoint(host, one));
  });
  return { net, read: [], write: [] };
}

/** The server that takes mails. */
function mailed({ KEYDESK_SMTP_URL: url, KEYDESK_SMTP_URL_FILE: file }, cwd) {
  const text = url || (file ? textOf(resolve(cwd, file)) : "");
  if (!URL.canParse(text)) return { net: [], read: [], write: [] };
  const { protocol, hostname, port } = new URL(text);
  const usual = { "smtp:": "587", "smtps:": "465" }[protocol];
  const net = usual === undefined ? "" : endpoint(hostname, port || usual);
  return { net: [net], read: [], write: [] };
}

/**
 * The store that the settings name. SQLite makes its log and shared memory beside the database: the
 * whole directory.
 */
function settingsStore(env, cwd) {
  const data = resolve(cwd, env.KEYDESK_DATA_DIR || "data");
  const file = env.KEYDESK_DATABASE_URL_FILE;
  const url = env.KEYDESK_DATABASE_URL || (file ? textOf(resolve(cwd, file)) : "");
  return merged([{ net: [], read: [data], write: [data] }, databaseGrants(url, cwd)]);
}

/** The files that stand for settings, and no others beside them. */
function settingsFiles(env, cwd) {
  const others = [
    "KEYDESK_OUTBOUND_CA_FILE",
    "KEYDESK_PASSWORD_BREACHES_FILE",
    "KEYDESK_AUDIT_CHECKPOINTS_FILE",
    "KEYDESK_AUDIT_STREAM_CA_FILE",
    "KEYDESK_PROVIDER_CLIENT_FILE",
    "KEYDESK_AUDIT_STREAM_CLIENT_FILE",
  ];
  const names = [...secretSettings.map((name) => `${name}_FILE`), ...others];
  const files = names.map((name) => env[name]).filter(Boolean);
  return { net: [], read: files.map((file) => resolve(cwd, file)), write: [] };
}

/** The file outside to which a server adds heads of the audit log; its folder has to be there. */
function headsFile({ KEYDESK_AUDIT_CHECKPOINTS_FILE: file }, cwd) {
  return { net: [], read: [], write: file ? [resolve(cwd, file)] : [] };
}

/**
 * The folder of gateways that go by hashes of keys, and the sockets that are in it at this moment:
 * the runtime takes no pattern for these.
 */
function gatewayFolder({ KEYDESK_GATEWAY_FOLDER: setting }, cwd) {
  if (!setting) return { net: [], read: [], write: [] };
  const folder = resolve(cwd, setting);
  const sockets = namesIn(folder).filter((name) => /^[0-9a-f]{24}\.sock$/.test(name))
    .map((name) => resolve(folder, name)).filter((path) => !path.includes(","));
  return { net: sockets.map((path) => `unix:${path}`), read: [folder], write: [folder] };
}

/** The names in a folder; none where it can't be read, which the program then says. */
function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The audit log's stream. */
function auditStream({ KEYDESK_AUDIT_STREAM: place = "" }) {
  if (!URL.canParse(place)) return { net: [], read: [], write: [] };
  const { protocol, hostname, port, pathname } = new URL(place);
  if (protocol === "syslog+tls:" && hostname) {
    return { net: [endpoint(hostname, port || "6514")], read: [], write: [] };
  }
  const file = protocol === "file:" ? [fileURLToPath(`file://${pathname}`)] : [];
  return { net: [], read: file, write: file };
}

/**
 * A file's text without the line end at its end; empty where it can't be read, which the program
 * then says.
 */
function textOf(path) {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch {
    return "";
  }
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
 * The servers of a postgres:// URL, one or several (`host1:5432,host2`), or the directories of
 * their sockets; and the certificate files that it names. Reads it as libpq does: `?host=` and
 * `?port=` come first.
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
  const every = (name) => all.flatMap((one) => one[name] ?? []);
  return Object.fromEntries(
    ["net", "read", "write", "env", "run", "contexts"].map((name) => [name, every(name)]),
  );
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

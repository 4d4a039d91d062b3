// What Keydesk may touch, as Deno's permission flags. Everything that is not listed is refused: no
// other file, host, environment variable, no subprocess, no native library.

import { readdirSync, readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The options that narrow a list of certificates. */
const narrowing = {
  "--expiring": "text",
  "--expires-before": "text",
  "--status": "text",
  "-q": "text",
  "--q": "text",
  "--sort": "text",
};

/** What verbs take that work on a server where one is named. */
const onServer = { onServer: true, "--url": "net", "--token-file": "read" };

/** How a table is shown. */
const shown = { "-o": "text", "--output": "text" };
/** What verbs take that list something. */
const listing = { ...onServer, ...shown, "--state": "text", "--limit": "text" };
const searching = { ...listing, "-q": "text", "--q": "text" };

/** What a key is called and filed under. */
const labels = {
  "--name": "text",
  "--environment": "text",
  "--note": "text",
  "--tag": "text",
};

/** What is set of an approval policy. */
const policyTerms = {
  "--outcome": "text",
  "--step": "text",
  "--expires-after": "text",
  "--remind-before": "text",
};

/** What is set of a gateway. */
const gatewayTerms = {
  arguments: "text",
  "--gateway-url": "text",
  "--secret-file": "read",
  "--probe-url": "text",
  "--redis": "text",
  "--redis-password-file": "read",
  "--plan": "text",
  "--calls-per-second": "text",
  "--reload-seconds": "text",
};

/** What is set of an identity provider. */
const providerTerms = {
  "--client-auth": "text",
  "--groups-form": "text",
  "--groups-path": "text",
  "--groups-separator": "text",
  "--logout-ends": "text",
  "--preset": "text",
  "--recheck-minutes": "text",
  "--response-mode": "text",
  "--session-minutes": "text",
  arguments: "text",
  "--name": "text",
  "--client-id": "text",
  "--secret-file": "read",
  "--domain": "text",
  "--scope": "text",
  "--groups-claim": "text",
  "--group": "text",
  "--acr": "text",
  "--amr": "text",
};

/** Where `import` reads. */
const sources = {
  "--files": "read",
  "--redis": "net",
  "--redis-user": "text",
  "--redis-password-file": "read",
  "--redis-ca-file": "read",
  "--dashboard": "net",
  "--dashboard-token-file": "read",
  "--dashboard-ca-file": "read",
  "--gateway": "net",
  "--gateway-secret-file": "read",
  "--gateway-ca-file": "read",
  "--passphrase-file": "read",
  "--identity-file": "read",
  "--murmur-until": "text",
  "--organisation": "text",
};

/**
 * What each verb touches besides the store, by its words. Every argument (`arguments`) and every
 * option that takes a value has a line, `test/cli/grants.test.ts` holds that:
 *
 * - `text`: names nothing.
 * - `read`: a file or folder that is read.
 * - `write`: one that is written, and read, as is the same name with `.partial` added, which is
 *   renamed at the end.
 * - `store`: a store to move, `sqlite:FILE` or `postgres://…`.
 * - `net`: the server of an http://, https://, redis:// or rediss:// URL.
 *
 * `needs` stands where that is not the store that the settings name: the settings alone, or
 * nothing. `listens` stands where the listening address is taken or tried, the collector of traces
 * too, `calls` where the hosts that KEYDESK_OUTBOUND and KEYDESK_SMTP_URL name are called,
 * `asksItself` where the address is asked by which others reach the server. `onServer` stands where
 * the verb works on the server that `--url` or KEYDESK_URL names, if one does, by the access token
 * in the file of `--token-file` or KEYDESK_TOKEN_FILE, instead of the store; of another server than
 * that of KEYDESK_URL by `--token-file` alone. Without `--token-file` it needs none.
 */
export const verbs = {
  serve: { listens: true, calls: true },
  seed: {},
  "token create": {
    arguments: "text",
    "--allow": "text",
    "--role": "text",
    "--expires": "text",
    "--addresses": "text",
    "--certs-answer": "text",
    "--organisation": "text",
  },
  "token list": { ...shown, "--organisation": "text" },
  "token revoke": { arguments: "text", "--organisation": "text" },
  "people list": { ...shown, "--organisation": "text" },
  "people permissions": { arguments: "text", "--organisation": "text" },
  "people suspend": { arguments: "text", "--organisation": "text" },
  "people resume": { arguments: "text", "--organisation": "text" },
  "policies list": { ...onServer, ...shown },
  "policies show": { ...onServer, arguments: "text" },
  "policies set": { ...onServer, arguments: "text", ...policyTerms },
  "policies check": { ...onServer, arguments: "text", ...policyTerms },
  "policies remove": { ...onServer, arguments: "text" },
  "delegation show": { ...onServer },
  "delegation set": { ...onServer, arguments: "text", "--until": "text" },
  "delegation end": { ...onServer },
  "roles list": { ...onServer, ...shown },
  "roles show": { ...onServer, arguments: "text" },
  "roles add": { ...onServer, arguments: "text", "--allow": "text" },
  "roles change": { ...onServer, arguments: "text", "--name": "text", "--allow": "text" },
  "roles remove": { ...onServer, arguments: "text" },
  "jobs start": {
    ...onServer,
    arguments: "text",
    "--ids": "text",
    "--state": "text",
    "--plan": "text",
    "--developer": "text",
    "--environment": "text",
    "--tag": "text",
    "-q": "text",
    "--q": "text",
    "--waits-for": "text",
    "--assignee": "text",
    "--reason": "text",
    "--message": "text",
    "--address": "text",
    "--review-at": "text",
    "--to": "text",
    "--set-plan": "text",
    "--set-tag": "text",
    "--status": "text",
    "--expires-within": "text",
    "--owner": "text",
    "--set-owner": "text",
    "--until": "text",
    "--expires-at": "text",
    "--overlap-seconds": "text",
    "--keys": "text",
    "--count": "text",
  },
  "jobs list": { ...onServer, ...shown, "--limit": "text" },
  "jobs show": { ...onServer, arguments: "text" },
  "jobs stop": { ...onServer, arguments: "text" },
  "jobs result": { ...onServer, arguments: "text" },
  "jobs links": { ...onServer, arguments: "text" },
  "jobs undo": { ...onServer, arguments: "text", "--reason": "text" },
  "elevations list": { ...onServer, ...shown },
  "elevations rules": { ...onServer, ...shown },
  "elevations end": { ...onServer, arguments: "text" },
  "keys import": { arguments: "read", "--murmur-until": "text" },
  "import meter": { ...onServer, "--mails": "write", "--language": "text" },
  "import tyk plan": { ...sources },
  "import tyk run": { ...sources },
  "import tyk verify": { ...sources },
  "import tyk report": { "--format": "text", "--organisation": "text" },
  "keys issue": {
    ...onServer,
    ...labels,
    arguments: "text",
    "--expires-at": "text",
    "--reason": "text",
  },
  "keys label": { ...onServer, ...labels, arguments: "text" },
  "keys list": {
    ...searching,
    "--developer": "text",
    "--leaked": "text",
    "--schedule": "text",
    "--unused-since": "text",
    "--plan": "text",
    "--environment": "text",
    "--tag": "text",
  },
  "keys revoke": { ...onServer, arguments: "text", "--reason": "text" },
  "keys restore": { ...onServer, arguments: "text", "--reason": "text" },
  "keys keep": { ...onServer, arguments: "text", "--reason": "text" },
  "keys elsewhere": { ...onServer, arguments: "text" },
  "keys schedule": { ...onServer, arguments: "text" },
  "keys suspend": { ...onServer, arguments: "text", "--minutes": "text", "--reason": "text" },
  "keys resume": { ...onServer, arguments: "text", "--reason": "text" },
  "leaks report": { onServer: true, "--url": "net", "--found-at": "text" },
  "alerts why": { ...onServer, arguments: "text" },
  "targets list": { ...onServer, ...shown },
  "targets add": {
    ...onServer,
    arguments: "text",
    "--name": "text",
    "--topic": "text",
    "--template": "text",
  },
  "targets test": { ...onServer, calls: true, arguments: "text" },
  "targets rotate": { ...onServer, arguments: "text", "--overlap-hours": "text" },
  "targets remove": { ...onServer, arguments: "text" },
  "targets pause": { ...onServer, arguments: "text" },
  "targets resume": { ...onServer, arguments: "text" },
  "providers list": { ...onServer, ...shown },
  "providers show": { ...onServer, arguments: "text" },
  "providers add": { ...onServer, ...providerTerms, "--for": "text" },
  "providers change": { ...onServer, ...providerTerms, "--issuer": "text" },
  "providers test": { ...onServer, calls: true, arguments: "text" },
  "providers remove": { ...onServer, arguments: "text" },
  "gateways list": { ...onServer, ...shown },
  "gateways add": {
    ...onServer,
    ...gatewayTerms,
    "--kind": "text",
    "--api": "text",
    "--form": "text",
    "--socket": "text",
  },
  "gateways change": { ...onServer, ...gatewayTerms, "--name": "text" },
  "gateways show": { ...onServer, arguments: "text" },
  "gateways keys": { ...onServer, ...shown, arguments: "text", "--state": "text" },
  "gateways canary": { ...onServer, arguments: "text" },
  "gateways unknown": { ...onServer, ...shown, arguments: "text" },
  "gateways now": { ...onServer, arguments: "text", "--key": "text" },
  "gateways pause": { ...onServer, arguments: "text" },
  "gateways resume": { ...onServer, arguments: "text" },
  "gateways confirm": { ...onServer, arguments: "text" },
  "gateways reconcile": { ...onServer, arguments: "text" },
  "gateways learn": {
    ...onServer,
    arguments: "text",
    "--until": "text",
    "--questions-per-second": "text",
  },
  "gateways remove": { ...onServer, arguments: "text" },
  "doors list": { ...onServer, ...shown },
  "doors add": { ...onServer, arguments: "text", "--kind": "text", "--silent-minutes": "text" },
  "doors change": { ...onServer, arguments: "text", "--kind": "text", "--silent-minutes": "text" },
  "doors file": {
    ...onServer,
    arguments: "text",
    "--listen": "text",
    "--api-address": "text",
    "--api": "text",
    "--desk": "text",
    "--part": "text",
  },
  "doors remove": { ...onServer, arguments: "text" },
  refusals: {
    ...onServer,
    ...shown,
    "--limit": "text",
    "--reason": "text",
    "--key": "text",
    "--developer": "text",
    "--plan": "text",
    "--api": "text",
    "--door": "text",
    "--after": "text",
    "--before": "text",
  },
  "deliveries list": {
    ...listing,
    "--target": "text",
    "--object": "text",
    "--topic": "text",
  },
  "deliveries show": { ...onServer, arguments: "text" },
  "deliveries now": { ...onServer, "--target": "text" },
  "deliveries replay": {
    ...onServer,
    arguments: "text",
    "--target": "text",
    "--after": "text",
    "--before": "text",
    "--topic": "text",
    "--object": "text",
  },
  "requests list": {
    ...searching,
    "--plan": "text",
    "--developer": "text",
    "--assignee": "text",
    "--waits-for": "text",
  },
  "requests show": { ...onServer, arguments: "text" },
  "requests approve": {
    ...onServer,
    arguments: "text",
    "--reason": "text",
    "--message": "text",
    "--expires-at": "text",
    "--address": "text",
    "--review-at": "text",
    "--wait": "text",
  },
  "requests offer": {
    ...onServer,
    arguments: "text",
    "--rate": "text",
    "--quota": "text",
    "--plan": "text",
    "--address": "text",
    "--expires-at": "text",
    "--review-at": "text",
    "--message": "text",
    "--reason": "text",
  },
  "requests withdraw-offer": { ...onServer, arguments: "text" },
  "requests assign": { ...onServer, arguments: "text", "--to": "text" },
  "requests decline": { ...onServer, arguments: "text", "--reason": "text" },
  "developers list": { ...searching, "--tag": "text" },
  "developers show": { ...onServer, arguments: "text" },
  "developers tag": { ...onServer, arguments: "text", "--tag": "text" },
  "developers add": { ...onServer, arguments: "text", "--id": "text", "--field": "text" },
  "developers confirm-email": { ...onServer, arguments: "text" },
  "developers deactivate": { ...onServer, arguments: "text", "--keys": "text" },
  "developers reactivate": { ...onServer, arguments: "text", "--keys": "text" },
  "developers deleted": { ...onServer, ...shown, "--limit": "text" },
  "developers restore": { ...onServer, arguments: "text", "--deletion": "text" },
  "developers rm": { ...onServer, arguments: "text", "--keys": "text" },
  "plans list": { ...searching },
  "plans show": { ...onServer, arguments: "text" },
  "plans decided": { ...onServer, arguments: "text" },
  "plans unused-keys": {
    ...onServer,
    arguments: "text",
    "--action": "text",
    "--after": "text",
    "--imported": "text",
    "--warn": "text",
  },
  "plans add": { ...onServer, arguments: "read" },
  "plans edit": { ...onServer, arguments: "text", "--file": "read", "--set": "text" },
  "plans activate": { ...onServer, arguments: "text" },
  "plans deactivate": { ...onServer, arguments: "text" },
  console: { "--as": "text" },
  "certs import": { arguments: "read", "--passphrase-file": "read" },
  "certs list": { ...shown, ...narrowing },
  "certs export": { arguments: "write", "--format": "text", ...narrowing },
  "certs renewal": { arguments: "text", "--by": "text", "--forget": "text", "--not": "text" },
  "certs rm": { arguments: "text" },
  "sealing-key": { needs: "nothing" },
  reseal: {},
  export: {
    arguments: "text",
    "--from": "text",
    "--until": "text",
    "--organisation": "text",
    "--format": "text",
  },
  "export tyk": {
    arguments: "write",
    "--passphrase-file": "read",
    "--recipient": "text",
    "--target-hash": "text",
    "--key-form": "text",
    "--organisation": "text",
  },
  "audit verify": {
    arguments: "read",
    "--organisation": "text",
    "--key": "text",
    "--since": "read",
    "--older-until": "text",
  },
  "audit head": { "--organisation": "text" },
  "audit accept": { "--organisation": "text", "--reason": "text" },
  "audit erase": { "--organisation": "text", "--person": "text", "--before": "text" },
  purge: { "--export": "write" },
  migrate: {},
  help: { needs: "nothing", arguments: "text" },
  "migrate-store": {
    needs: "settings",
    "--from": "store",
    "--to": "store",
    "--reopen": "store",
    "--from-password-file": "read",
    "--to-password-file": "read",
  },
  backup: { arguments: "write" },
  restore: { arguments: "read" },
  doctor: { ...onServer, listens: true, asksItself: true },
  check: { arguments: "read", "--accept": "text" },
  completion: { needs: "nothing", arguments: "text" },
  version: { needs: "nothing" },
};

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
    ...neededBy(verb, named, env, cwd),
    ...named.map(([kind, value]) => kinds[kind](value, cwd)),
  ]);
  return [
    flag("allow-net", granted.net),
    flag("allow-read", [packageDir, ...granted.read].map(escapePath)),
    flag("allow-write", granted.write.map(escapePath)),
    "--allow-env=KEYDESK_*",
    // Any other variable reads as absent, instead of an error in a library that asks for it (pg:
    // USER, PG*): the settings of Keydesk are the KEYDESK_* ones and nothing else.
    "--ignore-env",
    // Nodes are listed by it.
    verb === verbs.serve ? "--allow-sys=hostname" : "",
    // Of all that the runtime calls unstable, a port that several processes listen on.
    verb === verbs.serve && env.KEYDESK_REUSE_PORT === "true" ? "--unstable-net" : "",
  ].filter((one) => one !== "");
}

/** What a verb needs besides what its words name. */
function neededBy(verb, named, env, cwd) {
  if (verb.needs === "nothing") return [];
  if (verb.needs === "settings") return [settingsFiles(env, cwd)];
  const { KEYDESK_URL: url, KEYDESK_TOKEN_FILE: file, KEYDESK_PUBLIC_URL: publicUrl } = env;
  // Of several the last one counts.
  const other = named.findLast(([kind]) => kind === "net")?.[1];
  if (!verb.onServer || !(url || other)) {
    return [
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
};

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
  const every = (name) => all.flatMap((one) => one[name]);
  return { net: every("net"), read: every("read"), write: every("write") };
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

import { Option } from "commander";
import type { LazyMigration } from "../client/operations.ts";
import { checkingKinds } from "../contract/checking-gateways.ts";
import { connections, mapForms } from "../contract/gateway-states.ts";
import type { CanaryView } from "../features/gateways/canary.service.ts";
import { commandName } from "../kernel/command-name.ts";
import { counted } from "./counted.ts";
import { forOne } from "./each.ts";
import { fileOfGateway } from "./gateway-file.ts";
import { brought, type BroughtGateway, gatewayOf, isBrought } from "./named.ts";
import { calls, lists, noun, type Said } from "./noun.ts";
import { OperatorError } from "./operator-error.ts";
import { choice, file, flag, opt, or, several, toCount, toTime, upTo, usual } from "./options.ts";
import { secretIn } from "./secret-file.ts";

const gateway = { kind: "gateway", idOf: gatewayOf };
const kinds = [...checkingKinds, ...mapForms.filter((form) => form === "agentgateway")];

const WAITS = "it waits for a person's yes in the console, since an access token said so.";

const STATES = ["waiting", "delivered", "stuck", "diverged", "gone"] as const;

const ofRedis = "synced: the file of its password; -: standard input";
const terms = {
  secret: file("--secret-file <file>", "synced: the file of its secret; -: standard input"),
  redis_password: file("--redis-password-file <file>", ofRedis),
  reload_seconds: opt(
    "--reload-seconds <n>",
    "map: its proxy reads its file again so soon",
    toCount,
  ),
  calls_per_second: opt("--calls-per-second <n>", "call it so often at the most", toCount),
  silent_minutes: opt(
    "--silent-minutes <n>",
    "checks: after so many without a call it is silent; 0: never",
    upTo(10_080, "Expected a whole number from 0 to 10080, which is a week."),
  ),
  certificates: flag("--certificates", "pin keys to the certificate that their request names"),
};

/** `keydesk gateways`. */
export const addGatewaysCommands = noun({
  name: "gateways",
  summary: "gateways, how each is connected, and the problems found",
  about: `--connection is the way in which a gateway is connected:
  checks  it asks Keydesk about each call, with the file that "gateways file" prints
  synced  Keydesk writes keys into it and reads them back; revocations go first
  map     it fetches a map of hashes of keys
A gateway that checks sends its name in the header X-Keydesk-Gateway, which the proxy sets: "edge-1", or
"edge-1;3" with the version of its file. Other names count as "other". Names do not affect results.`,
  examples: [
    "add edge-1 --kind nginx --silent-minutes 60",
    "file edge-1 --api-address 127.0.0.1:9000 --api weather",
    "add City --connection synced --gateway-url https://gateway.example.org --secret-file secret.txt",
    `add Port --connection synced --gateway-url https://port.example.org --secret-file secret.txt \\
    --redis rediss://redis.example.org:6379/0 --redis-password-file password.txt`,
    "change City --calls-per-second 50 --no-plan",
    "reconcile City --whole --dry-run",
    "lazy-migration City --until 2026-12-31",
  ],
  verbs: [
    lists({
      verb: "list",
      summary: "list gateways by name, and how many keys wait or are stuck at each",
      options: { connection: choice("--connection <way>", "only those connected so", connections) },
      read: ({ client, query }) => client.listGateways(query),
      columns: [
        { head: "NAME", width: 24, of: "name" },
        { head: "WAY", width: 6, of: "connection" },
        { head: "KIND", width: 12, of: "kind", extra: 2 },
        {
          head: "STATE",
          width: 8,
          of: (one) => isBrought(one) && one.failing_since !== null ? "failing" : one.state,
        },
        { head: "WAITING", width: 8, of: (one) => isBrought(one) ? one.counts.waiting : "" },
        { head: "STUCK", width: 6, of: (one) => isBrought(one) ? one.counts.stuck : "" },
        { head: "DIVERGED", width: 8, of: (one) => isBrought(one) ? one.counts.diverged : "" },
        {
          head: "LAST CALL",
          width: 20,
          of: (one) => isBrought(one) ? "" : `${one.last_call_at?.slice(0, 19) ?? "never"}`,
        },
        {
          head: "FINDINGS",
          width: 30,
          of: (one) =>
            isBrought(one)
              ? [...new Set(one.findings.map(({ code }) => code))].join(" ")
              : one.newer_version === null
              ? ""
              : `file ${one.newer_version} is newer`,
          extra: 1,
        },
        { head: "ID", of: "id" },
      ],
      empty: "There is no gateway.",
    }),
    calls({
      verb: "add <name>",
      summary: "add a gateway, by how it is connected",
      options: {
        connection: usual(
          choice("--connection <way>", "how it is connected", connections),
          "checks",
        ),
        kind: choice("--kind <kind>", "the product", kinds),
        silent_minutes: terms.silent_minutes,
        url: opt("--gateway-url <url>", "synced: where its own interface is, without /tyk"),
        secret: terms.secret,
        probe_url: opt(
          "--probe-url <url>",
          "an API behind it, called to see whether revocations hold",
        ),
        redis_url: opt(
          "--redis <url>",
          "synced: its Redis, where keys are made that only Keydesk has",
        ),
        redis_password: terms.redis_password,
        api: opt("--api <id>", "map: the API behind it; none: any"),
        socket: opt(
          "--socket <position>",
          "map: how it is notified: unix, 127.0.0.1:port, fetched",
        ),
        reload_seconds: terms.reload_seconds,
        plans: several("--plan <id...>", "a plan whose keys go to it; none: those of all"),
        calls_per_second: terms.calls_per_second,
        policies: flag(
          "--write-policies",
          "write plans as policies to it; else they are only compared",
          "write",
        ),
        certificates: terms.certificates,
      },
      json: "print the gateway as JSON",
      async call({ client, id: name, given }) {
        const { api, socket, reload_seconds, connection = "checks", ...more } = given;
        const map = connection === "map" ? { map: { api, socket, reload_seconds } } : {};
        const secrets = await secretsIn(given);
        const body = { ...withoutAbsent(more), ...map, connection, name, ...secrets };
        return await client.createGateway({ body });
      },
      done: (made) =>
        isBrought(made) ? addedLines(made) : [
          `Gateway ${made.id} "${made.name}" is added. Its file: ${commandName()} gateways file ${made.name}`,
        ],
    }),
    calls({
      verb: "change <gateway>",
      summary: "change the given settings of a gateway; all else stays",
      of: gateway,
      options: {
        name: opt("--name <name>", "synced, map: what it is called"),
        kind: choice("--kind <kind>", "checks: the product", checkingKinds),
        silent_minutes: terms.silent_minutes,
        url: opt(
          "--gateway-url <url>",
          "synced: where its interface is now; it needs --secret-file too",
        ),
        secret: terms.secret,
        probe_url: opt("--probe-url <url>", "an API behind it; empty: none is called"),
        redis_url: opt("--redis <url>", "synced: its Redis; empty: none"),
        redis_password: terms.redis_password,
        plans: or(
          several("--plan <id...>", "the plans whose keys go to it"),
          "--no-plan",
          "the keys of all plans go to it",
          null,
        ),
        reload_seconds: or(
          terms.reload_seconds,
          "--no-reload-seconds",
          "it is not known when",
          null,
        ),
        calls_per_second: or(
          terms.calls_per_second,
          "--no-calls-per-second",
          "call it as often as it answers",
          null,
        ),
        policies: or(
          flag("--write-policies", "write plans as policies to it", "write"),
          "--no-write-policies",
          "compare them alone",
          "compare",
        ),
        certificates: or(
          terms.certificates,
          "--no-certificates",
          "pin none to a certificate any more",
          false,
        ),
      },
      json: "print the gateway as JSON",
      refuses: (given) =>
        Object.values(given).every((value) => value === undefined)
          ? "say what changes: see keydesk gateways change --help"
          : undefined,
      async call({ client, id, given: { reload_seconds, ...given } }) {
        const secrets = await secretsIn(given);
        const before = await client.getGateway({ id });
        if (!isBrought(before)) {
          return await client.updateGateway({ id, body: { ...withoutAbsent(given), ...secrets } });
        }
        const { map } = before;
        const { name, url, probe_url, redis_url, plans, calls_per_second, policies } = before;
        const kept = { name, url, probe_url, redis_url, plans, calls_per_second, policies };
        const body = {
          ...kept,
          certificates: before.certificates,
          map: map && {
            api: map.api,
            socket: map.socket,
            reload_seconds: reload_seconds === undefined ? map.reload_seconds : reload_seconds,
          },
          ...withoutAbsent(given),
          ...secrets,
        };
        return await client.updateGateway({ id, body });
      },
      done: (one) => {
        const waits = isBrought(one) && one.unconfirmed_since !== null;
        return `Gateway ${one.id} "${one.name}" is changed${waits ? `: ${WAITS}` : "."}`;
      },
    }),
    calls({
      verb: "show <gateway>",
      summary: "show a gateway, by its name or id: waiting keys and problems",
      of: gateway,
      json: "print the gateway as JSON",
      call: ({ client, id }) => client.getGateway({ id }),
    }),
    fileOfGateway(gateway),
    lists({
      verb: "keys <gateway>",
      summary: "list the keys of a gateway, and what became of each",
      of: gateway,
      options: { state: choice("--state <state>", "those of one state", STATES) },
      read: ({ client, id, query }) => client.listKeysAtGateway({ ...query, id }),
      columns: [
        { head: "KEY", width: 64, of: "key_id" },
        { head: "STATE", width: 9, of: "state" },
        { head: "SINCE", width: 20, of: ({ since }) => `${since.slice(0, 19)}Z` },
        {
          head: "WHY",
          width: 40,
          of: (one) => one.state === "closing" ? mayOpen(one) : one.reason,
        },
        { head: "THERE", of: "remote_id", extra: 1 },
      ],
      empty: "There are no keys.",
    }),
    lists({
      verb: "unknown <gateway>",
      summary:
        "list keys at the gateway that Keydesk does not know, as the last comparison found them",
      of: gateway,
      read: ({ client, id, query }) => client.listUnknownKeysAtGateway({ ...query, id }),
      columns: [{ head: "THERE", of: "name" }],
      empty: "The last comparison found no unknown key.",
    }),
    calls({
      verb: "canary <gateway>",
      summary:
        "how long a new key took to be valid and to be denied: the last time, and the median",
      of: gateway,
      json: "print it as JSON",
      call: async ({ client, id }) => brought(await client.getGateway({ id })),
      printed: ({ canary }) => canary,
      done: ({ name, canary }) => canaryLines(name, canary),
    }),
    calls({
      verb: "now <gateway>",
      summary: "try all that waits, is stuck or diverged at a gateway now",
      of: gateway,
      options: { key_id: opt("--key <key_id>", "this key alone, whatever its state") },
      async call({ client, id, given }) {
        const hurry = () => client.hurryGateway({ id, body: given });
        return await (given.key_id === undefined ? hurry() : forOne("key", given.key_id, hurry));
      },
      done: ({ tried }) => `${tried} tried now.`,
    }),
    calls({
      verb: "pause <gateway>",
      summary: "bring a gateway nothing until it is resumed, revocations neither",
      of: gateway,
      call: ({ client, id }) => client.pauseGateway({ id }),
      done: ({ name }) => `Gateway ${name} is paused.`,
    }),
    calls({
      verb: "resume <gateway>",
      summary: "go on with a paused gateway",
      of: gateway,
      call: ({ client, id }) => client.resumeGateway({ id }),
      done: ({ name }) => `Gateway ${name} is brought what waits.`,
    }),
    calls({
      verb: "confirm <gateway>",
      summary: "say yes to a gateway that an access token added or moved, at the server's machine",
      of: gateway,
      async call({ client, id }) {
        const { name, unconfirmed_since } = brought(await client.getGateway({ id }));
        if (unconfirmed_since === null) throw new OperatorError(`${name} waits for no yes`);
        await client.confirmGateway({ id, body: { unconfirmed_since } });
        return name;
      },
      done: (name) => `Gateway ${name} is confirmed.`,
    }),
    calls({
      verb: "reconcile <gateway>",
      summary: "compare the keys of a gateway with what was decided, and check it, soon",
      of: gateway,
      options: {
        whole: flag("--whole", "read every session instead of a sample"),
        dry_run: flag("--dry-run", "count what differs and put nothing right"),
      },
      call: ({ client, id, given: { whole = false, dry_run = false } }) =>
        client.reconcileGateway({ id, body: { whole, dry_run } }),
      done: ({ name }, { word }) =>
        `Gateway ${name} is compared soon: keydesk gateways show ${word}`,
    }),
    calls({
      verb: "lazy-migration <gateway>",
      summary:
        "migrate unknown keys at their first call (lazy migration); alone: whether that is on",
      of: gateway,
      options: {
        ends_at: opt("--until <time>", "from now until this day or time", toTime),
        questions_per_second: opt(
          "--questions-per-second <n>",
          "each server asks it so often at the most",
          toCount,
        ),
        stop: flag("--stop", "end it; keys that were migrated stay"),
        confirms: flag("--confirm-losses", "say yes to keys losing access that wait for it"),
      },
      json: "print it as JSON",
      refuses: ({ stop, confirms, ends_at }) =>
        [stop, confirms, ends_at !== undefined].filter(Boolean).length > 1
          ? "--stop, --until and --confirm-losses go without each other"
          : undefined,
      async call({ client, id, word, given: { stop, confirms, ends_at, questions_per_second } }) {
        if (stop) return await client.stopLazyMigration({ id });
        if (ends_at !== undefined) {
          return await client.startLazyMigration({ id, body: { ends_at, questions_per_second } });
        }
        const lazyMigration = await client.getLazyMigration({ id });
        if (!confirms) return lazyMigration;
        const { awaiting } = lazyMigration;
        if (awaiting === 0) throw new OperatorError(`${word}: no key waits for a yes`);
        await client.confirmLosses({ id, body: { awaiting } });
        return lazyMigration;
      },
      done: (lazyMigration, { word, given }) =>
        given.confirms
          ? `${counted(lazyMigration.awaiting, "key")} of ${word} are asked about anew.`
          : linesOf(lazyMigration, word),
    }),
    calls({
      verb: "remove <gateway>",
      summary: "remove a gateway; keys stay at one that is synced, a map is emptied first",
      of: gateway,
      options: {
        end: {
          option: new Option(
            "--end-keys",
            "revoke every key at it, and remove it after the last of them",
          ).conflicts("leaveKeys"),
        },
        leave: flag(
          "--leave-keys",
          "leave keys as they are: by its map a proxy goes on to allow them",
        ),
      },
      async call({ client, id, given: { end, leave } }) {
        const before = await client.getGateway({ id });
        if (!isBrought(before)) {
          await client.deleteGateway({ id });
          return undefined;
        }
        const { map } = before;
        const keys = end ? "end" : leave ? "leave" : undefined;
        return { ...await client.deleteGateway({ id, keys }), socket: map?.socket };
      },
      done: (removed, { word }): Said[] => {
        if (!removed) return [`Gateway ${word} is removed: its calls count as other.`];
        const { left, ending, files, socket } = removed;
        if (ending) return [`Gateway ${word} is removed once every key was revoked at it.`];
        if (socket === "fetched") {
          return [
            `Gateway ${word} is removed. Its proxy empties its map when it next asks for it.`,
          ];
        }
        const stay = `Its proxy allows them for good, until you delete ${files.join(", ")}.`;
        return [
          `Gateway ${word} is removed; ${left} keys were left at it.`,
          ...files.length > 0 ? [stay] : [],
        ];
      },
    }),
  ],
});

/** The output for a gateway to which keys are synced from now on. */
function addedLines(
  { id, name, unconfirmed_since, map, missing_outbound }: BroughtGateway,
): string[] {
  return [
    `Gateway ${id} "${name}": ${
      unconfirmed_since === null ? "every key is written to it from now on." : WAITS
    }`,
    ...map ? [`In KEYDESK_GATEWAY_FOLDER it has ${map.files.join(", ")}.`] : [],
    ...missing_outbound === null
      ? []
      : [`KEYDESK_OUTBOUND has to name ${missing_outbound} before it is called.`],
  ];
}

/** The secrets in the files that were named. */
async function secretsIn(files: { secret?: string; redis_password?: string }) {
  return {
    secret: await secretIn(files.secret),
    redis_password: await secretIn(files.redis_password),
  };
}

/** The options that were given. */
function withoutAbsent<T extends object>(given: T) {
  const members = Object.entries(given).filter(([, value]) => value !== undefined);
  // as: the same members, of which some may lack.
  return Object.fromEntries(members) as { [M in keyof T]?: Exclude<T[M], undefined> };
}

function linesOf(
  { on, ends_at, migrated, awaiting }: LazyMigration,
  word: string,
): string[] {
  const so = counted(migrated, "key");
  const asked = `${counted(awaiting, "key")} would lose access by what it says: ` +
    `keydesk gateways lazy-migration ${word} --confirm-losses`;
  return [
    on
      ? `Keys are migrated from ${word} until ${ends_at}; ${so} so far.`
      : `No keys are migrated from ${word}; ${so} so far.`,
    ...awaiting > 0 ? [asked] : [],
  ];
}

type Took = { readonly valid_after_ms: number | null; readonly invalid_after_ms: number | null };

/** How long a gateway took to open to a key and to shut, for people. */
export function canaryLines(
  name: string,
  { tried, runs, last, median }: CanaryView,
): string[] {
  if (tried === "not_tried") {
    return [
      `${name} is not tried: its proxy takes its map by itself, and no map has the canary.`,
    ];
  }
  if (!last || !median) return [`${name} was not tried in the last hour.`];
  const how = tried === "called" ? "called with" : "read back";
  return [
    last.how === null
      ? `${last.at}: no key could be made at ${name}.`
      : `${last.at}: ${tookText(last)}, ${how}.`,
    `Median of ${runs} in the last hour: ${tookText(median)}.`,
  ];
}

function tookText({ valid_after_ms, invalid_after_ms }: Took): string {
  return `accepted ${within(valid_after_ms)}, refused ${within(invalid_after_ms)}`;
}

function within(ms: number | null): string {
  if (ms === null) return "not within 15 s";
  return ms < 10 ? "at once" : `after ${(ms / 1000).toFixed(2)} s`;
}

/** For how long a key that was ended there may still open. */
function mayOpen(
  { may_be_valid_until: until, reason }: { may_be_valid_until: string | null; reason: string },
): string {
  if (until !== null) return `may be valid until ${until.slice(0, 19)}Z`;
  return reason === "" ? "may be valid while calls go on" : `may be valid: ${reason}`;
}

import { type Command, Option } from "commander";
import { mapForms } from "../contract/gateway-states.ts";
import { atDesk } from "./at-desk.ts";
import { toTime } from "./deliveries.ts";
import { type DeskOptions, withDeskOptions, withWideOption } from "./desk-options.ts";
import { type ListOptions, printList, printObject } from "./listing.ts";
import { learn } from "./gateways-learn.ts";
import { brought, gatewayOf, isBrought } from "./named.ts";
import { OperatorError } from "./operator-error.ts";
import { toCount } from "./requests.ts";
import { secretIn } from "./secret-file.ts";
import { terminal } from "./terminal.ts";
import { canaryLines, mayOpen } from "./canary-lines.ts";

/** `keydesk gateways list|add|change|show|keys|unknown|canary|now|pause|resume|…`. */
export function addGatewaysCommands(program: Command): void {
  const gateways = program.command("gateways")
    .description("gateways that hold keys of their own, and what stands there")
    .addHelpText(
      "after",
      `
Every key is brought to a gateway and read back there; what closes one goes first.

Examples:
  keydesk gateways add City --gateway-url https://gateway.example.org --secret-file secret.txt
  keydesk gateways add Port --gateway-url https://port.example.org --secret-file secret.txt \\
    --redis rediss://redis.example.org:6379/0 --redis-password-file password.txt
  keydesk gateways change City --calls-per-second 50 --no-plan
  keydesk gateways reconcile City --whole --dry-run
  keydesk gateways learn City --until 2026-12-31`,
    );
  withWideOption(withDeskOptions(gateways.command("list")))
    .description("list gateways by name, and how many keys wait, stand or are stuck there")
    .option("--json", "print one JSON object a line")
    .action(list);
  withDeskOptions(gateways.command("add <name>"))
    .description("add a gateway: every key is brought there from now on")
    .addOption(new Option("--kind <kind>", "what it is").choices(["tyk", "hashes"]).default("tyk"))
    .option("--gateway-url <url>", "tyk: where its own interface is, without /tyk")
    .option("--secret-file <file>", "tyk: the file of what opens it; -: standard input")
    .option("--probe-url <url>", "an API behind it, called to see whether revocations hold")
    .option("--redis <url>", "tyk: its Redis, where keys are made that nobody has any more")
    .option("--redis-password-file <file>", "tyk: the file of what opens that; -: standard input")
    .option("--api <id>", "hashes: the API that it stands before; none: any")
    .addOption(new Option("--form <form>", "hashes: of its file").choices(mapForms))
    .option("--socket <place>", "hashes: how it is told: unix, 127.0.0.1:port, fetched")
    .option("--reload-seconds <n>", "hashes: its proxy reads its file again so soon", toCount)
    .option("--plan <id...>", "a plan whose keys stand there; none: those of all")
    .option("--calls-per-second <n>", "call it so often at the most", toCount)
    .option("--write-policies", "write plans as policies there; else they are only compared")
    .option("--certificates", "pin keys to the certificate that their request names")
    .option("--json", "print the gateway as JSON")
    .action(add);
  withDeskOptions(gateways.command("change <gateway>"))
    .description("change what is named here of a gateway; all else stays")
    .option("--name <name>", "what it is called")
    .option("--gateway-url <url>", "tyk: where its interface is now; it needs --secret-file too")
    .option("--secret-file <file>", "tyk: the file of what opens it; -: standard input")
    .option("--probe-url <url>", "an API behind it; empty: none is called")
    .option("--redis <url>", "tyk: its Redis; empty: none")
    .option("--redis-password-file <file>", "tyk: the file of what opens that; -: standard input")
    .option("--plan <id...>", "the plans whose keys stand there")
    .option("--no-plan", "the keys of all plans stand there")
    .option("--reload-seconds <n>", "hashes: its proxy reads its file again so soon", toCount)
    .option("--no-reload-seconds", "nobody knows when it does")
    .option("--calls-per-second <n>", "call it so often at the most", toCount)
    .option("--no-calls-per-second", "call it as often as it answers")
    .option("--write-policies", "write plans as policies there")
    .option("--no-write-policies", "compare them alone")
    .option("--certificates", "pin keys to the certificate that their request names")
    .option("--no-certificates", "pin none to a certificate any more")
    .option("--json", "print the gateway as JSON")
    .action(change);
  addWorkCommands(gateways);
}

/** Commands that look at a gateway, and have it do something. */
function addWorkCommands(gateways: Command): void {
  withDeskOptions(gateways.command("show <gateway>"))
    .description("show a gateway, by its name or id: what waits there and what was found")
    .option("--json", "print the gateway as JSON")
    .action(show);
  withWideOption(withDeskOptions(gateways.command("keys <gateway>")))
    .description("list the keys of a gateway, and what became of each")
    .addOption(new Option("--state <state>", "those of one state").choices(STATES))
    .option("--json", "print one JSON object a line")
    .action(keys);
  withWideOption(withDeskOptions(gateways.command("unknown <gateway>")))
    .description("list keys there that nobody decided here, as the last comparison found them")
    .option("--json", "print one JSON object a line")
    .action(unknownKeys);
  withDeskOptions(gateways.command("canary <gateway>"))
    .description("say how long it took to open to a key and to shut: the last time, and the median")
    .option("--json", "print it as JSON")
    .action(canary);
  withDeskOptions(gateways.command("now <gateway>"))
    .description("try all that waits, is stuck or diverged at a gateway now")
    .option("--key <key_id>", "this key alone, whatever its state")
    .action(now);
  withDeskOptions(gateways.command("pause <gateway>"))
    .description("bring a gateway nothing until it is resumed, revocations neither")
    .action((word: string, options: DeskOptions) => pause(word, options, true));
  withDeskOptions(gateways.command("resume <gateway>"))
    .description("go on with a paused gateway")
    .action((word: string, options: DeskOptions) => pause(word, options, false));
  withDeskOptions(gateways.command("confirm <gateway>"))
    .description(
      "say yes to a gateway that an access token added or moved, at the server's machine",
    )
    .action(confirm);
  withDeskOptions(gateways.command("reconcile <gateway>"))
    .description("compare the keys of a gateway with what was decided, and check it, soon")
    .option("--whole", "read every session there instead of a sample")
    .option("--dry-run", "count what differs and put nothing right")
    .action(reconcile);
  withDeskOptions(gateways.command("learn <gateway>"))
    .description("learn keys from a gateway that nobody knows here; alone: say whether that is on")
    .option("--until <time>", "from now until this day or time", toTime)
    .option("--questions-per-second <n>", "each server asks it so often at the most", toCount)
    .option("--stop", "learn no more; what was learned stays")
    .option("--confirm-losses", "say yes to keys losing access that wait for it")
    .option("--json", "print it as JSON")
    .action(learn);
  withDeskOptions(gateways.command("remove <gateway>"))
    .description("remove a gateway; keys stay at one of kind tyk, a map is emptied first")
    .addOption(
      new Option("--end-keys", "end every key there, and remove it behind the last of them")
        .conflicts("leaveKeys"),
    )
    .option("--leave-keys", "leave keys as they are: by its map a proxy opens to them for good")
    .action(remove);
}

const WAITS = "it waits for a person's yes in the console, since an access token said so.";

const STATES = ["waiting", "delivered", "stuck", "diverged", "gone"] as const;

async function list(options: ListOptions & DeskOptions): Promise<void> {
  await atDesk(
    options,
    ({ client }) =>
      printList(
        async () => {
          const { data } = await client.listGateways();
          return { data: data.filter(isBrought), next_cursor: null };
        },
        options,
        {
          head: ["NAME", "STATE", "WAITING", "DELIVERED", "STUCK", "DIVERGED", "FINDINGS", "ID"],
          widths: [24, 8, 8, 9, 6, 8, 30],
          extra: ["FINDINGS"],
          cells: (one) => [
            one.name,
            one.failing_since === null ? one.state : "failing",
            String(one.counts.waiting),
            String(one.counts.delivered),
            String(one.counts.stuck),
            String(one.counts.diverged),
            [...new Set(one.findings.map(({ code }) => code))].join(" "),
            one.id,
          ],
          empty: "There is no gateway.",
        },
      ),
  );
}

interface AddOptions extends DeskOptions {
  kind: "tyk" | "hashes";
  gatewayUrl?: string;
  secretFile?: string;
  api?: string;
  form?: typeof mapForms[number];
  socket?: string;
  reloadSeconds?: number;
  probeUrl?: string;
  redis?: string;
  redisPasswordFile?: string;
  plan?: string[];
  callsPerSecond?: number;
  writePolicies?: boolean;
  certificates?: boolean;
  json?: boolean;
}

async function add(
  name: string,
  { kind, gatewayUrl: url, secretFile, api, form, socket, reloadSeconds, ...more }: AddOptions,
): Promise<void> {
  const { probeUrl: probe_url = "", redis: redis_url, redisPasswordFile, ...others } = more;
  const { plan, callsPerSecond, writePolicies, certificates, ...options } = others;
  const secret = await secretIn(secretFile);
  const redis_password = await secretIn(redisPasswordFile);
  await atDesk(options, async ({ client }) => {
    const isMap = kind === "hashes";
    const map = isMap ? { api, socket, reload_seconds: reloadSeconds } : null;
    const way = isMap
      ? { connection: "map" as const, kind: form }
      : { connection: "synced" as const };
    const policies = writePolicies ? "write" as const : "compare" as const;
    const limits = { plans: plan ?? null, calls_per_second: callsPerSecond ?? null };
    const written = { ...way, name, url, probe_url, map, ...limits, policies, certificates };
    const body = { ...written, redis_url, redis_password, secret };
    const made = brought(await client.createGateway({ body }));
    if (options.json) return await printObject(made, options);
    const said = made.unconfirmed_since === null
      ? "every key is brought there from now on."
      : WAITS;
    terminal().err(`Gateway ${made.id} "${made.name}": ${said}`);
    if (made.map) {
      terminal().err(`In KEYDESK_GATEWAY_FOLDER it has ${made.map.files.join(", ")}.`);
    }
    if (made.missing_outbound !== null) {
      terminal().err(`KEYDESK_OUTBOUND has to name ${made.missing_outbound} before it is called.`);
    }
  });
}

interface ChangeOptions extends DeskOptions {
  name?: string;
  gatewayUrl?: string;
  secretFile?: string;
  probeUrl?: string;
  redis?: string;
  redisPasswordFile?: string;
  plan?: string[] | false;
  reloadSeconds?: number | false;
  callsPerSecond?: number | false;
  writePolicies?: boolean;
  certificates?: boolean;
  json?: boolean;
}

async function change(
  word: string,
  { name, gatewayUrl, secretFile, probeUrl, redis, redisPasswordFile, ...more }: ChangeOptions,
): Promise<void> {
  const { plan, reloadSeconds, callsPerSecond, writePolicies, certificates, ...options } = more;
  const secret = await secretIn(secretFile);
  const redis_password = await secretIn(redisPasswordFile);
  await atDesk(options, async ({ client }) => {
    const id = await gatewayOf(client, word);
    const before = brought(await client.getGateway({ id }));
    const { map } = before;
    const body = {
      name: name ?? before.name,
      url: gatewayUrl ?? before.url,
      probe_url: probeUrl ?? before.probe_url,
      redis_url: redis ?? before.redis_url,
      map: map && {
        api: map.api,
        socket: map.socket,
        reload_seconds: reloadSeconds === undefined ? map.reload_seconds : reloadSeconds || null,
      },
      plans: plan === undefined ? before.plans : plan || null,
      calls_per_second: callsPerSecond === undefined
        ? before.calls_per_second
        : callsPerSecond || null,
      ...writePolicies === undefined ? { policies: before.policies } : {
        policies: writePolicies ? "write" as const : "compare" as const,
      },
      certificates: certificates ?? before.certificates,
      secret,
      redis_password,
    };
    const changed = brought(await client.updateGateway({ id, body }));
    if (options.json) return await printObject(changed, options);
    const waits = changed.unconfirmed_since === null ? "." : `: ${WAITS}`;
    terminal().err(`Gateway ${changed.id} "${changed.name}" is changed${waits}`);
  });
}

async function show(word: string, options: DeskOptions & { json?: boolean }): Promise<void> {
  await atDesk(options, async ({ client }) => {
    await printObject(await client.getGateway({ id: await gatewayOf(client, word) }), options);
  });
}

async function keys(
  word: string,
  { state, ...options }: ListOptions & DeskOptions & { state?: typeof STATES[number] },
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await gatewayOf(client, word);
    await printList(
      (place) => client.listKeysAtGateway({ ...place, id, state }),
      options,
      {
        head: ["KEY", "STATE", "SINCE", "WHY", "THERE"],
        widths: [64, 9, 20, 40],
        extra: ["THERE"],
        cells: (one) => [
          one.key_id,
          one.state,
          `${one.since.slice(0, 19)}Z`,
          one.state === "closing" ? mayOpen(one) : one.reason,
          one.remote_id,
        ],
        empty: "No key stands there.",
      },
    );
  });
}

async function unknownKeys(word: string, options: ListOptions & DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await gatewayOf(client, word);
    await printList((place) => client.listUnknownKeysAtGateway({ ...place, id }), options, {
      head: ["THERE"],
      widths: [],
      cells: ({ name }) => [name],
      empty: "The last comparison found no key that nobody decided here.",
    });
  });
}

async function canary(word: string, options: DeskOptions & { json?: boolean }): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await gatewayOf(client, word);
    const { canary, name } = brought(await client.getGateway({ id }));
    if (options.json) return await printObject(canary, options);
    for (const line of canaryLines(name, canary)) terminal().err(line);
  });
}

async function now(
  word: string,
  { key: key_id, ...options }: DeskOptions & { key?: string },
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await gatewayOf(client, word);
    const { tried } = await client.hurryGateway({ id, body: { key_id } });
    terminal().err(`${tried} tried now.`);
  });
}

async function pause(word: string, options: DeskOptions, isPaused: boolean): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await gatewayOf(client, word);
    const { name } = isPaused
      ? await client.pauseGateway({ id })
      : await client.resumeGateway({ id });
    terminal().err(`Gateway ${name} is ${isPaused ? "paused" : "brought what waits"}.`);
  });
}

async function confirm(word: string, options: DeskOptions): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await gatewayOf(client, word);
    const { name, unconfirmed_since } = brought(await client.getGateway({ id }));
    if (unconfirmed_since === null) throw new OperatorError(`${name} waits for no yes`);
    await client.confirmGateway({ id, body: { unconfirmed_since } });
    terminal().err(`Gateway ${name} is confirmed.`);
  });
}

async function reconcile(
  word: string,
  { whole = false, dryRun: dry_run = false, ...options }: DeskOptions & {
    whole?: boolean;
    dryRun?: boolean;
  },
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await gatewayOf(client, word);
    const { name } = await client.reconcileGateway({ id, body: { whole, dry_run } });
    terminal().err(`Gateway ${name} is compared soon: keydesk gateways show ${word}`);
  });
}

async function remove(
  word: string,
  { endKeys, leaveKeys, ...options }: DeskOptions & { endKeys?: boolean; leaveKeys?: boolean },
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const id = await gatewayOf(client, word);
    const keys = endKeys ? "end" : leaveKeys ? "leave" : undefined;
    const { map } = brought(await client.getGateway({ id }));
    const { left, ending, files } = await client.deleteGateway({ id, keys });
    if (ending) {
      terminal().err(`Gateway ${word} is removed once every key was ended there.`);
      return;
    }
    if (map?.socket === "fetched") {
      terminal().err(
        `Gateway ${word} is removed. Its proxy empties its map when it next asks for it.`,
      );
      return;
    }
    terminal().err(`Gateway ${word} is removed; ${left} keys were left there.`);
    if (files.length > 0) {
      terminal().err(`Its proxy opens to them for good, until you delete ${files.join(", ")}.`);
    }
  });
}

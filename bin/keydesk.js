#!/usr/bin/env node
// The launcher: starts Keydesk in Deno with exactly the permissions that it needs. Plain Node 20,
// no dependencies, nothing that relies on install scripts having run. What it can tell itself it
// does: told.js.
//
// The server and the verbs are Deno programs; people install and start them with npm. What this
// file does: find the Deno binary that npm brought, find the program, compute the grants
// (grants.js), become Deno. Where Node can replace its own process it does, and no launcher stays
// behind. Elsewhere the launcher waits, hands signals on and ends with Deno's exit code (128 + n
// when signal n killed it).

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { constants as os } from "node:os";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";
import { CannotRun, findDeno } from "./find-deno.js";
import { isolation, memory } from "./isolation.js";
import { contextsFile, keyringProgram } from "./contexts.js";
import { collectorOf, grants, isTracing } from "./grants.js";
import { told } from "./told.js";

const packageDir = dirname(dirname(fileURLToPath(import.meta.url)));

/** EX_UNAVAILABLE of sysexits.h: this installation can't run, whatever the arguments. */
const cannotRun = 69;

/**
 * Started by `npm start` or npx: these put a shell between, which dies of a SIGTERM without handing
 * it on. Then the end of the parent counts as the signal.
 */
const underNpm = ["start", "npx"].includes(process.env.npm_lifecycle_event);

try {
  await start(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CannotRun)) throw error;
  process.stderr.write(`keydesk: ${error.message}\n`);
  process.exitCode = cannotRun;
}

async function start(args) {
  const text = told(args, process.stdout.isTTY ? process.stdout.columns : 80, packageDir);
  if (text !== undefined) return tell(text);
  const deno = findDeno();
  const run = [...isolation, memory, ...grants(args, process.env, process.cwd(), packageDir)];
  const main = [await findMain(), ...args];
  const own = {
    DENO_NO_UPDATE_CHECK: "1",
    KEYDESK_OPEN_FILES: mostOpenFiles(),
    KEYDESK_COLLECTOR: collectorOf(process.env),
    KEYDESK_COMMAND: commandOf(process.argv[1]),
    KEYDESK_CONTEXTS_PATH: contextsFile(process.env, process.cwd()),
    KEYDESK_KEYRING: keyringProgram(process.env),
  };
  const env = { ...process.env, ...own, ...telemetry(process.env) };
  // Inherited: the database, its log and whatever else is made belongs to this user alone.
  process.umask(0o077);

  const replaces = process.execve !== undefined && process.platform !== "win32";
  if (!replaces || underNpm) {
    env.KEYDESK_PARENT_PID = String(replaces ? process.ppid : process.pid);
    run.push(`--preload=${join(packageDir, "bin", "stop-with-parent.js")}`);
  }
  if (replaces) process.execve(deno, [deno, "run", ...run, ...main], env);
  stayWith(spawn(deno, ["run", ...run, ...main], { stdio: "inherit", env }));
}

/**
 * The words that started this: a link of npm's has the name `keydesk` and is found by npx below
 * `node_modules`, by the shell elsewhere. Windows has no links, but scripts that name the file.
 */
function commandOf(path) {
  if (dirname(path).split(/[\\/]/).includes("node_modules")) return "npx keydesk";
  return basename(path) === "keydesk" ? "keydesk" : "node bin/keydesk.js";
}

/** Whoever reads it may have seen enough (`| head`). */
function tell(text) {
  process.stdout.on("error", () => {});
  process.stdout.write(text);
}

/**
 * Traces are Keydesk's own spans: those of the runtime hold paths and queries as they came, its
 * figures hosts and methods, its log records whatever is written for people, a link to sign in with
 * among it.
 */
function telemetry({ OTEL_DENO, OTEL_SERVICE_NAME = "keydesk", OTEL_RESOURCE_ATTRIBUTES = "" }) {
  if (!isTracing(OTEL_DENO)) return {};
  const others = { OTEL_DENO_TRACING: "false", OTEL_DENO_CONSOLE: "ignore" };
  // Without any of the three it sends nothing, spans of ours neither. So its figures are on, and go
  // to a port that nothing can listen on.
  const nowhere = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://127.0.0.1:0/" };
  return {
    ...others,
    ...nowhere,
    OTEL_DENO_METRICS: "true",
    OTEL_SERVICE_NAME,
    OTEL_RESOURCE_ATTRIBUTES: resource(OTEL_RESOURCE_ATTRIBUTES),
  };
}

/**
 * What the process says of itself: which of several it is, and its release, unless that is said
 * already.
 */
function resource(said) {
  const names = said.split(",").map((pair) => pair.split("=")[0].trim());
  const { version } = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8"));
  const own = { "service.version": version, "service.instance.id": randomUUID() };
  const missing = Object.entries(own).filter(([name]) => !names.includes(name));
  return [said, ...missing.map((pair) => pair.join("="))].filter((text) => text !== "").join(",");
}

/**
 * How many files may be open: the hard limit, to which the runtime raises its own. The program may
 * not look itself. Empty where the system does not say it.
 */
function mostOpenFiles() {
  if (process.platform === "win32") return String(unlimited);
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return openFiles(/^Max open files +\S+ +(\S+)/m.exec(limits)?.[1]);
  } catch {
    process.report.excludeNetwork = true;
    return openFiles(process.report.getReport().userLimits?.open_files.hard);
  }
}

function openFiles(limit) {
  return String(limit === "unlimited" ? unlimited : limit ?? "");
}

/** Where there is no limit. */
const unlimited = 1_048_576;

/** Hands signals on to the child and ends as it ends. */
function stayWith(child) {
  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"]) {
    process.on(signal, () => {
      // Ctrl-C and Ctrl-\ reach the whole foreground group: the child has had its signal from the
      // terminal.
      const fromTerminal = signal === "SIGINT" || signal === "SIGQUIT";
      if (!(fromTerminal && [0, 1, 2].some((fd) => isatty(fd)))) child.kill(signal);
    });
  }
  if (underNpm) {
    const parent = process.ppid;
    setInterval(() => process.ppid === parent || child.kill("SIGTERM"), 1000).unref();
  }
  child.on("error", (error) => {
    process.stderr.write(`keydesk: ${child.spawnfile} does not start: ${error.message}\n`);
    process.exit(cannotRun);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + os.signals[signal]));
}

/**
 * The program: TypeScript in a clone, built JavaScript in a package (Deno refuses .ts in
 * node_modules). In a clone what is made of its files is there and as new as they are, before it is
 * run.
 */
async function findMain() {
  const source = join(packageDir, "src", "cli", "main.ts");
  if (existsSync(source)) {
    // What a package has inside its program, a clone has beside it.
    if (!existsSync(join(packageDir, "node_modules", "zod"))) {
      throw new CannotRun(
        `a clone runs on its development dependencies: run npm ci in ${packageDir}, without --omit=dev`,
      );
    }
    const { generateIfOlder } = await import("../tools/generate.js");
    generateIfOlder();
    return source;
  }
  const built = join(packageDir, "dist", "keydesk.js");
  if (existsSync(built)) return built;
  throw new CannotRun(`${packageDir} holds neither src/cli/main.ts nor dist/keydesk.js`);
}

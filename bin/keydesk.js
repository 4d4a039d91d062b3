#!/usr/bin/env node
// The launcher: starts Keydesk in Deno with exactly the permissions that it needs. Plain Node 20, no
// dependencies, nothing that relies on install scripts having run.
//
// The server and the verbs are Deno programs; people install and start them with npm. What this file does:
// find the Deno binary that npm brought, find the program, compute the grants (grants.js), become Deno.
// Where Node can replace its own process it does, and no launcher stays behind. Elsewhere the launcher waits,
// hands signals on and ends with Deno's exit code (128 + n when signal n killed it).

import { spawn } from "node:child_process";
import { accessSync, chmodSync, constants, existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants as os } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";
import { grants } from "./grants.js";
import { isolation } from "./isolation.js";

const packageDir = dirname(dirname(fileURLToPath(import.meta.url)));

/** EX_UNAVAILABLE of sysexits.h: this installation can't run, whatever the arguments. */
const cannotRun = 69;

/**
 * Started by `npm start` or npx: these put a shell between, which dies of a SIGTERM without handing it on. Then
 * the end of the parent counts as the signal.
 */
const underNpm = ["start", "npx"].includes(process.env.npm_lifecycle_event);

/** The dynamic loaders that Deno's Linux binaries ask for. */
const loaders = { x64: "/lib64/ld-linux-x86-64.so.2", arm64: "/lib/ld-linux-aarch64.so.1" };

/** A reason why this installation can't run, in words for the person at the terminal. */
class CannotRun extends Error {}

try {
  start(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof CannotRun)) throw error;
  process.stderr.write(`keydesk: ${error.message}\n`);
  process.exitCode = cannotRun;
}

function start(args) {
  const deno = findDeno();
  const run = [...isolation, ...grants(args, process.env, process.cwd(), packageDir)];
  const main = [findMain(), ...args];
  const own = { DENO_NO_UPDATE_CHECK: "1", KEYDESK_OPEN_FILES: mostOpenFiles() };
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
 * Traces are Keydesk's own spans: those of the runtime hold paths and queries as they came, its figures hosts and methods,
 * its log records whatever is written for people, a link to sign in with among it.
 */
function telemetry({ OTEL_DENO, OTEL_SERVICE_NAME = "keydesk" }) {
  if (OTEL_DENO !== "true" && OTEL_DENO !== "1") return {};
  const others = { OTEL_DENO_TRACING: "false", OTEL_DENO_CONSOLE: "ignore" };
  // Without any of the three it sends nothing, spans of ours neither. So its figures are on, and go to a port that nothing
  // can listen on.
  const nowhere = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://127.0.0.1:0/" };
  return { ...others, ...nowhere, OTEL_DENO_METRICS: "true", OTEL_SERVICE_NAME };
}

/**
 * How many files may be open: the hard limit, to which the runtime raises its own. The program may not look itself. Empty
 * where the system does not say it.
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
      // Ctrl-C and Ctrl-\ reach the whole foreground group: the child has had its signal from the terminal.
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

/** The program: TypeScript in a clone, built JavaScript in a package (Deno refuses .ts in node_modules). */
function findMain() {
  for (const file of ["src/cli/main.ts", "dist/keydesk.js"]) {
    const path = join(packageDir, file);
    if (existsSync(path)) return path;
  }
  throw new CannotRun(`${packageDir} holds neither src/cli/main.ts nor dist/keydesk.js`);
}

/** The Deno binary of the package @deno/<platform>, which npm installs with the package deno. */
function findDeno() {
  const { platform, arch } = process;
  if (platform === "linux" && loaders[arch] && !existsSync(loaders[arch])) {
    throw new CannotRun(
      `${loaders[arch]} is absent: Deno needs glibc, it does not run on musl (Alpine)`,
    );
  }
  const target = `${platform}-${arch}${platform === "linux" ? "-glibc" : ""}`;
  const deno = join(dirname(resolvePlatform(target)), platform === "win32" ? "deno.exe" : "deno");
  try {
    accessSync(deno, constants.X_OK);
  } catch {
    makeExecutable(deno);
  }
  return deno;
}

function resolvePlatform(target) {
  let deno;
  try {
    deno = createRequire(import.meta.url).resolve("deno/package.json");
  } catch {
    throw new CannotRun(
      "the npm package deno is missing. Run npm ci (or npm install keydesk) again",
    );
  }
  try {
    return createRequire(deno).resolve(`@deno/${target}/package.json`);
  } catch {
    throw new CannotRun(
      `the npm package @deno/${target} is missing. Install without --omit=optional; ` +
        "Deno runs on Linux with glibc, macOS and Windows, each x64 and arm64",
    );
  }
}

/** Some package managers drop the executable bit. */
function makeExecutable(file) {
  try {
    chmodSync(file, 0o755);
  } catch (error) {
    throw new CannotRun(`${file} can't be run: ${error.message}`);
  }
}

/** The command line, in this process and as child processes. */
import { fileURLToPath } from "node:url";
import { mainModule } from "./program.ts";
import { runHere } from "./terminal.ts";

/** The repository's folder, with a slash at its end. */
export const repository = fileURLToPath(new URL("../../", import.meta.url));

/** How a program ended, and what it said. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** A server process of its own. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Everything said so far. */
  stdout(): string;
  stderr(): string;
  /**
   * Sends SIGTERM (or another signal) and waits for the end. Throws what was said where it had
   * ended before.
   */
  stop(signal?: Deno.Signal): Promise<Ended>;
}

/** A program and its first words: in Deno, which is quicker to start than through the launcher. */
const keydeskProgram: readonly string[] = [
  Deno.execPath(),
  "run",
  "-A",
  "--no-prompt",
  mainModule,
];

/** A fresh temporary folder, removed at the end. */
export async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir({ prefix: "keydesk-cli-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** Variables that a program has besides its settings. */
function surroundings(): Record<string, string> {
  const inherited = ["PATH", "HOME", "TMPDIR", "DENO_DIR"].map((name) =>
    [name, Deno.env.get(name) ?? ""] as const
  );
  return { ...Object.fromEntries(inherited.filter(([, value]) => value !== "")), NO_COLOR: "1" };
}

/**
 * Runs `keydesk` with these words and settings to its end; `input`: what it reads on standard
 * input. Here, since that costs a twentieth; only what starts a server has a process.
 */
export function keydesk(
  words: string[],
  settings: Record<string, string>,
  input?: string,
): Promise<Ended> {
  const serves = words[0] === "serve" && !words.includes("--help");
  return serves
    ? keydeskProcess(words, settings, input)
    : runHere(words, { ...surroundings(), ...settings }, input);
}

/** The same as a process of its own. */
export function keydeskProcess(
  words: string[],
  settings: Record<string, string>,
  input?: string,
): Promise<Ended> {
  return run([...keydeskProgram, ...words], {
    env: settings,
    ...input === undefined ? {} : { input },
  });
}

/** Runs a program to its end. The environment holds PATH and HOME besides `env`. */
export async function run(
  command: readonly string[],
  options: { env?: Record<string, string>; cwd?: string; input?: string } = {},
): Promise<Ended> {
  const { input } = options;
  const child = toCommand(command, options, input === undefined ? "null" : "piped").spawn();
  const [{ code, stdout, stderr }] = await Promise.all([
    child.output(),
    // One that ends without reading it all does no harm.
    input === undefined ? null : new Blob([input]).stream().pipeTo(child.stdin).catch(() => {}),
  ]);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/**
 * Starts `keydesk serve` on a free port and waits until it says where. Throws when it ends before
 * that.
 */
export async function startServerProcess(
  settings: Record<string, string>,
  options: { program?: readonly string[]; cwd?: string; words?: readonly string[] } = {},
): Promise<ServerProcess> {
  const env = { KEYDESK_PORT: "0", ...settings };
  const program = options.program ?? keydeskProgram;
  const child = toCommand([...program, "serve", ...options.words ?? []], { env, cwd: options.cwd })
    .spawn();
  const stdout = gather(child.stdout);
  const stderr = gather(child.stderr);
  const ended = async (): Promise<Ended> => {
    const { code } = await child.status;
    await Promise.all([stdout.end, stderr.end]);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  };
  // The banner's last line: the one to paste, or where there is none, the sentence about the
  // credential.
  await stderr.until(/(\/api\/portal\/requests|makes another|--accept-loss).*\n/);
  const url = /listens on (\S+)/.exec(stderr.text())?.[1];
  if (url === undefined) throw new Error(`keydesk serve ended: ${JSON.stringify(await ended())}`);
  const stop = async (signal: Deno.Signal = "SIGTERM") => {
    try {
      child.kill(signal);
    } catch (cause) {
      // What the server said last is what one wants to know.
      throw new Error(`keydesk serve had ended: ${JSON.stringify(await ended())}`, { cause });
    }
    return await ended();
  };
  let over = false;
  return {
    url,
    pid: child.pid,
    stdout: stdout.text,
    stderr: stderr.text,
    stop: (signal) => {
      over = true;
      return stop(signal);
    },
    [Symbol.asyncDispose]: async () => {
      if (!over) await stop();
    },
  };
}

function toCommand(
  [program = "", ...args]: readonly string[],
  options: { env?: Record<string, string>; cwd?: string },
  stdin: "null" | "piped" = "null",
): Deno.Command {
  return new Deno.Command(program, {
    args,
    cwd: options.cwd ?? Deno.cwd(),
    clearEnv: true,
    env: { ...surroundings(), ...options.env },
    stdin,
    stdout: "piped",
    stderr: "piped",
  });
}

/** Collects a stream's text; `until` resolves when it matches, or at its end. */
function gather(stream: ReadableStream<Uint8Array>) {
  let text = "";
  const watchers = new Set<() => void>();
  const look = () => watchers.forEach((watcher) => watcher());
  const end = (async () => {
    const decoder = new TextDecoder();
    for await (const part of stream) {
      text += decoder.decode(part, { stream: true });
      look();
    }
  })();
  return {
    text: () => text,
    end,
    until: (pattern: RegExp) => {
      const matched = new Promise<void>((resolve) => {
        const watcher = () => {
          if (!pattern.test(text)) return;
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
        watcher();
      });
      return Promise.race([matched, end]);
    },
  };
}

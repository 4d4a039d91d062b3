/** The process of a throw-away PostgreSQL and the watcher that ends it. */
import { type Account, environment } from "./postgres-installation.ts";
import type { PostgresSignal } from "./postgres.ts";

/** One life of a server's process, with its watcher. */
export interface Life {
  readonly pid: number;
  running(): boolean;
  /** Ends the server and waits until all of its processes have closed their files. */
  end(signal: PostgresSignal): Promise<void>;
  /**
   * Once the server has ended: waits until the watcher has gone, and with it the server's process
   * id, by which the next server on the same data would take it to be running.
   */
  release(): Promise<void>;
}

/**
 * Leaves a watcher behind, which starts the server and stays. Both are orphans, as Deno can kill
 * its children when it ends, and the server should end in an orderly way. The watcher's standard
 * input is the pipe from the test process: a word says that the server has ended and the watcher
 * may go, and the end of the pipe that the test process is no more. Standard output, after the
 * server's process id, is held open by the server's processes and nobody else, and standard error
 * by the watcher and nobody else: their ends tell the test process when each has gone.
 */
const script = `
folder=$1 template=$2
shift 2
exec 3<&0 </dev/null
(
  (
    exec 2>>"$folder/log" 3<&-
    [ -z "$template" ] || cp -RP "$template" "$folder/data" || exit 1
    exec "$@"
  ) &
  server=$!
  echo $server
  exec >/dev/null
  read -r word <&3 && exit 0
  turn=0 signal=QUIT
  while kill -$signal $server 2>/dev/null; do
    turn=$((turn + 1))
    [ $turn -lt 100 ] || signal=KILL
    sleep 0.1
  done
  turn=0
  until rm -rf "$folder" 2>/dev/null || [ $turn -ge 100 ]; do
    turn=$((turn + 1))
    sleep 0.1
  done
) &
`;

/** How long the system may take to forget a process that has ended. */
const REAPING_MS = 30_000;

/**
 * Starts a server in `folder`, with a copy of `template` as its data unless that is empty, and its
 * watcher.
 */
export async function launch(
  folder: string,
  template: string,
  command: string[],
  account: Account,
): Promise<Life> {
  const child = new Deno.Command("sh", {
    args: ["-c", script, "keydesk-postgres", folder, template, ...command],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    clearEnv: true,
    env: environment,
    cwd: "/",
    // In a session of its own, so that Ctrl-C does not reach the watcher.
    detached: true,
    ...account,
  }).spawn();
  const pipe = child.stdin.getWriter();
  const output = child.stdout.getReader();
  const pid = Number(new TextDecoder().decode((await output.read()).value));
  const { code } = await child.status;
  if (!(pid > 0)) throw new Error(`PostgreSQL's watcher has not started: exit code ${code}`);

  let running = true;
  const ended = (async () => {
    while (!(await output.read()).done);
    running = false;
  })();
  // A process that forgets to stop its server can still come to its end.
  child.unref();
  let released: Promise<void> | undefined;

  return {
    pid,
    running: () => running,
    async end(signal) {
      child.ref();
      try {
        if (running) Deno.kill(pid, signal);
      } catch (error) {
        // It may have ended this very moment.
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
      await ended;
    },
    async release() {
      released ??= (async () => {
        await pipe.write(new TextEncoder().encode("bye\n")).catch(() => {});
        await pipe.close().catch(() => {});
        await child.stderr.pipeTo(new WritableStream());
        await reaped(pid);
      })();
      await released;
    },
  };
}

/** Waits until nothing has this process id any more, not even a process that has ended. */
async function reaped(pid: number): Promise<void> {
  const deadline = Date.now() + REAPING_MS;
  while (true) {
    try {
      Deno.kill(pid, "SIGCONT");
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      throw error;
    }
    if (Date.now() > deadline) throw new Error(`PostgreSQL's process ${pid} does not go away`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The programs of a rehearsal: the stand-in, Keydesk's server, and its commands. */

/** The words that start Keydesk's command line, before a verb. */
export type Keydesk = readonly string[];

/** A program that goes on until it is ended. */
export interface Running extends AsyncDisposable {
  /** What `found` matched in what it said. */
  readonly said: string;
  kill(signal: Deno.Signal): Promise<void>;
}

/**
 * Starts a program and waits until its output, standard or error, matches. Throws where it ends
 * before.
 */
export async function start(
  [program = "", ...args]: readonly string[],
  { env = {}, hears, until }: {
    env?: Record<string, string>;
    hears: "stdout" | "stderr";
    until: RegExp;
  },
): Promise<Running> {
  const child = new Deno.Command(program, {
    args,
    env,
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
    [hears]: "piped",
  }).spawn();
  const [mine, rest] = child[hears].tee();
  let text = "";
  let said: string | undefined;
  for await (const part of mine.pipeThrough(new TextDecoderStream())) {
    text += part;
    said = until.exec(text)?.[1];
    if (said !== undefined) break;
  }
  // Read on, so that it never waits for a reader.
  const heard = rest.pipeTo(new WritableStream()).catch(() => {});
  if (said === undefined) throw new Error(`${program} ended: ${text}`);
  let isOver = false;
  const kill = async (signal: Deno.Signal) => {
    if (!isOver) child.kill(signal);
    isOver = true;
    await child.status;
    await heard;
  };
  return { said, kill, [Symbol.asyncDispose]: () => kill("SIGTERM") };
}

/** How a command ended. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. */
export async function run(
  [program = "", ...args]: readonly string[],
  env: Record<string, string>,
  cwd?: string,
): Promise<Ended> {
  const options = { args, env, stdin: "null" as const, ...cwd === undefined ? {} : { cwd } };
  const { code, stdout, stderr } = await new Deno.Command(program, options).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

/**
 * A disk that fails a running process: its system calls on some files answer with an error until it
 * is mended.
 */
export interface Fault {
  mend(): Promise<void>;
}

/**
 * Lets calls of these names fail with `error` where they concern one of `files`, which must be
 * there. Resolves when the first call after it would fail.
 */
export async function failCalls(
  pid: number,
  names: readonly string[],
  error: string,
  files: readonly string[],
): Promise<Fault> {
  const child = new Deno.Command("strace", {
    args: [
      "-f",
      "-p",
      String(pid),
      "-e",
      `trace=${names.join(",")}`,
      "-e",
      `inject=${names.join(",")}:error=${error}`,
      ...files.flatMap((file) => ["-P", file]),
      "-o",
      "/dev/null",
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const attached = Promise.withResolvers<void>();
  let written = "";
  const read = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      written += text;
      if (/attached/.test(written)) attached.resolve();
    }
    attached.reject(new Error(`strace ended: ${written}`));
  })();
  await attached.promise;
  return {
    mend: async () => {
      try {
        child.kill("SIGINT");
      } catch {
        // The process has ended, and its tracer with it.
      }
      await child.status;
      await read;
    },
  };
}

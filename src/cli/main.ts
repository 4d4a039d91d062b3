import { startWriter } from "../start-writer.ts";

// Not by setting the code alone: a thread that an error left behind would keep the process alive.
run(Deno.args).then((code) => Deno.exit(code));

async function run(words: string[]): Promise<number> {
  if (words.length === 1 && words[0] === "serve") return await serveOnly();
  const { runCommand } = await import("./run-command.ts");
  return await runCommand(words);
}

/**
 * The usual way to start: without the command line's parser, which would stay in memory for good.
 * The writer's thread loads while this one does.
 */
async function serveOnly(): Promise<number> {
  try {
    const isPostgres = ["KEYDESK_DATABASE_URL", "KEYDESK_DATABASE_URL_FILE"]
      .some((name) => Deno.env.get(name));
    const started = isPostgres ? undefined : startWriter();
    const { serve } = await import("./serve.ts");
    await serve(started);
    return 0;
  } catch (error) {
    const { report } = await import("./report.ts");
    return report(error);
  }
}

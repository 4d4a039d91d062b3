import { startWriter } from "../start-writer.ts";

// Not by setting the code alone: a thread that an error left behind would keep the process alive.
Deno.exit(await run(Deno.args));

async function run(args: string[]): Promise<number> {
  try {
    if (args.length === 1 && args[0] === "serve") {
      // The usual way to start: without the command line's parser, which would stay in memory for good. The
      // writer's thread loads while this one does.
      const isPostgres = ["KEYDESK_DATABASE_URL", "KEYDESK_DATABASE_URL_FILE"]
        .some((name) => Deno.env.get(name));
      const started = isPostgres ? undefined : startWriter();
      const { serve } = await import("./serve.ts");
      await serve(started);
    } else {
      const { createProgram } = await import("./program.ts");
      await createProgram().parseAsync(args, { from: "user" });
    }
    return 0;
  } catch (error) {
    const { report } = await import("./report.ts");
    return report(error);
  }
}

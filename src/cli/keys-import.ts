import type { RequestContext } from "../calls/context.ts";
import { importLines, type ImportRun } from "../features/keys/import.service.ts";
import { toTimestamp } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { asOperator } from "./as-operator.ts";
import { counted } from "./counted.ts";
import { type Form, printValues } from "./forms.ts";
import { type Interruption, interruption } from "./interruption.ts";
import { type FileLine, linesOf } from "./json-lines.ts";
import { OperatorError } from "./operator-error.ts";
import { ProgressBar } from "./progress-bar.ts";
import { terminal } from "./terminal.ts";

/** Lines of one transaction. */
const CHUNK = 500;

export interface ImportCommand {
  dryRun?: boolean;
  allowMurmur?: boolean;
  /** Milliseconds since 1970. */
  murmurUntil?: number;
  form?: Form;
}

interface Summary {
  lines: number;
  added: number;
  exists: number;
  refused: number;
}

/**
 * `keydesk keys import`. Throws OperatorError when anything was refused or it was interrupted,
 * after everything that could be taken is in; what is in stays in.
 */
export async function importKeyFile(file: string, options: ImportCommand): Promise<void> {
  await asOperator(async (ctx) => {
    const now = ctx.clock.now();
    if (options.murmurUntil !== undefined && options.murmurUntil <= now) {
      throw new OperatorError("--murmur-until: expected a day to come");
    }
    const run: ImportRun = {
      import_id: newId(now),
      dryRun: options.dryRun ?? false,
      murmurUntil: options.murmurUntil === undefined ? null : toTimestamp(options.murmurUntil),
    };
    const { stream, size } = await open(file);
    const interrupt = interruption();
    const bar = new ProgressBar(size);
    try {
      const summary = await importAll(ctx, run, linesOf(stream), bar, file, interrupt);
      bar.end();
      report(summary, options);
      if (interrupt.asked) {
        throw new OperatorError("interrupted; what is in stays in, run it again for the rest");
      }
      if (summary.refused > 0) {
        const rest = run.dryRun ? "nothing was written" : "all else is kept";
        throw new OperatorError(`${summary.refused} refused, see above; ${rest}`);
      }
    } finally {
      bar.end();
      interrupt.stop();
    }
  });
}

async function importAll(
  ctx: RequestContext,
  run: ImportRun,
  lines: AsyncIterable<FileLine>,
  bar: ProgressBar,
  file: string,
  interrupt: Interruption,
): Promise<Summary> {
  const summary: Summary = { lines: 0, added: 0, exists: 0, refused: 0 };
  const importChunk = async (chunk: readonly FileLine[]) => {
    for (const one of await importLines(ctx, run, chunk)) {
      summary.lines++;
      summary[one.result]++;
      if (one.result === "refused") bar.say(`${file}:${one.line}: ${one.reason}`);
    }
    bar.add(chunk.reduce((sum, { bytes }) => sum + bytes, 0));
    // The terminal's signals are delivered between two turns of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  let chunk: FileLine[] = [];
  for await (const line of lines) {
    chunk.push(line);
    if (chunk.length < CHUNK) continue;
    await importChunk(chunk);
    chunk = [];
    if (interrupt.asked) return summary;
  }
  if (chunk.length > 0) await importChunk(chunk);
  return summary;
}

/** The file, or standard input for "-", whose size no one knows. */
async function open(
  file: string,
): Promise<{ stream: ReadableStream<Uint8Array>; size: number }> {
  if (file === "-") return { stream: terminal().input, size: Infinity };
  try {
    const handle = await Deno.open(file);
    const { size, isDirectory } = await handle.stat();
    if (!isDirectory) return { stream: handle.readable, size };
    handle.close();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      throw new OperatorError(`${file}: there is no such file`);
    }
    if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
      throw new OperatorError(`${file}: may not be read`);
    }
    throw error;
  }
  throw new OperatorError(`${file}: is a folder`);
}

async function report(
  { lines, added, exists, refused }: Summary,
  options: ImportCommand,
): Promise<void> {
  if (options.form) return await printValues([{ lines, added, exists, refused }], options.form);
  const verb = options.dryRun ? "would be added" : "added";
  terminal().out(
    `${counted(lines, "key")}: ${added} ${verb}, ${exists} known already, ${refused} refused`,
  );
}

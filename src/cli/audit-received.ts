import type { ServiceContext } from "../calls/context.ts";
import { originOf } from "../maintenance/audit-log/leaf.ts";
import { NotProvable, type NumberedLine } from "../maintenance/audit-log/verify-file.ts";
import {
  compareReceived,
  isReceived,
  readReceived,
  type ReceivedLog,
} from "../maintenance/audit-log/verify-received.ts";
import { auditLogOrganisations } from "../maintenance/audit-log/log-reading.store.ts";
import { counted } from "./counted.ts";
import { type Form, printValues } from "./forms.ts";
import { linesOf } from "./json-lines.ts";
import { withStore } from "./open-store.ts";
import { fileProblem, OperatorError, reasonOf } from "./operator-error.ts";
import { organisationOf } from "./organisation.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** Whether a file is that of a receiver of the audit log's rows, and not an export. */
export async function isOfReceiver(file: string): Promise<boolean> {
  try {
    return await isReceived(linesFrom(file));
  } catch (error) {
    // A reader of it as an export names the line.
    if (error instanceof NotProvable) return false;
    throw error;
  }
}

/** Tells which rows a receiver has; the store says which there are. */
export async function verifyReceived(
  file: string,
  options: { organisation?: string; form?: Form },
): Promise<void> {
  const received = await readReceived(linesFrom(file));
  let wrong = received.torn.length;
  await withStore(async (ctx) => {
    for (const org_id of await named(ctx, options)) {
      const log = await compareReceived(ctx.storage.reader, org_id, received);
      wrong += log.missing.count + log.changed.count + log.unknown.count;
      await (options.form ? printValues([log], options.form) : print(receivedText(log)));
    }
  }, { reads: true });
  if (received.torn.length > 0) {
    const lines = received.torn.slice(0, 10).join(", ");
    terminal().err(`${counted(received.torn.length, "line")} with a row that was cut: ${lines}`);
  }
  if (wrong > 0) throw new OperatorError(counted(wrong, "finding"));
}

function receivedText(log: ReceivedLog): string {
  const { there, doubled, waiting, missing, changed, unknown } = log;
  const of = (what: string, { count, ids }: ReceivedLog["missing"]) =>
    count === 0
      ? []
      : [`${count} ${what}: ${ids.slice(0, 10).join(", ")}${count > 10 ? " …" : ""}`];
  const lines = [
    `${there} rows are there as they were written, ${doubled} of them more than once`,
    ...waiting > 0 ? [`${waiting} rows are on their way`] : [],
    ...of("missing", missing),
    ...of("changed", changed),
    ...of("that this store does not have", unknown),
  ];
  return `${originOf(log.org_id)}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

/** Rows may be long: a detail can hold what was before and after. */
const LONGEST_LINE = 4 * 1024 * 1024;

/** The lines of a file. Throws OperatorError, and NotProvable for a line that is too long. */
export async function* linesFrom(file: string): AsyncGenerator<NumberedLine, void, void> {
  const opened = await Deno.open(file).catch((error) => {
    throw new OperatorError(`${file}: ${fileProblem(error) ?? reasonOf(error)}`, { cause: error });
  });
  for await (const one of linesOf(opened.readable, LONGEST_LINE)) {
    if ("reason" in one) throw new NotProvable(`line ${one.line} ${one.reason}`);
    yield one;
  }
}

/** The organisations that a command is about: the one that is named, or all. */
export async function named(
  ctx: ServiceContext,
  { organisation }: { organisation?: string },
): Promise<string[]> {
  return organisation === undefined
    ? await auditLogOrganisations(ctx.storage.reader)
    : [await organisationOf(ctx, { organisation })];
}

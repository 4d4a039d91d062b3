import { type Command, InvalidArgumentError } from "commander";
import { Failure } from "../client/failure.ts";
import { isShowable, LONGEST_KEY } from "../features/hygiene/leaks/leaks.contract.ts";
import { reportAsOperator } from "../features/hygiene/leaks/leaks.service.ts";
import { LONGEST_PUBLIC_BODY } from "../kernel/input-limits.ts";
import { asOperator } from "./as-operator.ts";
import { configFromEnvironment } from "./environment.ts";
import { linesOf } from "./json-lines.ts";
import { OperatorError } from "./operator-error.ts";
import { announcedServer } from "./chosen-server.ts";
import { type Form, printValues } from "./forms.ts";
import { plainHttpProblem } from "./server-access.ts";
import { clientFor } from "./server-client.ts";
import { contextOption } from "./server-options.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

interface ReportOptions {
  foundAt?: string;
  url?: string;
  context?: string;
  insecureHttp?: boolean;
  form?: Form;
}

/** `keydesk leaks report`. */
export function addLeaksCommands(program: Command): void {
  const leaks = program.command("leaks").description("keys and access tokens that leaked");
  touching(leaks.command("report"), {
    onServer: true,
    "--url": "net",
    "--context": "context",
  })
    .description("report keys and access tokens that were found, one a line of standard input")
    .option("--found-at <place>", "where they were found", toPlace)
    .option("--url <url>", "report to this server instead of the local store (KEYDESK_URL)")
    .option(...contextOption)
    .option("--insecure-http", "send them over plain http to another host too")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Keys are never arguments, because every process of the machine can read those. Write a user name or an
OAuth client with its secret: name:secret. The server marks known keys within seconds, and suspends or
revokes them if their plan says so. Unknown ones are not kept.

The local store takes reports even with KEYDESK_LEAK_REPORTS=off. At a server no access token is needed.

Example:
  keydesk leaks report --found-at https://example.org/repository/.env <found.txt`,
    )
    .action(report);
}

type Texts = { keys: string[]; url?: string };
type Take = (texts: Texts) => Promise<{ received: number }>;

async function report(options: ReportOptions): Promise<void> {
  const config = configFromEnvironment();
  const { url: server, context } = await announcedServer(options, config);
  if (server === undefined) {
    return await asOperator((ctx) => sendAll(options, (texts) => reportAsOperator(ctx, texts)));
  }
  const isInsecure = options.insecureHttp ?? context?.insecure_http;
  const refused = isInsecure ? undefined : plainHttpProblem(server, "what is reported");
  if (refused !== undefined) throw new OperatorError(refused);
  const { client, explained } = clientFor(server);
  await sendAll(options, async (body) => {
    try {
      return await client.reportLeaks({ body });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "unknown_path") throw explained(error);
      throw new OperatorError(`${new URL(server).origin} takes no reports (unknown_path)`, {
        cause: error,
      });
    }
  });
}

/**
 * Gives all lines on, as many at once as a call takes. Throws OperatorError after all others where
 * one was refused.
 */
async function sendAll({ foundAt, form }: ReportOptions, take: Take): Promise<void> {
  const place = foundAt === undefined ? {} : { url: foundAt };
  let [received, refused] = [0, 0];
  let keys: string[] = [];
  const flush = async () => {
    if (keys.length > 0) received += (await take({ keys, ...place })).received;
    keys = [];
  };
  try {
    for await (const line of linesOf(terminal().input, LONGEST_PUBLIC_BODY)) {
      const reason = "reason" in line
        ? line.reason
        : line.text.length > LONGEST_KEY
        ? `is longer than ${LONGEST_KEY} characters`
        : undefined;
      if (reason !== undefined) {
        terminal().err(`line ${line.line}: ${reason}`);
        refused++;
      } else if ("text" in line) {
        if (
          keys.length === MOST ||
          bytesOf({ keys: [...keys, line.text], ...place }) > LONGEST_PUBLIC_BODY
        ) {
          await flush();
        }
        keys.push(line.text);
      }
    }
    await flush();
  } catch (error) {
    if (received > 0) terminal().err(`The first ${received} are reported.`);
    throw error;
  }
  if (form) await printValues([{ received }], form);
  else terminal().err(`${received} reported.`);
  if (refused > 0) throw new OperatorError(`${refused} refused, see above`);
  if (received === 0) throw new OperatorError("standard input holds nothing to report");
}

/** Texts of one call. */
const MOST = 100;

function bytesOf(texts: Texts): number {
  return new TextEncoder().encode(JSON.stringify(texts)).length;
}

function toPlace(text: string): string {
  if (isShowable(text)) return text;
  throw new InvalidArgumentError(
    "Expected up to 2048 characters, none of them a control character.",
  );
}

import { type Command } from "commander";
import type { Config } from "../config.ts";
import { findFirstOrganisation } from "../features/people/organisations.store.ts";
import { Failure } from "../kernel/failure.ts";
import { urlOf } from "./first-steps.ts";
import { type Form, printValues } from "./forms.ts";
import { withStore } from "./open-store.ts";
import { consoleUrl, signInLink } from "./sign-in-link.ts";
import { terminal } from "./terminal.ts";

/** `keydesk console`. */
export function addConsoleCommand(program: Command): void {
  program.command("console")
    .description("print a link that signs a browser in, once, within ten minutes")
    .option(
      "--as <id>",
      "an access token's or a person's: whom it signs in; default: the first administrator",
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
\`keydesk token list\` shows the ids of access tokens. The first to open the link is signed in by it,
whatever the organisation says of its ways to sign in: so comes back who has lost every passkey,
or the phone with their one-time codes.

Examples:
  keydesk console
  keydesk console --as 66f0a1b2c3d4e5f601234567`,
    )
    .action(printLink);
}

async function printLink(options: { as?: string; form?: Form }): Promise<void> {
  await withStore(async (ctx, config) => {
    const first = await findFirstOrganisation(ctx.storage.reader);
    if (!first) {
      throw new Failure("not_found", { message: "The store is empty: start the server once." });
    }
    const link = await signInLink(ctx, first.id, addressOf(config), options.as);
    if (link === undefined) {
      throw new Failure("not_found", {
        message: "No administrator is in force; name another person with --as <id>.",
      });
    }
    if (options.form) return await printValues([{ link }], options.form);
    terminal().err("It signs in once, within ten minutes:");
    terminal().out(link);
  });
}

/** The address of the server by the settings. */
function addressOf({ PUBLIC_URL, HOST, PORT }: Config): string {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL;
  if (PORT !== 0) return consoleUrl(undefined, urlOf(HOST, PORT));
  throw new Failure("invalid_input", {
    message: "KEYDESK_PORT is 0, so the address is not known: set KEYDESK_PUBLIC_URL to it.",
  });
}

import { type Command, Option } from "commander";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { printObject } from "./listing.ts";
import { print } from "./standard-output.ts";
import { printable } from "./table.ts";

/** `keydesk alerts why`. */
export function addAlertsCommands(program: Command): void {
  const alerts = program.command("alerts")
    .description("who is told that certificates and keys end")
    .addHelpText(
      "after",
      `
Examples:
  keydesk alerts why 65b0c1d2e3f4a5b6c7d8e9f0…    a certificate, by its id
  keydesk alerts why --key 5f2a…                  a key, by its key id`,
    );
  withDeskOptions(alerts.command("why <id>"))
    .description("say why nothing was sent about the end of a certificate or key, or what was")
    .addOption(new Option("--key", "the id is a key's").conflicts("certificate"))
    .addOption(
      new Option("--certificate", "the id is a certificate's; the default for 88 characters"),
    )
    .option("--json", "print JSON")
    .action(why);
}

/**
 * Characters of a certificate's id: its organisation's and its fingerprint. A key's id has 64 at
 * the most.
 */
const CERTIFICATE_ID = 88;

async function why(
  id: string,
  options: DeskOptions & { key?: boolean; certificate?: boolean; json?: boolean },
): Promise<void> {
  const isKey = options.key ?? (!options.certificate && id.length < CERTIFICATE_ID);
  await atDesk(options, async ({ client }) => {
    const report = await forOne(
      isKey ? "key" : "certificate",
      id,
      () => isKey ? client.getKeyAlerts({ key_id: id }) : client.getCertificateAlerts({ id }),
    );
    if (options.json) return await printObject(report, options);
    const rules = report.rules.filter(({ result }) => result !== "not_reached")
      .map(({ rule, result, says }) => `  ${result === "passed" ? "ok" : "=>"} ${rule}: ${says}\n`);
    await print(printable(`${report.title}\n${report.answer}\n${rules.join("")}`));
  });
}

import { type Command, Option } from "commander";
import type { Migration } from "../client/operations.ts";
import { reasonNames } from "../contract/denied-call-words.ts";
import { withClient } from "./with-client.ts";
import { counted } from "./counted.ts";
import { type Form, printValues } from "./forms.ts";
import { type ServerOptions, withServerOptions } from "./server-options.ts";
import { printTable } from "./table.ts";
import { terminal } from "./terminal.ts";
import { touching } from "./touched.ts";

interface Options extends ServerOptions {
  mails?: string;
  language: "en" | "de";
  form?: Form;
}

/** `keydesk import migration-report`. */
export function addMigrationReportCommand(moving: Command): void {
  touching(withServerOptions(moving.command("migration-report")), { "--mails": "write" })
    .description("how far a move is: what an old gateway still decides, and whether it can go")
    .option("--mails <file>", "write mails to the holders of keys never seen, as a draft")
    .addOption(
      new Option("--language <language>", "of those mails").choices(["en", "de"]).default("en"),
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
The gateway's plugin observe.js reports the calls that it decides. --mails sends nothing: it writes one
mail a line into the file, as a JSON object.

Examples:
  keydesk import migration-report
  keydesk import migration-report --mails never-seen.jsonl --language de`,
    )
    .action(print);
}

async function print({ mails, language, form, ...options }: Options): Promise<void> {
  await withClient(options, async ({ client }) => {
    if (mails !== undefined) {
      const { data, without_address, more } = await client.draftMigrationMails({ language });
      await Deno.writeTextFile(mails, data.map((one) => `${JSON.stringify(one)}\n`).join(""), {
        mode: 0o600,
      });
      const further = more ? " There are further keys." : "";
      return terminal().err(
        `${counted(data.length, "mail")} in the file, nothing is sent; ${
          counted(without_address.length, "key")
        } without a recipient.${further}`,
      );
    }
    const report = await client.getMigration();
    if (form) return await printValues([report], form);
    if (!report.connected) {
      return terminal().err("No old gateway is connected, and shadow mode was never used.");
    }
    printShares(report);
    printSafety(report);
  });
}

/** Prints who decided in the last days, of all calls and by plan. */
function printShares(report: Migration): void {
  const { out } = terminal();
  printTable(
    report.shares.map(({ days, in_keydesk: here, at_gateway: there }) => ({
      days: String(days),
      "decided in Keydesk": share(here, there),
      "in Keydesk": String(here),
      "at the gateway": String(there),
    })),
    "nothing",
  );
  out("");
  // Of a day on which nothing was observed no one knows what was decided there.
  const isKnown = report.since !== null && report.since <= (report.days.at(-1)?.date ?? "");
  printTable(
    report.plans.map((plan) => ({
      plan: plan.name,
      keys: String(plan.keys),
      "decided in Keydesk": isKnown ? share(plan.in_keydesk, plan.at_gateway) : "",
      "at the gateway": String(plan.at_gateway),
      "last there": plan.last_at_gateway?.slice(0, 10) ?? "",
      differs: plan.allowed_at_gateway_only.map(({ reason, calls }) =>
        `${reasonNames[reason]}: ${calls}`
      ).join(", "),
      switch: plan.decided,
      safe: plan.safe ? "yes" : plan.safe_on ?? "no",
    })),
    "no plan has keys",
  );
  out("");
}

/** Prints what may be switched off, and what speaks against it. */
function printSafety(report: Migration): void {
  const { out } = terminal();
  const { keys, lazy_migrations, plans, safe_plans, unknown, all_safe_on } = report;
  out(
    `Switching off is safe for ${keys.safe} of ${counted(keys.all, "key")}, on ${safe_plans} of ${
      counted(plans.length, "plan")
    }.`,
  );
  out(
    `${
      counted(keys.at_gateway_yesterday, "key")
    } called the old gateway yesterday; never seen at either: ${keys.never_seen}.`,
  );
  for (const { gateway_name, on, ends_at, migrated, waiting, alarms } of lazy_migrations) {
    const lines = [
      `${counted(migrated, "key")} migrated from ${gateway_name || "a gateway that is gone"}`,
      on ? `until ${ends_at}` : "which is over",
      ...waiting > 0 ? [`${waiting} to be asked about anew`] : [],
      ...alarms > 0 ? [counted(alarms, "alarm")] : [],
    ];
    out(`${lines.join(", ")}.`);
  }
  if (unknown.opened > 0) {
    out(
      `It allowed ${
        counted(unknown.opened, "call")
      } in 7 days with keys that Keydesk does not know.`,
    );
  }
  if (!report.reports) {
    out("It never says that it let a call in: is the plugin's second hook set?");
  }
  if (all_safe_on !== null) {
    out(`If all goes on as in the last 7 days: all safe by ${all_safe_on}.`);
  }
}

/** Rounded down, so that only all is 100 %. */
function share(here: number, there: number): string {
  if (here + there === 0) return "";
  return `${(Math.floor(here / (here + there) * 1000) / 10).toFixed(1)} %`;
}

import type { Command } from "commander";
import { atDesk } from "./at-desk.ts";
import { type DeskOptions, withDeskOptions } from "./desk-options.ts";
import { forEach, forOne } from "./each.ts";
import { printObject } from "./listing.ts";
import { keyOf, keysOf } from "./named.ts";
import { toCount } from "./requests.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** `keydesk keys suspend|resume|schedule|keep|elsewhere`. */
export function addUnusedKeysCommands(
  keys: Command,
  toReason: (text: string) => string,
): void {
  const saidWhy = "kept with the key and in the audit log";
  withDeskOptions(keys.command("suspend <id...>"))
    .description("suspend keys by their ids, or the beginnings of those")
    .requiredOption("--reason <text>", saidWhy, toReason)
    .option("--minutes <n>", "resume them by themselves after so long, up to a day", toCount)
    .option("--json", "print one JSON object a line")
    .action(suspend);
  withDeskOptions(keys.command("resume <id...>"))
    .description("let suspended keys open again")
    .requiredOption("--reason <text>", saidWhy, toReason)
    .option("--json", "print one JSON object a line")
    .action(resume);
  withDeskOptions(keys.command("schedule <id>"))
    .description("show what comes next for a key by itself, and who tried it since it is suspended")
    .option("--json", "print JSON")
    .action(show);
  withDeskOptions(keys.command("keep <id...>"))
    .description("say that unused keys are needed: what their schedule has done is undone")
    .option("--reason <text>", "kept in the audit log", toReason)
    .option("--json", "print one JSON object a line")
    .action(keep);
  withDeskOptions(keys.command("elsewhere"))
    .argument("<id>", "the key's id, or its beginning")
    .addArgument(keys.createArgument("<answer>", "yes, no, or unsaid").choices(ANSWERS))
    .description("say whether doors that do not ask Keydesk open for a key: it is then left alone")
    .option("--json", "print JSON")
    .action(elsewhere);
}

const ANSWERS = ["yes", "no", "unsaid"];

type Many = { json?: boolean } & DeskOptions;

async function suspend(
  ids: readonly string[],
  { reason, minutes, json, ...options }: Many & { reason: string; minutes?: number },
): Promise<void> {
  await atDesk(
    options,
    async ({ client }) =>
      forEach("key", await keysOf(client, ids), "suspended", async (key_id) => {
        const body = { reason, minutes };
        const key = await client.suspendKey({ key_id, body }, { idempotencyKey: true });
        const until = minutes === undefined ? "" : ` for ${minutes} min`;
        if (json) await print(`${JSON.stringify(key)}\n`);
        else terminal().err(`Key ${key_id} is suspended${until}.`);
      }),
  );
}

async function resume(
  ids: readonly string[],
  { reason, json, ...options }: Many & { reason: string },
): Promise<void> {
  await atDesk(
    options,
    async ({ client }) =>
      forEach("key", await keysOf(client, ids), "resumed", async (key_id) => {
        const key = await client.resumeKey({ key_id, body: { reason } }, { idempotencyKey: true });
        if (json) await print(`${JSON.stringify(key)}\n`);
        else terminal().err(`Key ${key_id} is ${key.state} again.`);
      }),
  );
}

async function keep(
  ids: readonly string[],
  { reason, json, ...options }: Many & { reason?: string },
): Promise<void> {
  await atDesk(
    options,
    async ({ client }) =>
      forEach("key", await keysOf(client, ids), "kept", async (key_id) => {
        const key = await client.keepKey({ key_id, body: { reason } }, { idempotencyKey: true });
        if (json) await print(`${JSON.stringify(key)}\n`);
        else {terminal().err(
            `Key ${key_id} is ${key.state}, and its days without a use begin anew.`,
          );}
      }),
  );
}

async function show(word: string, options: Many): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const key_id = await keyOf(client, word);
    const schedule = await forOne("key", key_id, () => client.getKeySchedule({ key_id }));
    await printObject(schedule, options);
  });
}

async function elsewhere(word: string, answer: string, options: Many): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const key_id = await keyOf(client, word);
    const body = answer === "unsaid" ? {} : { elsewhere: answer === "yes" };
    const set = () => client.setKeyElsewhere({ key_id, body });
    const schedule = await forOne("key", key_id, set);
    if (options.json) await print(`${JSON.stringify(schedule)}\n`);
    else {terminal().err(
        `Key ${key_id} ${schedule.elsewhere.opens ? "opens" : "does not open"} elsewhere.`,
      );}
  });
}

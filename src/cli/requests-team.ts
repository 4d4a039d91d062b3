import { atDesk } from "./at-desk.ts";
import type { DeskOptions } from "./desk-options.ts";
import { forEach } from "./each.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** `keydesk requests assign`. */
export async function assignRequests(
  ids: readonly string[],
  options: { to: string; json?: boolean } & DeskOptions,
): Promise<void> {
  const { to, json } = options;
  const body = { assignee: to };
  await atDesk(options, ({ client }) =>
    forEach("key request", ids, "assigned", async (id) => {
      const request = await client.assignKeyRequest({ id, body });
      if (json) await print(`${JSON.stringify(request)}\n`);
      else {
        const whose = request.assignee?.name ?? "nobody";
        terminal().err(`Key request ${id} is assigned to ${whose}.`);
      }
    }));
}

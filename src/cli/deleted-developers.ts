import { atDesk } from "./at-desk.ts";
import type { DeskOptions } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { type ListOptions, printList } from "./listing.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** `keydesk developers deleted`. */
export async function listDeletedDevelopers(options: ListOptions & DeskOptions): Promise<void> {
  await atDesk(
    options,
    ({ client }) =>
      printList((place) => client.listDeletedDevelopers(place), options, {
        head: ["ID", "DELETED", "UNTIL", "KEYS", "DELETION", "E-MAIL"],
        widths: [24, 10, 10, 5, 24],
        cells: (one) => [
          one.id,
          one.deleted_at.slice(0, 10),
          one.until.slice(0, 10),
          String(one.keys),
          one.deletion,
          one.email,
        ],
        empty: "There is nobody who can be brought back.",
      }),
  );
}

/** `keydesk developers restore`. */
export async function restoreDeveloper(
  id: string,
  { deletion, json, ...options }: { deletion?: string; json?: boolean } & DeskOptions,
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const input = { id, body: deletion === undefined ? {} : { deletion } };
    const call = { idempotencyKey: true } as const;
    const back = await forOne("developer", id, () => client.restoreDeveloper(input, call));
    if (json) await print(`${JSON.stringify(back)}\n`);
    else terminal().err(`Developer ${id} is back, with ${back.keys} keys.`);
  });
}

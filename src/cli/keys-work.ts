import type { Key } from "../client/operations.ts";
import { atDesk } from "./at-desk.ts";
import type { DeskOptions } from "./desk-options.ts";
import { forEach, forOne } from "./each.ts";
import { keyLines } from "./key-lines.ts";
import { keyNotes } from "./key-notes.ts";
import { type ListOptions, printList } from "./listing.ts";
import { deliver, print } from "./standard-output.ts";

/** What `keydesk keys list` is called with. */
export interface KeyListOptions extends ListOptions {
  developer?: string;
  plan?: string;
  state?: "active" | "suspended" | "revoked" | "expired";
}

/** `keydesk keys list`. */
export async function listKeyRows(options: KeyListOptions & DeskOptions): Promise<void> {
  const { developer, plan, state } = options;
  await atDesk(
    options,
    ({ client }) =>
      printList((place) => client.listKeys({ ...place, developer, plan, state }), options, {
        head: [
          "MASK",
          "STATE",
          "KIND",
          "CREATED",
          "EXPIRES",
          "LEAKED",
          "DEVELOPER",
          "PLANS",
          "KEY ID",
        ],
        widths: [26, 9, 5, 10, 10, 10, 24, 24],
        cells,
        empty: "There is no key that matches.",
      }),
  );
}

/** `keydesk keys issue`. */
export async function issueKey(
  developer: string,
  plans: string[],
  options: { json?: boolean } & DeskOptions,
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const input = { id: developer, body: { plans } };
    const issued = await forOne(
      "developer",
      developer,
      () => client.issueKey(input, { idempotencyKey: true }),
    );
    const remedy = `revoke key ${issued.key_id} and issue another`;
    if (!options.json) console.error(`Key ${issued.key_id} of ${developer} is shown this once:`);
    const lines = options.json ? [JSON.stringify(issued)] : keyLines(issued);
    await deliver(lines.map((line) => `${line}\n`).join(""), remedy);
    const notes = keyNotes(client);
    await notes.ofPlans(plans);
    await notes.ofDeveloper(developer);
  });
}

/** `keydesk keys revoke`. */
export async function revokeKeys(
  ids: readonly string[],
  options: { reason: string; json?: boolean } & DeskOptions,
): Promise<void> {
  const { reason, json } = options;
  await atDesk(options, ({ client }) =>
    forEach("key", ids, "revoked", async (key_id) => {
      const revoked = await client.revokeKey({ key_id, body: { reason } }, {
        idempotencyKey: true,
      });
      if (json) await print(`${JSON.stringify(revoked)}\n`);
      else console.error(`Key ${key_id} is revoked.`);
    }));
}

function cells(key: Key): string[] {
  return [
    key.mask,
    key.state,
    key.kind,
    key.created.slice(0, 10),
    key.expires_at?.slice(0, 10) ?? "-",
    key.leaked?.reported_at.slice(0, 10) ?? "-",
    key.developer_id,
    key.plans.join(" "),
    key.key_id,
  ];
}

import type { Key } from "../client/operations.ts";
import { keyFilters } from "../contract/list-filters.ts";
import { atDesk } from "./at-desk.ts";
import { wholeLink } from "./claim-link.ts";
import type { DeskOptions } from "./desk-options.ts";
import { type FilterOptions, filterQuery } from "./filters.ts";
import { forEach, forOne } from "./each.ts";
import { keyLines } from "./key-lines.ts";
import { keyNotes } from "./key-notes.ts";
import { type ListOptions, printList } from "./listing.ts";
import { developerOf, keyOf, keysOf, plansOf } from "./named.ts";
import { deliver, print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** What a key is called and filed under, as commands take it. */
interface LabelOptions {
  name?: string;
  environment?: string;
  note?: string;
  tag?: string[];
}

/** `keydesk keys list`. */
export async function listKeyRows(
  options: ListOptions & FilterOptions & DeskOptions,
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const query = await filterQuery(client, keyFilters, options);
    await printList((place) => client.listKeys({ ...place, ...query }), options, {
      head: [
        "MASK",
        "NAME",
        "ENVIRONMENT",
        "STATE",
        "KIND",
        "CREATED",
        "EXPIRES",
        "LEAKED",
        "DEVELOPER",
        "PLANS",
        "KEY ID",
      ],
      widths: [26, 24, 12, 9, 5, 10, 10, 10, 24, 24],
      extra: ["KIND", "CREATED", "LEAKED", "PLANS", "ENVIRONMENT", "EXPIRES", "NAME"],
      cells,
      empty: "There is no key that matches.",
    });
  });
}

/** `keydesk keys issue`. */
export async function issueKey(
  toWhom: string,
  forPlans: string[],
  options:
    & { claim?: boolean; json?: boolean; expiresAt?: string; reason?: string }
    & LabelOptions
    & DeskOptions,
): Promise<void> {
  await atDesk(options, async ({ client, address }) => {
    const { name, environment, note, tag: tags, expiresAt: expires_at, reason } = options;
    const developer = await developerOf(client, toWhom);
    const plans = await plansOf(client, forPlans);
    const body = {
      plans,
      expires_at,
      reason,
      name,
      environment,
      note,
      tags,
      deliver: options.claim ? "one_time_link" as const : "answer" as const,
    };
    const input = { id: developer, body };
    const issued = await forOne(
      "developer",
      developer,
      () => client.issueKey(input, { idempotencyKey: true }),
    );
    const remedy = `revoke key ${issued.key_id} and issue another`;
    const link = issued.one_time_link && wholeLink(issued.one_time_link, address);
    if (!options.json) {
      terminal().err(
        link
          ? `Key ${issued.key_id} of ${developer} is issued. The link hands it over once, until ${link.expires_at}:`
          : `Key ${issued.key_id} of ${developer} is shown this once:`,
      );
    }
    const lines = options.json
      ? [JSON.stringify(link ? { ...issued, one_time_link: link } : issued)]
      : link
      ? [link.link]
      : keyLines(issued);
    await deliver(lines.map((line) => `${line}\n`).join(""), remedy);
    const notes = keyNotes(client);
    await notes.ofPlans(plans);
    await notes.ofDeveloper(developer);
  });
}

/** `keydesk keys label`. What no option names stays as it is. */
export async function labelKey(
  word: string,
  options: LabelOptions & { json?: boolean } & DeskOptions,
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const key_id = await keyOf(client, word);
    const set = async () => {
      const key = await client.getKey({ key_id });
      const body = {
        name: options.name ?? key.name,
        environment: options.environment ?? key.environment,
        note: options.note ?? key.note,
        // One empty text takes all of them away.
        tags: (options.tag ?? key.tags).filter((tag) => tag !== ""),
      };
      // What somebody else sets meanwhile is not lost.
      return await client.setKeyLabels({ key_id, body }, { ifMatch: `"${key.revision}"` });
    };
    const key = await forOne("key", key_id, set);
    if (options.json) await print(`${JSON.stringify(key)}\n`);
    else terminal().err(`Key ${key_id} has its new labels.`);
  });
}

/** `keydesk keys revoke`. */
export async function revokeKeys(
  ids: readonly string[],
  options: { reason: string; json?: boolean } & DeskOptions,
): Promise<void> {
  const { reason, json } = options;
  await atDesk(
    options,
    async ({ client }) =>
      forEach("key", await keysOf(client, ids), "revoked", async (key_id) => {
        const revoked = await client.revokeKey({ key_id, body: { reason } }, {
          idempotencyKey: true,
        });
        if (json) await print(`${JSON.stringify(revoked)}\n`);
        else terminal().err(`Key ${key_id} is revoked${undoOf(revoked)}.`);
      }),
  );
}

/** Until when a revoked key can be brought back, in words. */
function undoOf({ undo }: Key): string {
  return undo === null ? " for good" : `, and can be brought back until ${undo.until}`;
}

/** `keydesk keys restore`. */
export async function restoreKeys(
  ids: readonly string[],
  options: { reason: string; json?: boolean } & DeskOptions,
): Promise<void> {
  const { reason, json } = options;
  await atDesk(
    options,
    async ({ client }) =>
      forEach("key", await keysOf(client, ids), "brought back", async (key_id) => {
        const key = await client.restoreKey({ key_id, body: { reason } }, { idempotencyKey: true });
        if (json) await print(`${JSON.stringify(key)}\n`);
        else terminal().err(`Key ${key_id} is ${key.state} again.`);
      }),
  );
}

function cells(key: Key): string[] {
  return [
    key.mask,
    key.name || "-",
    key.environment || "-",
    key.denied ?? key.state,
    key.kind,
    key.created.slice(0, 10),
    key.expires_at?.slice(0, 10) ?? "-",
    key.leaked?.reported_at.slice(0, 10) ?? "-",
    key.developer_id,
    key.plans.join(" "),
    key.key_id,
  ];
}

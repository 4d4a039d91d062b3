import * as service from "../features/keys/keys.service.ts";
import { type KeyPage, listKeys, type ListQuery } from "../features/keys/list-keys.service.ts";
import type { Key } from "../features/keys/show-key.ts";
import { Failure } from "../kernel/failure.ts";
import { asOperator } from "./certs-context.ts";
import { OperatorError } from "./operator-error.ts";
import { print } from "./standard-output.ts";
import { tableLine } from "./table.ts";

/** Keys read at once. */
const PAGE = 100;

/** `keydesk keys list`. */
export async function listKeyRows(
  options: Pick<ListQuery, "developer" | "plan" | "state"> & { json?: boolean },
): Promise<void> {
  const { json, ...filters } = options;
  await asOperator(async (ctx) => {
    let isEmpty = true;
    let cursor: string | null | undefined = undefined;
    while (cursor !== null) {
      const page: KeyPage = await listKeys(ctx, { ...filters, limit: PAGE, cursor });
      cursor = page.next_cursor;
      if (page.data.length === 0) continue;
      if (isEmpty && !json) await print(`${tableLine(HEAD, WIDTHS)}\n`);
      isEmpty = false;
      const rows = page.data.map((key) =>
        json ? JSON.stringify(key) : tableLine(cells(key), WIDTHS)
      );
      await print(rows.map((row) => `${row}\n`).join(""));
    }
    if (isEmpty && !json) console.log("There is no key that matches.");
  });
}

/** `keydesk keys revoke`. */
export async function revokeKeys(
  ids: readonly string[],
  options: { reason: string },
): Promise<void> {
  await asOperator(async (ctx) => {
    let failed = 0;
    for (const id of ids) {
      try {
        await service.change(ctx, id, "revoke", options.reason, null);
        console.error(`Key ${id} is revoked.`);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.code !== "not_found" && error.code !== "key_revoked") throw error;
        const why = error.code === "not_found" ? "there is no such key" : "was revoked already";
        console.error(`${id}: ${why}`);
        failed++;
      }
    }
    if (failed > 0) throw new OperatorError(`${failed} of ${ids.length} not revoked`);
  });
}

const HEAD = ["MASK", "STATE", "KIND", "CREATED", "EXPIRES", "DEVELOPER", "PLANS", "KEY ID"];

/** Columns of fixed width, because the rows to come are not known yet; the last one is whole. */
const WIDTHS = [26, 9, 5, 10, 10, 24, 24];

function cells(key: Key): string[] {
  return [
    key.mask,
    key.state,
    key.kind,
    key.created.slice(0, 10),
    key.expires_at?.slice(0, 10) ?? "-",
    key.developer_id,
    key.plans.join(" "),
    key.key_id,
  ];
}

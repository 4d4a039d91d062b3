import * as service from "../keys/keys.service.ts";
import { type KeyPage, listKeys, type ListQuery } from "../keys/list-keys.service.ts";
import type { Key } from "../keys/show-key.ts";
import { Failure } from "../lib/failure.ts";
import { asOperator } from "./certs-context.ts";
import { OperatorError } from "./operator-error.ts";
import { print } from "./standard-output.ts";

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
      if (isEmpty && !json) await print(line(HEAD));
      isEmpty = false;
      const rows = page.data.map((key) => json ? `${JSON.stringify(key)}\n` : line(cells(key)));
      await print(rows.join(""));
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

function line(texts: readonly string[]): string {
  return `${
    texts.map((text, i) => {
      const width = WIDTHS[i];
      return width === undefined ? text : fitted(text, width);
    }).join("  ").trimEnd()
  }\n`;
}

/** An id may hold anything but control characters of ASCII; others would reach the terminal. */
function fitted(text: string, width: number): string {
  const characters = [...text.replaceAll(/\p{C}/gu, "\ufffd")];
  return characters.length > width
    ? `${characters.slice(0, width - 1).join("")}…`
    : characters.join("") + " ".repeat(width - characters.length);
}

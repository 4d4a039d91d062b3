import type { Actor } from "../../../changes/audit.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import type { DeveloperPages } from "./developer-pages.ts";
import { findPagesOfHost, savePages } from "../../developers/developer-pages.store.ts";

/** Replaces the settings of an organisation's pages. Throws `host_taken`. */
export const replaceDeveloperPages = defineTransaction(
  "developer-access.replace-pages",
  async (tx, input: { actor: Actor; pages: DeveloperPages }): Promise<DeveloperPages> => {
    const { actor, pages } = input;
    const { org_id } = actor;
    const host = pages.host === "" ? null : pages.host;
    const holder = host === null ? undefined : await findPagesOfHost(tx, { host });
    if (holder && holder.org_id !== org_id) throw new Failure("host_taken");
    await savePages(tx, { org_id, host, document: JSON.stringify(pages) });
    await recordChange(tx, actor, {
      action: "developer_pages.updated",
      object_id: org_id,
      detail: { ...pages },
    });
    return pages;
  },
);

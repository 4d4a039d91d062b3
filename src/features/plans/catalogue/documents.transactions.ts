import type { Actor } from "../../../changes/audit.ts";
import { type IdempotentCall, once } from "../../../changes/idempotent-answers.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import {
  insertDocument,
  type PortalDocument,
  removeDocument,
  replaceDocument,
} from "./documents.store.ts";

/** Adds a document, whose id is fresh, and gives the id. */
export const addDocument = defineTransaction(
  "documents.add",
  (
    tx,
    { actor, document, idempotency }: {
      actor: Actor;
      document: PortalDocument;
      idempotency: IdempotentCall | null;
    },
  ) =>
    once(tx, idempotency, async () => {
      await insertDocument(tx, {
        org_id: actor.org_id,
        ...document,
        date_created: toTimestamp(actor.now),
      });
      await recordChange(tx, actor, changeOf("created", document));
      return document.id;
    }),
);

/** Replaces a document. Throws `not_found`. */
export const changeDocument = defineTransaction(
  "documents.replace",
  async (tx, { actor, document }: { actor: Actor; document: PortalDocument }) => {
    if (!await replaceDocument(tx, { org_id: actor.org_id, ...document })) {
      throw new Failure("not_found");
    }
    await recordChange(tx, actor, changeOf("updated", document));
  },
);

/** Deletes a document. Throws `not_found_for_deletion`. */
export const deleteDocument = defineTransaction(
  "documents.delete",
  async (tx, { actor, id }: { actor: Actor; id: string }) => {
    if (!await removeDocument(tx, { org_id: actor.org_id, id })) {
      throw new Failure("not_found_for_deletion");
    }
    await recordChange(tx, actor, { action: "documentation.deleted", object_id: id });
  },
);

/** The audit log has the length of its text, and not the text. */
function changeOf(what: string, { id, api_id, doc_type, documentation }: PortalDocument) {
  const detail = { api_id, doc_type, characters: documentation.length };
  return { action: `documentation.${what}`, object_id: id, detail };
}

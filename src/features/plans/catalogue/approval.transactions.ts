import type { Actor } from "../../../changes/audit.ts";
import { type ChangedMembers, changedMembers } from "../../../changes/changed-members.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { requireRevision } from "../../../kernel/entity-tag.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { raiseRevision } from "../catalogue-revision.store.ts";
import { findPlan } from "../plans.store.ts";
import { approvalRevision, askingOf, type CatalogueEntry } from "./catalogue-entry.ts";
import { entriesOfPlan, findConfiguration, replaceEntry } from "./catalogue.store.ts";
import type { QuestionInput } from "./questions.contract.ts";
import { storedQuestions } from "./questions.ts";

/** The change; absent members stay. */
interface AskingChange {
  require_key_approval?: boolean;
  key_request_fields?: readonly QuestionInput[];
}

/**
 * Changes how a plan's requests are decided and what they ask: from now on the plan's entries in
 * the catalogue say so themselves. Throws `not_found`, `plan_not_offered` and
 * `precondition_failed`.
 */
export const changeApproval = defineTransaction(
  "catalogue.change-approval",
  async (
    tx,
    input: {
      actor: Actor;
      plan: string;
      change: AskingChange;
      strict: boolean;
      ifMatch: string[] | null;
    },
  ) => {
    const { actor, plan, change, strict, ifMatch } = input;
    const { org_id } = actor;
    const known = await findPlan(tx, { org_id, id: plan });
    if (!known || known.deleted_at !== null) throw new Failure("not_found");
    await raiseRevision(tx, { org_id });
    const entries = await entriesOfPlan(tx, { org_id, policy_id: plan });
    if (entries.length === 0) throw new Failure("plan_not_offered");
    const configuration = await findConfiguration(tx, { org_id });
    // as: the documents are written from the contract's own types.
    const usual = configuration === undefined
      ? undefined
      : JSON.parse(configuration) as CatalogueEntry["config"];
    let changed: ChangedMembers | undefined;
    for (const [i, { position, document }] of entries.entries()) {
      const entry = JSON.parse(document) as CatalogueEntry;
      const { id, org_id: named } = entry.config;
      const before = entry.config.override ? entry.config : usual;
      // The first entry of a plan is the one that counts.
      if (i === 0) requireRevision(ifMatch, approvalRevision(before));
      const config = {
        // Members of the entry that we do not know stay with it.
        ...entry.config,
        ...before ?? askingOf(undefined),
        id,
        org_id: named,
        override: true,
      };
      const { require_key_approval, key_request_fields } = change;
      if (require_key_approval !== undefined) config.require_key_approval = require_key_approval;
      if (key_request_fields !== undefined) {
        const stored = config.key_request_fields;
        // as: a portal may write anything that is JSON, and questions are.
        config.key_request_fields = storedQuestions(
          key_request_fields,
          stored,
          strict,
        ) as typeof stored;
      }
      changed ??= changedMembers(askingOf(before), askingOf(config));
      await replaceEntry(tx, {
        org_id,
        position,
        document: JSON.stringify({ ...entry, config }),
      });
    }
    await recordChange(tx, actor, {
      action: "plan.approval_changed",
      object_id: known.given_id,
      detail: {
        ...change.require_key_approval === undefined
          ? {}
          : { require_key_approval: change.require_key_approval },
        ...changed,
      },
    });
  },
);

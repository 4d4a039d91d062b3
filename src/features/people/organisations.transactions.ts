import type { Actor } from "../../changes/audit.ts";
import { type IdempotentCall, once } from "../../changes/idempotent-answers.ts";
import { recordChange } from "../../changes/record-change.ts";
import { type Permission, permissions } from "../../contract/permissions.ts";
import { toWords } from "./person.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/sha256.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { insertToken } from "./access-tokens.store.ts";
import { operator } from "./operator.transactions.ts";
import { findFirstOrganisation, insertOrganisation } from "./organisations.store.ts";
import { insertUser } from "./people.store.ts";

/** Permissions that only the first organisation has. */
const OPERATORS: readonly Permission[] = ["operator", "metrics"];

/**
 * Makes an organisation whose first administrator holds everything but `operator` and `metrics`.
 * Throws `access_denied` for a caller outside the first organisation: the operator's permission
 * means nothing anywhere else; `organisation_exists` where `id` is taken.
 */
export const createOrganisation = defineTransaction(
  "access.create-organisation",
  async (
    tx,
    input: {
      actor: Actor;
      /** Absent: a fresh one. */
      id?: string | undefined;
      name: string;
      administrator: string;
      credential: string;
      /** How long its access token lives, in milliseconds; null: for ever. */
      longestMs: number | null;
      idempotency: IdempotentCall | null;
    },
  ) => {
    const { actor, name, credential } = input;
    const first = await findFirstOrganisation(tx);
    if (first?.id !== actor.org_id) throw new Failure("access_denied");
    return await once(tx, input.idempotency, async () => {
      // Never older than the first one, whatever the clock says: that is how this is known.
      const date_created = toTimestamp(Math.max(actor.now, Date.parse(first.date_created) + 1));
      const id = input.id ?? newId(actor.now);
      const user_id = newId(actor.now);
      const token_id = newId(actor.now);
      if (!await insertOrganisation(tx, { id, name, date_created })) {
        throw new Failure("organisation_exists");
      }
      await insertUser(tx, {
        org_id: id,
        id: user_id,
        name: input.administrator,
        permissions: toWords(permissions.filter((one) => !OPERATORS.includes(one))),
        date_created,
      });
      await insertToken(tx, {
        org_id: id,
        id: token_id,
        user_id,
        name: "first",
        hash: sha256(credential),
        date_created,
        expires_at: input.longestMs === null ? null : toTimestamp(actor.now + input.longestMs),
        issued_by: "operator",
      });
      await recordChange(tx, actor, {
        action: "organisation.created",
        object_id: id,
        detail: { name },
      });
      // Nothing of the operator's own organisation is in the new one's audit log.
      await recordChange(tx, operator(id, actor.now), {
        action: "access_token.created",
        object_id: token_id,
        detail: { person_id: user_id, issued_by: "operator", deliver: "answer" },
        personal: { "/name": "first" },
      });
      const administrator = { person_id: user_id, credential_id: token_id, credential };
      return { id, name, date_created, administrator };
    });
  },
);

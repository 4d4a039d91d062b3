import type { Actor } from "../../../changes/audit.ts";
import { recordAlone } from "../../../changes/record-change.ts";
import { Failure } from "../../../kernel/failure.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { namesOfDeveloper } from "../../developers/developer-names.ts";
import { lockDeveloper } from "../../developers/developers.store.ts";
import { endTokenOf } from "../../developers/end-session.transactions.ts";
import { MOST_DEVELOPER_TOKENS } from "../../developers/developer-token.ts";
import {
  type DeveloperTokenRow,
  developerTokensOf,
  insertDeveloperToken,
} from "./developer-tokens.store.ts";

/**
 * Keeps a fresh token of the developer who calls. Throws `too_many_tokens`, and `not_authorised`
 * where they were deleted or made inactive meanwhile.
 */
export const makeToken = defineTransaction(
  "developer-access.make-token",
  async (tx, input: { actor: Actor; token: DeveloperTokenRow }): Promise<null> => {
    const { actor, token } = input;
    const { org_id, now } = actor;
    const { developer_id, id, scope, expires_at } = token;
    const developer = await lockDeveloper(tx, org_id, developer_id);
    if (!developer || developer.inactive) throw new Failure("not_authorised");
    const rows = await developerTokensOf(tx, { org_id, developer_id });
    const open = rows.filter((row) => Date.parse(row.expires_at) > now);
    if (open.length >= MOST_DEVELOPER_TOKENS) throw new Failure("too_many_tokens");
    await insertDeveloperToken(tx, token);
    await recordAlone(tx, actor, {
      action: "developer_token.created",
      object_id: id,
      detail: { developer_id, scope, expires_at },
      names: namesOfDeveloper(developer),
    });
    return null;
  },
);

/** Ends a token of the developer who calls. Throws `not_found`. */
export const endToken = defineTransaction(
  "developer-access.end-token",
  async (tx, input: { actor: Actor; developer_id: string; id: string }): Promise<null> => {
    const { actor, developer_id, id } = input;
    if (!await endTokenOf(tx, actor, developer_id, id)) throw new Failure("not_found");
    return null;
  },
  { withoutRoom: true },
);

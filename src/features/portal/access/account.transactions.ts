import type { Actor } from "../../../changes/audit.ts";
import { recordChange } from "../../../changes/record-change.ts";
import { toTimestamp } from "../../../kernel/clock.ts";
import { Failure } from "../../../kernel/failure.ts";
import type { Language } from "../../../kernel/languages.ts";
import { sha256 } from "../../../kernel/sha256.ts";
import { defineTransaction } from "../../../storage/storage.ts";
import { setOwnPassword } from "../../developers/developer-accounts.store.ts";
import { putChoices } from "../../developers/developer-choices.store.ts";
import { choicesOf } from "../../developers/developer-choices.ts";
import { namesOfDeveloper } from "../../developers/developer-names.ts";
import { lockDeveloper, updateDeveloper } from "../../developers/developers.store.ts";
import { endSessionOf } from "../../developers/end-session.transactions.ts";
import { developerSessionsOf } from "./developer-sessions.store.ts";

/**
 * Replaces those of a developer's fields that sign-up asks for; the others stay. Throws
 * `not_authorised` where they were deleted meanwhile.
 */
export const writeFields = defineTransaction(
  "developer-access.write-fields",
  async (
    tx,
    input: { actor: Actor; id: string; fields: Record<string, string>; asked: readonly string[] },
  ): Promise<null> => {
    const { actor, id, fields, asked } = input;
    const { org_id } = actor;
    const before = await lockDeveloper(tx, org_id, id);
    if (!before) throw new Failure("not_authorised");
    const kept = Object.entries(before.fields).filter(([name]) => !asked.includes(name));
    const given = Object.entries(fields).filter(([, value]) => value !== "");
    const after = { ...before, fields: Object.fromEntries([...kept, ...given]) };
    await updateDeveloper(tx, org_id, after);
    const names = namesOfDeveloper(after);
    await recordChange(tx, actor, { action: "developer.updated", object_id: id, names });
    return null;
  },
);

/**
 * Keeps which mails a developer gets, and in which language; what is not said stays as it was.
 * Throws `not_authorised` where they were deleted meanwhile.
 */
export const chooseMails = defineTransaction(
  "developer-access.choose-mails",
  async (
    tx,
    input: {
      actor: Actor;
      id: string;
      mails: { language?: Language | ""; quota?: boolean; key_ends?: boolean };
    },
  ): Promise<null> => {
    const { actor, id, mails } = input;
    const { org_id } = actor;
    const developer = await lockDeveloper(tx, org_id, id);
    if (!developer) throw new Failure("not_authorised");
    const before = await choicesOf(tx, org_id, id);
    const { language = before.language, quota = before.quota, key_ends = before.ends } = mails;
    const quota_mails = quota ? 1 : 0;
    const end_mails = key_ends ? 1 : 0;
    await putChoices(tx, { org_id, id, language, quota_mails, end_mails });
    await recordChange(tx, actor, {
      action: "developer.updated",
      object_id: id,
      detail: { mails: { language, quota, key_ends } },
      names: namesOfDeveloper(developer),
    });
    return null;
  },
);

/**
 * Sets a password as the developer's own choice, and ends their sessions but this one: whoever else
 * was in has to sign in anew. Tells how many there were. Throws `not_authorised`.
 */
export const choosePassword = defineTransaction(
  "developer-access.choose-password",
  async (
    tx,
    input: { actor: Actor; id: string; password_hash: string; session_id: string },
  ): Promise<number> => {
    const { actor, id, password_hash, session_id } = input;
    const { org_id, now } = actor;
    const before = await lockDeveloper(tx, org_id, id);
    if (!before || before.inactive) throw new Failure("not_authorised");
    await updateDeveloper(tx, org_id, { ...before, password_updated: toTimestamp(now) });
    const own_password = sha256(password_hash);
    await setOwnPassword(tx, { org_id, id, password_hash, own_password });
    let ended = 0;
    for (const session of await developerSessionsOf(tx, { org_id, developer_id: id })) {
      if (session.id === session_id) continue;
      if (await endSessionOf(tx, actor, id, session.id)) ended++;
    }
    const names = namesOfDeveloper(before);
    await recordChange(tx, actor, {
      action: "developer.password_changed",
      object_id: id,
      detail: { by: "developer", sessions_ended: ended },
      names,
    });
    return ended;
  },
);

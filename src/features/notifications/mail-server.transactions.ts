import { type Actor, recordAudit } from "../../changes/audit.ts";
import { recordChange } from "../../changes/record-change.ts";
import { Failure } from "../../kernel/failure.ts";
import { defineTransaction } from "../../storage/storage.ts";
import { lockOrganisation } from "../people/organisations.store.ts";
import {
  MAIL_SERVER,
  passwordPlace,
  requireFirstOrganisation,
  type StoredMailServer,
  storedMailServer,
} from "./mail-server.ts";
import { removeMailServer, saveMailServer } from "./mail-server.store.ts";

/**
 * Sets the server's mail server. Without a password the stored one stays, if host, port and user
 * stay too: no other host is ever given it. Throws `invalid_input` and `access_denied`.
 */
export const replaceMailServer = defineTransaction(
  "mail-server.set",
  async (tx, input: { actor: Actor; settings: StoredMailServer; password: string | undefined }) => {
    const { actor, settings, password } = input;
    const { org_id } = actor;
    await lockOrganisation(tx, { org_id });
    await requireFirstOrganisation(tx, org_id);
    const before = await storedMailServer(tx);
    await saveMailServer(tx, {
      org_id,
      id: MAIL_SERVER,
      document: JSON.stringify(settings),
      password: settings.user === ""
        ? null
        : password === undefined
        ? keptPassword(before, settings)
        : tx.sealer.seal(passwordPlace(org_id), password),
    });
    const detail = { ...settings, password: password === undefined ? "kept" : "set" };
    await recordChange(tx, actor, {
      action: "mail_server.updated",
      object_id: MAIL_SERVER,
      detail,
    });
    return null;
  },
);

/** Removes it. Throws `not_found` and `access_denied`. */
export const clearMailServer = defineTransaction(
  "mail-server.clear",
  async (tx, { actor }: { actor: Actor }) => {
    const { org_id } = actor;
    await lockOrganisation(tx, { org_id });
    await requireFirstOrganisation(tx, org_id);
    if (!await storedMailServer(tx)) throw new Failure("not_found");
    await removeMailServer(tx, { org_id, id: MAIL_SERVER });
    await recordChange(tx, actor, { action: "mail_server.deleted", object_id: MAIL_SERVER });
    return null;
  },
);

/** Says in the audit log that a test mail was sent. */
export const noteMailTest = defineTransaction(
  "mail-server.note-test",
  async (tx, { actor, ok, status }: { actor: Actor; ok: boolean; status: number }) => {
    const event = { action: "mail_server.tested", object: "mail_server", object_id: MAIL_SERVER };
    await recordAudit(tx, actor, { ...event, detail: { ok, status } });
    return null;
  },
);

function keptPassword(
  before: Awaited<ReturnType<typeof storedMailServer>>,
  { host, port, user }: StoredMailServer,
): string {
  const known = before?.settings;
  const isSame = known?.host === host && known.port === port && known.user === user;
  if (!before || before.password === null || !isSame) {
    const message = "password: needed with another host, port or user";
    throw new Failure("invalid_input", { message, details: [message] });
  }
  return before.password;
}

import type { Sealer } from "../../kernel/sealing/sealer.ts";
import type { CatalogueEntry } from "../plans/catalogue/catalogue-entry.ts";
import { catalogueEntry } from "../plans/catalogue/catalogue.contract.ts";
import type { LiveEntries } from "../plans/catalogue/live-catalogue.ts";
import { type Developer, emptyDeveloper, joinSecrets } from "../developers/developer.ts";
import { withoutSecretFields } from "../developers/developer-text.ts";
import { openDeveloper } from "../developers/developers.store.ts";
import type { KeyRequestSecrets } from "./draft-key-request.ts";
import type { RequestRow } from "./key-requests.store.ts";
import { patchTail, sentCatalogues, storedText } from "./stored-request.ts";

/**
 * A key request as JSON text (specification 2.3), put together from the stored texts: live
 * developer and catalogue entries where they exist, else what was sent, else the empty object.
 * `sealer` null: secrets read "". `seen` counts key requests in whose text there is one.
 */
export function toKeyRequest(
  row: RequestRow,
  org_id: string,
  live: LiveEntries,
  sealer: Sealer | null,
  seen = { secrets: 0 },
): string {
  const entry = live.get(row.for_plan) ?? row.sent_entry ??
    JSON.stringify(emptyEntry(row.for_plan));
  const secrets = sealer === null ? null : openSecrets(row, org_id, sealer);
  const tail = secrets?.jwt_secret === undefined
    ? row.tail
    : patchTail(row, { jwt_secret: secrets.jwt_secret });
  if (sealer !== null && hasSecret(row, secrets)) seen.secrets++;
  const developer = withoutSecretFields(developerOf(row, org_id, secrets, sealer));
  const more = `"portal_developer":${developer},"catalogue_entry":${entry}` +
    `,"catalogues":[${cataloguesText(row, live)}]`;
  return storedText({ head: row.head, tail }, row.approved === 1, more);
}

function cataloguesText(row: RequestRow, live: LiveEntries): string {
  return sentCatalogues(row).map(({ policy_id, text }) => live.get(policy_id) ?? text).join(",");
}

/** An empty secret is not one. */
function hasSecret(row: RequestRow, secrets: KeyRequestSecrets | null): boolean {
  if (secrets?.jwt_secret !== undefined) return true;
  if (row.developer === null) return false;
  return row.developer_known === 1
    ? row.developer_secrets !== null
    : secrets?.developer !== undefined;
}

function developerOf(
  row: RequestRow,
  org_id: string,
  secrets: KeyRequestSecrets | null,
  sealer: Sealer | null,
): string {
  if (row.developer === null) return JSON.stringify(emptyDeveloper(row.by_user));
  if (row.developer_known === 1) {
    if (sealer === null || row.developer_secrets === null) return row.developer;
    const { developer_secrets } = row;
    return JSON.stringify(
      openDeveloper(
        sealer,
        org_id,
        row.by_user,
        parseDeveloper(row.developer),
        developer_secrets,
      ),
    );
  }
  if (!secrets?.developer) return row.developer;
  return JSON.stringify(joinSecrets(parseDeveloper(row.developer), secrets.developer));
}

/** as: draft-key-request.ts and the developers' store write exactly this. */
function parseDeveloper(document: string): Developer {
  return JSON.parse(document) as Developer;
}

function openSecrets(row: RequestRow, org_id: string, sealer: Sealer): KeyRequestSecrets | null {
  if (row.secrets === null) return null;
  const place = { table: "key_requests", org_id, id: row.id, column: "secrets" };
  // as: draft-key-request.ts wrote exactly this.
  return JSON.parse(sealer.open(place, row.secrets)) as KeyRequestSecrets;
}

/** The entry shown for a plan that no one has described: its policy_id and empty values. */
function emptyEntry(policy_id: string): CatalogueEntry {
  return { ...EMPTY, policy_id };
}

const EMPTY: CatalogueEntry = catalogueEntry.input.parse({});

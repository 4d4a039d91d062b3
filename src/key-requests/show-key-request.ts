import { emptyEntry } from "../catalogue/empty-entry.ts";
import type { LiveEntries } from "../catalogue/live-catalogue.ts";
import { type Developer, emptyDeveloper, joinSecrets } from "../developers/developer.ts";
import { openDeveloper } from "../developers/developers.store.ts";
import type { Sealer } from "../sealing/sealer.ts";
import type { KeyRequestSecrets } from "./key-request.ts";
import type { ShownRow } from "./key-requests.store.ts";

/**
 * A key request as JSON text (specification 2.3), put together from the stored texts: live developer and
 * catalogue entries where they exist, else what was sent, else the empty object. `sealer` null: secrets read "".
 */
export function showKeyRequest(row: ShownRow, live: LiveEntries, sealer: Sealer | null): string {
  const approved = row.approved === 1 ? "true" : "false";
  const entry = live.get(row.for_plan) ?? row.sent_entry ??
    JSON.stringify(emptyEntry(row.for_plan));
  const secrets = sealer === null ? null : openSecrets(row, sealer);
  const tail = secrets?.jwt_secret === undefined
    ? row.tail
    : withJwtSecret(row.tail, secrets.jwt_secret);
  const developer = row.live_developer === null
    ? sentDeveloper(row, secrets)
    : liveDeveloper(row, row.live_developer, sealer);
  return `${row.head}${approved}${tail},"portal_developer":${developer},"catalogue_entry":${entry}` +
    `,"catalogues":[${showCatalogues(row.sent_catalogues, live)}]}`;
}

function showCatalogues(sent: string, live: LiveEntries): string {
  if (sent === "") return "";
  return sent.split("\n").map((line) => {
    const tab = line.indexOf("\t");
    return live.get(line.slice(0, tab)) ?? line.slice(tab + 1);
  }).join(",");
}

function liveDeveloper(row: ShownRow, document: string, sealer: Sealer | null): string {
  if (sealer === null || row.live_secrets === null) return document;
  // as: the developers' store wrote exactly this.
  const parsed = JSON.parse(document) as Developer;
  return JSON.stringify(openDeveloper(sealer, row.org_id, row.by_user, parsed, row.live_secrets));
}

function sentDeveloper(row: ShownRow, secrets: KeyRequestSecrets | null): string {
  if (row.sent_developer === null) return JSON.stringify(emptyDeveloper(row.by_user));
  if (!secrets?.developer) return row.sent_developer;
  // as: draft in key-request.ts wrote exactly this.
  const parsed = JSON.parse(row.sent_developer) as Developer;
  return JSON.stringify(joinSecrets(parsed, secrets.developer));
}

function withJwtSecret(tail: string, jwt_secret: string): string {
  return `,${JSON.stringify({ ...JSON.parse(`{${tail.slice(1)}}`), jwt_secret }).slice(1, -1)}`;
}

function openSecrets(row: ShownRow, sealer: Sealer): KeyRequestSecrets | null {
  if (row.secrets === null) return null;
  const place = { table: "key_requests", org_id: row.org_id, id: row.id, column: "secrets" };
  // as: draft in key-request.ts wrote exactly this.
  return JSON.parse(sealer.open(place, row.secrets)) as KeyRequestSecrets;
}

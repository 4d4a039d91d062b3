import { setImmediate } from "node:timers/promises";
import type { RequestContext } from "../../calls/context.ts";
import type { CatalogueEntry } from "../plans/catalogue/catalogue-entry.ts";
import { listEntries } from "../plans/catalogue/catalogue.store.ts";
import { findLiveKeysOfRequest } from "../keys/key-life.store.ts";
import {
  NAMING_AT_ONCE,
  requestsNamingAny,
} from "../key-requests/requests-with-certificate.store.ts";
import { everyPlan } from "../plans/every-plan.store.ts";

/** A use of a certificate; `name` is empty for a key. */
export interface Use {
  object: "plan" | "api" | "key";
  id: string;
  name: string;
}

/** Requests that are looked at: the newest that name any certificate. */
const MOST_REQUESTS = 5120;
/** Hexadecimal characters of a fingerprint. */
const FINGERPRINT = 64;

/**
 * Of these certificates those that something names, each with the first that was found: a plan, an
 * API of the catalogue, or a key that is not revoked. Of requests that name any certificate the
 * newest 5,120 are looked at. Nothing is read where there are no certificates.
 */
export async function usedAmong(
  ctx: RequestContext,
  fingerprints: ReadonlySet<string>,
): Promise<Map<string, Use>> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const found = new Map<string, Use>();
  if (fingerprints.size === 0) return found;
  const note = (named: Iterable<string>, use: Use) => {
    for (const one of named) if (fingerprints.has(one) && !found.has(one)) found.set(one, use);
  };
  for await (const { row: { document }, plan } of everyPlan(reader, org_id)) {
    note(namedIn(document, org_id), { object: "plan", id: plan.id, name: plan.name });
  }
  for (const { api_id, document } of await listEntries(reader, { org_id })) {
    const named = namedIn(document, org_id);
    // as: the catalogue's store writes exactly this.
    const name = () => (JSON.parse(document) as CatalogueEntry).name;
    if (named.length > 0) note(named, { object: "api", id: api_id, name: name() });
  }
  await noteKeys(ctx, fingerprints, found);
  return found;
}

/** Adds those that keys are bound to. */
async function noteKeys(
  { storage: { reader }, principal: { org_id } }: RequestContext,
  fingerprints: ReadonlySet<string>,
  found: Map<string, Use>,
): Promise<void> {
  let below: string | undefined = "~";
  for (let looked = 0; below !== undefined && looked < MOST_REQUESTS;) {
    const requests = await requestsNamingAny(reader, org_id, below);
    for (const { id: request_id, by_user: developer_id, certificate } of requests) {
      const [fingerprint = ""] = namedIn(certificate, org_id);
      if (!fingerprints.has(fingerprint) || found.has(fingerprint)) continue;
      const [id] = await findLiveKeysOfRequest(reader, { org_id, developer_id, request_id });
      if (id !== undefined) found.set(fingerprint, { object: "key", id, name: "" });
    }
    looked += requests.length;
    below = requests.length < NAMING_AT_ONCE ? undefined : requests.at(-1)?.id;
    // The engine may have answered at once: the calls that arrived meanwhile come first.
    await setImmediate();
  }
}

/** The fingerprints behind the organisation's id, anywhere in a text. */
function namedIn(text: string, org_id: string): string[] {
  return text.split(org_id).slice(1).map((rest) => rest.slice(0, FINGERPRINT));
}

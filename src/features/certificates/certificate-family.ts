import { Buffer } from "node:buffer";
import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import type { PageQuery } from "../../kernel/walk.ts";
import { pageBehind } from "./certificate-cursor.ts";
import { isAuthority, subjectKey } from "./certificate.ts";
import type { ListedRow } from "./certificate-keys.store.ts";
import { findAuthorities, findCertificate } from "./certificates.store.ts";
import { certificateFilters } from "../../contract/list-filters.ts";
import { select } from "./selection.ts";
import { parseBasics, parseDetails, type StoredCertificate } from "./stored-certificate.ts";
import { calledBy } from "./certificate-title.ts";
import { calledCertificate } from "../../contract/called-certificate.ts";
import type { v1Certificate } from "./v1.contract.ts";

type Relative = z.output<typeof v1Certificate>["chain"][number];

/** The most issuers that are listed with a certificate. */
const MOST_ISSUERS = 20;

/** The chain that was uploaded with a certificate; `chain` as it is stored. */
export async function chainOf(ctx: RequestContext, chain: string): Promise<Relative[]> {
  if (chain === "") return [];
  // Loaded where it is needed: reading X.509 costs memory that other servers save.
  const { readCertificate } = await import("../../../packages/x509/x509.ts");
  const { storage: { reader }, principal: { org_id } } = ctx;
  return await Promise.all(
    chain.split("\n").map(async (base64) => {
      const record = readCertificate(Buffer.from(base64, "base64"));
      const { fingerprint, subject_cn, not_after } = record;
      const name = calledCertificate(record);
      const stored = await findCertificate(reader, { org_id, fingerprint }) !== undefined;
      return { id: org_id + fingerprint, subject_cn, name, not_after, stored };
    }),
  );
}

/**
 * The stored authorities that have the name of a certificate's issuer, but itself; by name, without
 * a look at signatures.
 */
export async function issuersOf(ctx: RequestContext, row: StoredCertificate): Promise<Relative[]> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const { issuer } = namesOf(row);
  const found = await findAuthorities(reader, org_id, subjectKey(parseBasics(row).issuer_cn));
  const issuers = found.filter((one) =>
    one.fingerprint !== row.fingerprint && namesOf(one).subject === issuer
  );
  return issuers.slice(0, MOST_ISSUERS).map((one) => {
    const { subject_cn, not_after } = parseBasics(one);
    const name = calledBy(one);
    return { id: org_id + one.fingerprint, subject_cn, name, not_after, stored: true };
  });
}

/** A page of the certificates that name this one as their issuer, in the order of addition. */
export async function issuedBy(
  ctx: RequestContext,
  row: StoredCertificate,
  page: PageQuery,
): Promise<{ rows: ListedRow[]; next_cursor: string | null }> {
  if (!isAuthority(row.kind)) return { rows: [], next_cursor: null };
  const { org_id } = ctx.principal;
  const { subject } = namesOf(row);
  const q = searchFor(row);
  const selection = select(q === undefined ? {} : { q }, ctx.clock.now());
  const wanted = (one: ListedRow) =>
    one.fingerprint !== row.fingerprint && namesOf(one).issuer === subject;
  return await pageBehind(ctx, org_id, selection, { ...page, columns: "details", wanted });
}

/**
 * A text that is in what a search looks at of all that this authority issued; undefined where it
 * has none.
 */
function searchFor(row: StoredCertificate): string | undefined {
  const { subject } = parseDetails(row);
  return [subject.CommonName, ...subject.Organization, ...subject.OrganizationalUnit]
    // deno-lint-ignore no-control-regex -- what no search may hold divides a name
    .flatMap((name) => name.toWellFormed().split(/[\u0000-\u001f\ufffd]/))
    .map((name) => [...name.trim()].slice(0, certificateFilters.q.most).join("").trim())
    .find((name) => [...name].length >= certificateFilters.q.least);
}

/** The names of subject and issuer as JSON text: who has the same is the same. */
function namesOf(row: StoredCertificate): { issuer: string; subject: string } {
  const { issuer, subject } = parseDetails(row);
  return { issuer: JSON.stringify(issuer.Names), subject: JSON.stringify(subject.Names) };
}

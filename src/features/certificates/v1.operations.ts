import { z } from "zod";
import { changeBy } from "../../calls/change-by.ts";
import type { RequestContext } from "../../calls/context.ts";
import { recordExport } from "../../calls/record-export.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { detailOf } from "../../contract/filters.ts";
import { tags } from "../../contract/labels.ts";
import { certificateFilters } from "../../contract/list-filters.ts";
import { pageOf } from "../../contract/paging.ts";
import { attachment, entityTag, ifMatch, nextPageLink, pageQuery } from "../../contract/v1.ts";
import { bom, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { ifMatchOf, withNextPage } from "../../http/routes.ts";
import { Answer, type Pieces } from "../../kernel/answer.ts";
import { type Columns, csvFile, marked } from "../../kernel/csv.ts";
import { Failure } from "../../kernel/failure.ts";
import { answerOfTheSecond } from "./answer-of-the-second.ts";
import { changeCare } from "./certificate-care.transactions.ts";
import { countByEnd, countInvalid, countKinds } from "./certificate-counts.store.ts";
import { chainOf, issuedBy, issuersOf } from "./certificate-family.ts";
import { renewalOf, setRenewal } from "./certificate-renewals.service.ts";
import { calledBy } from "./certificate-title.ts";
import {
  certificateRevision,
  fingerprintOf,
  hasPrivate,
  isAuthority,
  isPublicKey,
  NO_END,
} from "./certificate.ts";
import { certificateBasics, narrowing } from "./certificates.contract.ts";
import { findCertificate, findFile } from "./certificates.store.ts";
import { removeTransaction } from "./certificates.transactions.ts";
import { toPem } from "../../../packages/x509/pem.ts";
import { endOfDays, secondAt, select } from "./selection.ts";
import {
  type StoredCare,
  type StoredCertificate,
  toBasics,
  toCare,
  toDetails,
} from "./stored-certificate.ts";
import { caredCertificate, listQuery, owner, v1Certificate } from "./v1.contract.ts";
import { listV1, pageText } from "./v1.service.ts";

const tag = "Certificates";

/** The filters of an export. */
const exportQuery = listQuery.omit({ limit: true, cursor: true }).extend({ bom });

/** Counts of the certificates with a private key, or of the authorities, or of the others. */
const countQuery = z.object({ is_ca: narrowing.is_ca, has_private: narrowing.has_private });

/** A page of certificates with every detail. */
export const v1CertificateList = pageOf(caredCertificate)
  .meta({ id: "CertificateList" });

/** How many certificates there are, and when they end. */
export const certificateCounts = z.strictObject({
  total: z.int(),
  with_private: z.int(),
  authorities: z.int(),
  bands: z.strictObject({
    expired: z.int(),
    within_7_days: z.int(),
    within_30_days: z.int().meta({ description: "But not within 7 days; so on." }),
    within_90_days: z.int(),
    later: z.int(),
    never: z.int().meta({ description: "Bare public keys." }),
    invalid: z.int().meta({ description: "They end before they begin: no band of time has them." }),
  }).meta({ description: "Each certificate is in one of them." }),
  timeline: z.strictObject({
    before: z.int(),
    months: z.array(z.strictObject({ month: text, certificates: z.int() })),
    after: z.int(),
  }).meta({ description: "By the month (UTC) in which they end: the present one and 23 more." }),
}).meta({ id: "CertificateCounts" });

/** Certificates by cursor. */
export const listCertificates = operation({
  id: "listCertificates",
  method: "GET",
  path: "/v1/certificates",
  tag,
  summary: "List and search certificates; a page may hold fewer than `limit` and still have a next",
  description: "By cursor, in several orders, with filters by the time that is left and a search.",
  permission: ["certs:read"],
  withinTemporaryAccess: true,
  query: listQuery,
  answerHeaders: nextPageLink,
  response: v1CertificateList,
  errors: ["invalid_input"],
  async serve(ctx, call) {
    const { text, next_cursor } = await listV1(ctx, call.query);
    return withNextPage(call, text, next_cursor);
  },
});

/** All certificates that match, as a file. */
export const exportCertificates = operation({
  id: "exportCertificates",
  isExport: true,
  method: "GET",
  path: "/v1/certificates/export",
  tag,
  summary: "Export all certificates that match as CSV; never a private key",
  description: "Streamed, with the filters of the list. The export is logged first.",
  permission: ["certs:read"],
  query: exportQuery,
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["text/csv"] },
  errors: ["invalid_input"],
  serve: async (ctx, { query: { bom, ...query } }) => marked(await exportV1(ctx, query), bom),
});

/** How many there are. */
export const countCertificates = operation({
  id: "countCertificates",
  method: "GET",
  path: "/v1/certificates/counts",
  tag,
  summary: "Count certificates, and when they end: by band, and by month for two years",
  description: "For a glance at what has to be renewed, without reading the list.",
  permission: ["certs:read"],
  withinTemporaryAccess: true,
  query: countQuery,
  response: certificateCounts,
  errors: ["invalid_input"],
  async serve(ctx, { query }) {
    const now = ctx.clock.now();
    const name = `certificate counts ${query.is_ca} ${query.has_private}`;
    return await answerOfTheSecond(
      ctx,
      now,
      name,
      async () => JSON.stringify(await count(ctx, query, now)),
    );
  },
});

/** One certificate. */
export const getCertificate = operation({
  id: "getCertificate",
  method: "GET",
  path: "/v1/certificates/{id}",
  tag,
  summary: "Read one certificate with its PEM, chain and issuers, and its ETag",
  description: "Its issuers are those of the inventory; never a private key.",
  permission: ["certs:read"],
  withinTemporaryAccess: true,
  answerHeaders: entityTag,
  response: v1Certificate,
  errors: ["certificate_not_found"],
  serve: (ctx, { params }) => getV1(ctx, params.id),
});

/** Sets the owner and tags of a certificate. */
export const updateCertificate = operation({
  id: "updateCertificate",
  method: "PUT",
  path: "/v1/certificates/{id}",
  tag,
  summary: "Set who cares for a certificate, and its tags",
  description: "Both are replaced; an absent one is emptied.",
  permission: ["certs:write"],
  withinTemporaryAccess: true,
  // A misspelt member would empty what it meant.
  body: z.strictObject({
    owner: owner.default(""),
    tags: tags.default([]),
  }).meta({ id: "CertificateCare" }),
  answerHeaders: entityTag,
  response: v1Certificate,
  errors: [...bodyErrors, "certificate_not_found"],
  example: { owner: "lena@example.com", tags: ["partner", "mTLS"] },
  async serve(ctx, { params: { id }, body: { owner, tags } }) {
    const fingerprint = fingerprintOf(ctx.principal.org_id, id);
    if (fingerprint === undefined) throw new Failure("certificate_not_found");
    await changeBy(ctx, changeCare, { fingerprint, owner, tags: [...new Set(tags)] });
    return await getV1(ctx, id);
  },
});

/** Another certificate than the examples' own. */
export const exampleRenewal = `5f1a2b3c4d5e6f7081920000${"e5f60718".repeat(8)}`;

/** Whether a certificate renews another. */
export const setCertificateRenewal = operation({
  id: "setCertificateRenewal",
  method: "PUT",
  path: "/v1/certificates/{id}/renewal",
  tag,
  summary: "Say that a certificate renews this one, or that it does not",
  description:
    "It counts before what the names say. Of several that are said to renew it, the last one counts.",
  permission: ["certs:write"],
  withinTemporaryAccess: true,
  body: z.strictObject({
    certificate: text.meta({ description: "The id of the one that renews it, or does not." }),
    renews: z.boolean().optional().meta({
      description:
        "True: it has to expire later, and must not have expired. Absent or null: the names decide again.",
    }),
  }).meta({ id: "CertificateRenewalSaid" }),
  answerHeaders: entityTag,
  response: v1Certificate,
  errors: [...bodyErrors, "certificate_not_found"],
  example: { certificate: exampleRenewal, renews: false },
  async serve(ctx, { params, body }) {
    await setRenewal(ctx, params.id, body);
    return await getV1(ctx, params.id);
  },
});

/** One certificate as a file. */
export const downloadCertificate = operation({
  id: "downloadCertificate",
  method: "GET",
  path: "/v1/certificates/{id}/pem",
  tag,
  summary: "Download one certificate as PEM, with its chain where asked for; never a private key",
  description: "As a file with a name of its own.",
  permission: ["certs:read"],
  query: z.object({
    chain: z.enum(["true", "false"], { error: "expected true or false" })
      .transform((value) => value === "true").optional()
      .meta({ description: "Also what was uploaded with it." }),
  }),
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["application/x-pem-file"] },
  errors: ["certificate_not_found", "invalid_input"],
  async serve(ctx, { params, query }) {
    const row = await mustFind(ctx, params.id);
    const { certificate, chain } = await fileOf(ctx, row.fingerprint);
    const others = query.chain && chain !== "" ? chain.split("\n") : [];
    const text = pemOf(row, certificate) + others.map((one) => toPem(one)).join("");
    return new Answer(text, {
      "content-type": "application/x-pem-file",
      "content-disposition": `attachment; filename="${row.fingerprint.slice(0, 16)}.pem"`,
    });
  },
});

/** Lists the certificates that an authority issued. */
export const listIssuedCertificates = operation({
  id: "listIssuedCertificates",
  method: "GET",
  path: "/v1/certificates/{id}/issued",
  tag,
  summary: "List the certificates that name this one as their issuer: what depends on it",
  description: "By cursor.",
  permission: ["certs:read"],
  withinTemporaryAccess: true,
  query: z.object(pageQuery),
  answerHeaders: nextPageLink,
  response: pageOf(
    z.strictObject({
      ...certificateBasics.shape,
      name: text.meta({ description: "By the rule of `CertificateRelative`." }),
    }).meta({ id: "IssuedCertificate" }),
  ).meta({ id: "IssuedCertificateList" }),
  errors: ["certificate_not_found", "invalid_input"],
  async serve(ctx, call) {
    const issuer = await mustFind(ctx, call.params.id);
    const { rows, next_cursor } = await issuedBy(ctx, issuer, call.query);
    const view = rows.map((row) =>
      `${toBasics(row).slice(0, -1)},"name":${JSON.stringify(calledBy(row))}}`
    );
    return withNextPage(call, pageText(view, next_cursor).text, next_cursor);
  },
});

/** The certificate and its private key are gone. */
export const deleteCertificate = operation({
  id: "deleteCertificate",
  method: "DELETE",
  path: "/v1/certificates/{id}",
  tag,
  summary: "Delete a certificate with its private key; what it issued stays",
  description: "`If-Match` refuses what has changed since it was read.",
  permission: ["certs:write"],
  headers: ifMatch,
  response: z.strictObject({ id: text }).meta({ id: "CertificateDeleted" }),
  errors: ["certificate_not_removed", "precondition_failed"],
  async serve(ctx, call) {
    const { id } = call.params;
    const fingerprint = fingerprintOf(ctx.principal.org_id, id);
    if (fingerprint === undefined) throw new Failure("certificate_not_removed");
    await changeBy(ctx, removeTransaction, { fingerprint, ifMatch: ifMatchOf(call) });
    return { id };
  },
});

type List = z.output<typeof v1CertificateList>;

/**
 * All certificates that match, as a CSV file; never a private key. Throws `invalid_input` as the
 * list does.
 */
async function exportV1(
  ctx: RequestContext,
  query: Omit<z.output<typeof exportQuery>, "bom">,
): Promise<Answer<Pieces>> {
  const file = await csvFile("certificates.csv", columns, async (cursor) => {
    const { text } = await listV1(ctx, { ...query, cursor, limit: 100 });
    // as: listV1 answers by this contract.
    return JSON.parse(text) as List;
  });
  await recordExport(
    ctx,
    "certificates",
    detailOf(certificateFilters, { format: "csv", ...query }),
  );
  return file;
}

const columns: Columns<List["data"][number]> = {
  id: ({ id }) => id,
  subject_cn: ({ subject_cn }) => subject_cn,
  issuer_cn: ({ issuer_cn }) => issuer_cn,
  not_before: ({ not_before }) => not_before,
  not_after: ({ not_after }) => not_after,
  status: ({ status }) => status,
  days_left: ({ days_left }) => days_left,
  is_ca: ({ is_ca }) => is_ca,
  has_private: ({ has_private }) => has_private,
  key_algorithm: ({ key_algorithm }) => key_algorithm,
  key_size: ({ key_size }) => key_size,
  serial_number: ({ serial_number }) => serial_number,
  fingerprint: ({ fingerprint }) => fingerprint,
  dns_names: ({ dns_names }) => dns_names.join(" "),
  owner: ({ owner }) => owner,
  tags: ({ tags }) => tags.join("; "),
  renewed_by: ({ renewed_by }) => renewed_by,
};

/** Months that the timeline shows, the present one first. */
const MONTHS = 24;

async function count(
  ctx: RequestContext,
  query: z.output<typeof countQuery>,
  now: number,
): Promise<z.output<typeof certificateCounts>> {
  const { kinds } = select(query, now);
  const { storage: { reader }, principal: { org_id } } = ctx;
  const months = monthsFrom(now);
  const bands = [now, ...[7, 30, 90].map((days) => endOfDays(days, now))].map(secondAt);
  const starts = months.map((month) => `${month}-01T00:00:00Z`);
  const ends = [...new Set([...bands, ...starts, NO_END])];
  const total = await countKinds(reader, org_id, kinds);
  const before = await countByEnd(reader, org_id, kinds, ends);
  const [invalid = 0] = await countInvalid(reader, org_id, kinds, [NO_END]);
  const upTo = new Map(ends.map((end, i) => [end, before[i] ?? 0]));
  const between = (from: string | undefined, to: string | undefined) =>
    Math.max(0, (upTo.get(to ?? "") ?? 0) - (upTo.get(from ?? "") ?? 0));
  const [ended, week, month, quarter] = bands;
  const ofKinds = (fits: (kind: number) => boolean) =>
    countKinds(reader, org_id, kinds.filter(fits));
  return {
    total,
    with_private: await ofKinds(hasPrivate),
    authorities: await ofKinds(isAuthority),
    bands: {
      expired: between(undefined, ended),
      within_7_days: between(ended, week),
      within_30_days: between(week, month),
      within_90_days: between(month, quarter),
      later: between(quarter, NO_END),
      never: Math.max(0, total - (upTo.get(NO_END) ?? 0) - invalid),
      invalid,
    },
    timeline: {
      before: between(undefined, starts[0]),
      months: months.slice(0, MONTHS).map((name, i) => ({
        month: name,
        certificates: between(starts[i], starts[i + 1]),
      })),
      after: between(starts[MONTHS], NO_END),
    },
  };
}

/** The months of the timeline and the one behind them, as `2026-01`; UTC. */
function monthsFrom(now: number): string[] {
  const today = new Date(now);
  return Array.from(
    { length: MONTHS + 1 },
    (_, i) =>
      new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + i)).toISOString().slice(0, 7),
  );
}

/** One certificate with its PEM, chain, issuers and ETag. Throws `certificate_not_found`. */
async function getV1(ctx: RequestContext, id: string): Promise<Answer<string>> {
  const row = await mustFind(ctx, id);
  const { certificate, chain } = await fileOf(ctx, row.fingerprint);
  const revision = certificateRevision(row);
  const { renewed_by, renewal } = await renewalOf(ctx, id);
  const more = {
    ...toCare(row),
    renewed_by,
    renewal,
    pem: pemOf(row, certificate),
    chain: await chainOf(ctx, chain),
    issuers: await issuersOf(ctx, row),
    revision,
  };
  return new Answer(toDetails(row, ctx.clock.now(), more), { etag: `"${revision}"` });
}

async function mustFind(ctx: RequestContext, id: string): Promise<StoredCertificate & StoredCare> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  const fingerprint = fingerprintOf(org_id, id);
  const row = fingerprint && await findCertificate(reader, { org_id, fingerprint });
  if (!row) throw new Failure("certificate_not_found");
  return row;
}

async function fileOf(ctx: RequestContext, fingerprint: string) {
  const file = await findFile(ctx.storage.reader, { org_id: ctx.principal.org_id, fingerprint });
  if (!file) throw new Failure("certificate_not_found");
  return file;
}

function pemOf(row: StoredCertificate, certificate: string): string {
  const label = isPublicKey(row) ? "PUBLIC KEY" : "CERTIFICATE";
  return toPem(certificate, label);
}

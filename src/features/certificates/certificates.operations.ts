import { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { comparedBy, type Idempotency } from "../../calls/principal.ts";
import { bodyErrors, type RawBody } from "../../contract/endpoint.ts";
import { pageCount } from "../../contract/envelope.ts";
import { attachment } from "../../contract/v1.ts";
import { bom, text } from "../../contract/values.ts";
import { operation } from "../../http/operation.ts";
import { Answer, begun, type Pieces, textIfShort } from "../../kernel/answer.ts";
import { marked } from "../../kernel/csv.ts";
import { Failure } from "../../kernel/failure.ts";
import { answerOfTheSecond, keptOfCertificates, secondOf } from "./answer-of-the-second.ts";
import type { Columns } from "./certificate-keys.store.ts";
import { countFound } from "./certificate-list.store.ts";
import { pageOf } from "./certificate-pages.ts";
import { everyText } from "./certificate-stream.ts";
import { canBeJoined, type Detail } from "./certificate-texts.store.ts";
import * as uploads from "./certificate-uploads.service.ts";
import {
  addAll,
  type BundleRead,
  comparedBundle,
  readBundle,
} from "./certificate-uploads.service.ts";
import { fingerprintOf } from "./certificate.ts";
import {
  acceptedUploads,
  certificateBasics,
  certificateDetails,
  narrowing,
  oneOf,
  takeOver,
  texts,
} from "./certificates.contract.ts";
import { exampleCertificate } from "./certificates.example.ts";
import * as service from "./certificates.service.ts";
import { findCertificate } from "./certificates.store.ts";
import { type CertificateQuery, select, type Selection } from "./selection.ts";
import { toBasics, toDetails } from "./stored-certificate.ts";
import { passphraseOf, uploadedFile } from "./uploaded-file.ts";

const paging = {
  pages: z.int(),
  /** There only where it is true: more match than were counted or sorted. */
  capped: z.literal(true).optional(),
};

/**
 * Specification 2.2; without `mode=detailed` with the ids that older clients read. The last two are
 * what KEYDESK_CERTS_ANSWER=original answers instead.
 */
const certificateList = z.union([
  z.strictObject({ certs: texts, cert_basics: z.array(certificateBasics), ...paging }),
  z.strictObject({ cert_basics: z.array(certificateDetails), ...paging }),
  z.strictObject({ certs: texts, pages: z.int() }),
  z.strictObject({ cert_basics: z.array(certificateBasics), pages: z.int() }),
]).meta({ id: "ClassicCertificateList" });

const mode = z.enum(["", "detailed"], { error: "expected detailed" }).optional()
  .meta({ description: "`detailed`: every detail, and `filter` works." });

const filter = z.enum(["", "omit", "with_pk", "without_pk"], {
  error: "expected omit or with_pk or without_pk",
}).optional().meta({ description: "Takes effect with `mode=detailed` only." });

const p = z.string().regex(/^-?\d+$/, {
  error: "expected an integer: a page from 1, or below 0 for everything",
}).meta({ type: "integer" }).transform(Number).optional()
  .meta({ description: "Page from 1; absent or 0: the first; below 0: everything, streamed." });

const tag = "Certificates (classic)";

/** Specification 4.1. */
export const listClassicCertificates = operation({
  id: "listClassicCertificates",
  method: "GET",
  path: "/api/certs",
  tag,
  summary: "List certificates in the order in which they were added",
  description:
    "Without `mode` the ids and the basics; with `mode=detailed` the basics of each. `p` from 1 on is that page, below 0 everything.",
  permission: ["certs:read"],
  query: z.object({ p, mode, filter, ...narrowing }),
  response: certificateList,
  errors: ["invalid_input"],
  async serve(ctx, { query }) {
    const detailed = query.mode === "detailed";
    const narrowed = withFilter(query, detailed || ctx.settings.filterAlways);
    return await pageOrEverything(ctx, narrowed, query.p ?? 1, listFormat(ctx, detailed));
  },
});

/** One certificate with its chain and key. */
export const uploadCertificate = operation({
  id: "uploadCertificate",
  method: "POST",
  path: "/api/certs",
  tag,
  summary: "Add a certificate with its chain and at most one private key",
  description:
    "As a PEM text, a PKCS#12 file, or a form with one of them. The private key is sealed and in no answer. An expired certificate is refused.",
  permission: ["certs:write"],
  query: z.object({ take_over: takeOver }),
  body: "bytes",
  contentTypes: { body: acceptedUploads },
  headers: { passphrase: { description: "Opens an encrypted private key or a PKCS#12 file." } },
  idempotent: true,
  response: z.strictObject({
    id: text,
    message: z.literal("Certificate added"),
    status: z.literal("ok"),
  }).meta({ id: "CertificateAdded" }),
  errors: [...bodyErrors, "certificate_exists"],
  example: exampleCertificate,
  serve: async (ctx, { body, headers, idempotency, query }) => ({
    id: await uploads.upload(ctx, body, {
      passphrase: passphraseOf(headers.get("passphrase")),
      idempotency,
      takesOver: query.take_over ?? true,
    }),
    message: "Certificate added" as const,
    status: "ok" as const,
  }),
});

/** Every certificate of a bundle by itself. */
export const uploadBundle = operation({
  id: "uploadBundle",
  method: "POST",
  path: "/api/certs/bundle",
  tag,
  summary:
    "Add every certificate of a PEM, DER or PKCS#7 bundle, expired ones too, each with its result",
  description: "A certificate that exists already is reported as such and changes nothing.",
  permission: ["certs:write"],
  query: z.object({ take_over: takeOver }),
  body: "bytes",
  contentTypes: { body: acceptedUploads },
  idempotent: true,
  response: z.strictObject({
    added: z.int(),
    exists: z.int(),
    refused: z.int(),
    skipped: z.int().meta({ description: "PEM blocks that are neither a certificate nor a key." }),
    results: z.array(z.strictObject({
      index: z.int(),
      line: z.int().optional(),
      result: z.enum(["added", "exists", "refused", "skipped"]),
      id: text.optional(),
      subject_cn: text.optional(),
      reason: text.optional(),
      message: text.optional(),
    })),
  }).meta({ id: "BundleAdded" }),
  errors: bodyErrors,
  example: exampleCertificate,
  serve: (ctx, { body, idempotency, query }) =>
    uploadBundleNow(ctx, body, { idempotency, takesOver: query.take_over ?? true }),
});

/** The details of a page. */
export const listCertificateDetails = operation({
  id: "listCertificateDetails",
  method: "GET",
  path: "/api/certs/details",
  tag,
  summary: "List certificates with every detail",
  description: "Names, times, key and signature of each, never a private key.",
  permission: ["certs:read"],
  query: z.object({ p, ...narrowing }),
  response: z.strictObject({ certificates: z.array(certificateDetails), ...paging })
    .meta({ id: "CertificateDetailsList" }),
  errors: ["invalid_input"],
  async serve(ctx, { query }) {
    const format = {
      ids: false,
      member: "certificates",
      columns: "details",
      capped: true,
    } as const;
    return await pageOrEverything(ctx, query, query.p ?? 1, format);
  },
});

/** All that match, as a file. */
export const exportClassicCertificates = operation({
  id: "exportClassicCertificates",
  isExport: true,
  method: "GET",
  path: "/api/certs/export",
  tag,
  summary: "Export all certificates that match; never a private key",
  description: "As PEM, CSV or JSON lines, streamed, with the filters of the list.",
  permission: ["certs:read"],
  query: z.object({
    format: oneOf(["pem", "csv", "jsonl"], "Default: pem."),
    bom,
    ...narrowing,
  }),
  answerHeaders: attachment,
  response: z.string(),
  contentTypes: { response: ["application/x-pem-file", "text/csv", "application/jsonl"] },
  errors: ["invalid_input"],
  async serve(ctx, { query }) {
    const { format = "pem", bom, ...rest } = query;
    return marked(await service.exportAll(ctx, format, rest), bom);
  },
});

/** One certificate. */
export const getClassicCertificate = operation({
  id: "getClassicCertificate",
  method: "GET",
  path: "/api/certs/{id}",
  tag,
  summary: "Read one certificate",
  description: "Names, times, key and signature; never a private key.",
  permission: ["certs:read"],
  response: certificateDetails,
  errors: ["certificate_not_found"],
  async serve(ctx, { params: { id } }) {
    const { org_id } = ctx.principal;
    const now = ctx.clock.now();
    // An id may be any text, also the name of another answer.
    return await answerOfTheSecond(ctx, now, `certificate-by-id ${id}`, async () => {
      const fingerprint = fingerprintOf(org_id, id);
      const row = fingerprint && await findCertificate(ctx.storage.reader, { org_id, fingerprint });
      if (!row) throw new Failure("certificate_not_found");
      return toDetails(row, now);
    });
  },
});

/** The certificate and its private key are gone. */
export const deleteClassicCertificate = operation({
  id: "deleteClassicCertificate",
  method: "DELETE",
  path: "/api/certs/{id}",
  tag,
  summary: "Delete a certificate with its private key",
  description: "Plans and keys that name it go on naming it.",
  permission: ["certs:write"],
  response: z.strictObject({ message: z.literal("removed"), status: z.literal("ok") })
    .meta({ id: "CertificateRemoved" }),
  errors: ["certificate_not_removed"],
  async serve(ctx, { params }) {
    await service.remove(ctx, params.id);
    return { message: "removed" as const, status: "ok" as const };
  },
});

/** One certificate of a bundle, and what became of it. */
interface BundleItem {
  index: number;
  line?: number;
  result: "added" | "exists" | "refused" | "skipped";
  id?: string;
  subject_cn?: string;
  reason?: string;
  message?: string;
}

/** Adds every certificate of an uploaded bundle. */
async function uploadBundleNow(
  ctx: RequestContext,
  body: RawBody,
  { idempotency, takesOver }: { idempotency: Idempotency; takesOver: boolean },
) {
  const { bytes } = await uploadedFile(body);
  const call = comparedBy(idempotency, comparedBundle(bytes));
  const results: BundleItem[] = [];
  for await (const { read, result } of addAll(ctx, readBundle(ctx, bytes), takesOver, call)) {
    // A bundle holds no keys, so none is added.
    if (read.ok) {
      const { id, subject_cn } = read;
      const became = result === "exists" ? "exists" : "added";
      results.push({ ...placeOf(read), result: became, id, subject_cn });
    } else {
      const { reason, message } = read;
      const became = result === "skipped" ? "skipped" : "refused";
      results.push({ ...placeOf(read), result: became, reason, message });
    }
  }
  const count = (result: string) => results.filter((item) => item.result === result).length;
  return {
    added: count("added"),
    exists: count("exists"),
    refused: count("refused"),
    skipped: count("skipped"),
    results,
  };
}

function placeOf({ index, line }: BundleRead): { index: number; line?: number } {
  return line === undefined ? { index } : { index, line };
}

/** The query of the certificate list. */
interface ListQuery extends CertificateQuery {
  p?: number | undefined;
  mode?: "" | "detailed" | undefined;
  filter?: "" | "omit" | "with_pk" | "without_pk" | undefined;
}

function withFilter(query: ListQuery, works: boolean): CertificateQuery {
  if (!works || !query.filter || query.filter === "omit") return query;
  const has_private = query.filter === "with_pk";
  if (query.has_private === undefined || query.has_private === has_private) {
    return { ...query, has_private };
  }
  const message = "has_private: contradicts filter";
  throw new Failure("invalid_input", { message, details: [message] });
}

/** How a list is written. */
interface ListFormat {
  /** True: the list of ids is first, as older clients read it. */
  ids: boolean;
  /** The member that holds the items; null: there are none. */
  member: "cert_basics" | "certificates" | null;
  columns: Exclude<Columns, "files">;
  /** True: the answer says where more match than were counted. */
  capped: boolean;
}

/** The two shapes of the list, as the access token wants them, else KEYDESK_CERTS_ANSWER. */
function listFormat(ctx: RequestContext, detailed: boolean): ListFormat {
  const { settings: { originalCertificateLists }, principal: { certsAnswer } } = ctx;
  if (certsAnswer ? certsAnswer === "original" : originalCertificateLists) {
    return detailed
      ? { ids: false, member: "cert_basics", columns: "basics", capped: false }
      : { ids: true, member: null, columns: "basics", capped: false };
  }
  const columns = detailed ? "details" : "basics";
  return { ids: !detailed, member: "cert_basics", columns, capped: true };
}

async function pageOrEverything(
  ctx: RequestContext,
  query: CertificateQuery,
  p: number,
  format: ListFormat,
): Promise<Answer<string | Pieces>> {
  const now = ctx.clock.now();
  // The query, with its members in the order of the contract's schema.
  const kind = `certs ${JSON.stringify(format)} ${JSON.stringify(query)}`;
  if (p < 0) return await wholeList(ctx, query, format, now, kind);
  return await answerOfTheSecond(
    ctx,
    now,
    `${kind} ${p}`,
    () => page(ctx, select(query, now), format, p, now),
  );
}

/** A list without pages: from memory or as one text where it is short, else made while sent. */
async function wholeList(
  ctx: RequestContext,
  query: CertificateQuery,
  format: ListFormat,
  now: number,
  name: string,
): Promise<Answer<string | Pieces>> {
  const selection = select(query, now);
  const isAsOfNow = format.columns === "details" || query.status !== undefined;
  const moment = isAsOfNow ? secondOf(now) : "";
  const { answer } = await keptOfCertificates(ctx, moment, name, async () => {
    const pieces = everything(ctx, selection, format, now);
    const body = await isShort(ctx, selection) ? await textIfShort(pieces) : await begun(pieces);
    // Pieces can be sent once.
    const length = typeof body === "string" ? body.length : Infinity;
    return { answer: new Answer(body, {}, 200, true), length };
  });
  return answer;
}

/** Certificates of a list that goes out as one text, at the most. */
const FEW = 1024;

/** False where counting would cost more than it brings. */
async function isShort(ctx: RequestContext, selection: Selection): Promise<boolean> {
  const { storage: { reader }, principal: { org_id } } = ctx;
  return canBeJoined(selection) &&
    await countFound(reader, org_id, selection, FEW + 1) <= FEW;
}

async function page(
  ctx: RequestContext,
  selection: Selection,
  format: ListFormat,
  p: number,
  now: number,
): Promise<string> {
  const { principal: { org_id }, settings: { pageSize } } = ctx;
  const offset = (Math.max(p, 1) - 1) * pageSize;
  const { rows, total, capped } = await pageOf(ctx, selection, format.columns, offset);
  const ids = format.ids
    ? `"certs":[${rows.map((row) => `"${org_id}${row.fingerprint}"`).join(",")}],`
    : "";
  const items = format.member === null
    ? ""
    : `"${format.member}":[${
      rows.map((row) => format.columns === "details" ? toDetails(row, now) : toBasics(row))
        .join(",")
    }],`;
  const saysCapped = capped && format.capped;
  return `{${ids}${items}"pages":${pageCount(total, pageSize)}${
    saysCapped ? `,"capped":true` : ""
  }}`;
}

/** Keyset chunks; the ids of older clients come first, so everything is walked twice for them. */
async function* everything(
  ctx: RequestContext,
  selection: Selection,
  format: ListFormat,
  nowMs: number,
): Pieces {
  const { org_id } = ctx.principal;
  const texts = (visible: Detail, until?: number) =>
    everyText(ctx, org_id, selection, { visible, separator: ",", nowMs, until });
  let before = "{";
  let last: number | undefined;
  if (format.ids) {
    before += `"certs":[`;
    for await (const { text, last: position } of texts("ids")) {
      yield before + text;
      before = ",";
      last = position;
    }
    before = before === "," ? "]," : `${before}],`;
  }
  if (format.member === null) {
    yield `${before}"pages":${last === undefined ? 0 : 1}}`;
    return;
  }
  let isEmpty = true;
  before += `"${format.member}":[`;
  // Certificates added since the first walk are left to the next call.
  for await (
    const { text } of format.ids && last === undefined ? [] : texts(format.columns, last)
  ) {
    yield before + text;
    before = ",";
    isEmpty = false;
  }
  yield `${isEmpty ? before : ""}],"pages":${isEmpty ? 0 : 1}}`;
}

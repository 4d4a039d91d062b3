import type { AnyCall } from "../../http/call.ts";
import { bind, ifMatchOf, withNextPage } from "../../http/routes.ts";
import { marked } from "../../kernel/csv.ts";
import { refusalOf, sayField } from "../../http/unknown-names.ts";
import { exportV1 } from "./export-v1.service.ts";
import { setRenewal } from "./certificate-renewals.service.ts";
import { countV1 } from "./v1-counts.service.ts";
import { passphraseOf } from "./uploaded-file.ts";
import * as contract from "./v1.contract.ts";
import * as service from "./v1.service.ts";

/** Certificates under `/v1`; the words `counts` and `export` stand before `/{id}`. */
export const v1CertificateRoutes = [
  bind(contract.listNativeCertificates, async (ctx, call) => {
    const { text, next_cursor } = await service.listV1(ctx, call.query);
    return withNextPage(call, text, next_cursor);
  }),
  bind(contract.uploadCertificates, (ctx, call) =>
    service.uploadV1(ctx, call.body, {
      as: call.query.as,
      passphrase: passphraseOf(call.headers.get("passphrase")),
      takesOver: call.query.take_over ?? true,
      idempotency: call.idempotency,
      unread: (names) => judgeFields(call, names),
    })),
  bind(contract.countNativeCertificates, (ctx, { query }) => countV1(ctx, query)),
  bind(
    contract.exportNativeCertificates,
    async (ctx, { query: { bom, ...query } }) => marked(await exportV1(ctx, query), bom),
  ),
  bind(contract.getNativeCertificate, (ctx, { params }) => service.getV1(ctx, params.id)),
  bind(
    contract.updateCertificate,
    (ctx, { params, body }) => service.updateV1(ctx, params.id, body),
  ),
  bind(contract.setCertificateRenewal, async (ctx, { params, body }) => {
    await setRenewal(ctx, params.id, body);
    return await service.getV1(ctx, params.id);
  }),
  bind(
    contract.downloadCertificate,
    (ctx, { params, query }) => service.download(ctx, params.id, query.chain ?? false),
  ),
  bind(contract.listIssuedCertificates, async (ctx, call) => {
    const { text, next_cursor } = await service.listIssued(ctx, call.params.id, call.query);
    return withNextPage(call, text, next_cursor);
  }),
  bind(contract.deleteNativeCertificate, async (ctx, call) => {
    await service.removeV1(ctx, call.params.id, ifMatchOf(call));
    return { id: call.params.id };
  }),
];

/** Refuses the fields of a form that nothing reads, as members of JSON bodies are. */
function judgeFields({ note }: AnyCall, names: readonly string[]): void {
  if (!note) throw refusalOf(names, (name) => sayField(name, ["passphrase"], ["as"]));
  note(names);
}

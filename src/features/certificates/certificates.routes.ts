import { bind } from "../../http/routes.ts";
import { marked } from "../../kernel/csv.ts";
import * as uploads from "./certificate-uploads.service.ts";
import * as contract from "./certificates.contract.ts";
import * as service from "./certificates.service.ts";
import { passphraseOf } from "./uploaded-file.ts";

/** The endpoints of certificates; those with fixed words stand before `/{id}`. */
export const certificateRoutes = [
  bind(contract.listCertificates, (ctx, { query }) => service.list(ctx, query)),
  bind(contract.uploadCertificate, async (ctx, { body, headers, idempotency, query }) => ({
    id: await uploads.upload(ctx, body, {
      passphrase: passphraseOf(headers.get("passphrase")),
      idempotency,
      takesOver: query.take_over ?? true,
    }),
    message: "Certificate added" as const,
    status: "ok" as const,
  })),
  bind(
    contract.uploadBundle,
    (ctx, { body, idempotency, query }) =>
      uploads.uploadBundle(ctx, body, { idempotency, takesOver: query.take_over ?? true }),
  ),
  bind(contract.listCertificateDetails, (ctx, { query }) => service.listDetails(ctx, query)),
  bind(contract.exportCertificates, async (ctx, { query }) => {
    const { format = "pem", bom, ...rest } = query;
    return marked(await service.exportAll(ctx, format, rest), bom);
  }),
  bind(contract.getCertificate, (ctx, { params }) => service.get(ctx, params.id)),
  bind(contract.deleteCertificate, async (ctx, { params }) => {
    await service.remove(ctx, params.id);
    return { message: "removed" as const, status: "ok" as const };
  }),
];

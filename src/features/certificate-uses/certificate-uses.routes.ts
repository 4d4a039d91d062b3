import { ok } from "../../contract/envelope.ts";
import { bind } from "../../http/routes.ts";
import * as contract from "./certificate-uses.contract.ts";
import * as service from "./certificate-uses.service.ts";

/** Who names a certificate. */
export const certificateUseRoutes = [
  bind(contract.getCertificateDependencies, (ctx, { params }) => service.usesOf(ctx, params.id)),
  bind(contract.deleteCertificateDependencies, async (ctx, { params }) => {
    await service.requireCertificate(ctx, params.id);
    return ok("Certificate dependencies deletion successfully attempted.");
  }),
  bind(contract.listCertificateUses, (ctx, { params }) => service.v1UsesOf(ctx, params.id)),
  bind(contract.listApisOfCertificate, (ctx, { params }) => service.apisOf(ctx, params.id)),
];

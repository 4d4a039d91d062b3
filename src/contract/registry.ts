import * as certificates from "../certificates/certificates.contract.ts";
import * as claims from "../claims/claims.contract.ts";
import { healthz, openapi, readyz } from "../http/health.contract.ts";
import * as keyRequests from "../key-requests/key-requests.contract.ts";
import * as native from "../key-requests/native.contract.ts";
import type { Endpoint } from "./endpoint.ts";

/** Every endpoint there is, in the order in which the reference shows them. */
export const endpoints: readonly Endpoint[] = [
  keyRequests.listKeyRequests,
  keyRequests.getKeyRequest,
  keyRequests.createKeyRequest,
  keyRequests.updateKeyRequest,
  keyRequests.deleteKeyRequest,
  keyRequests.approveKeyRequest,
  native.listNativeKeyRequests,
  native.countKeyRequests,
  native.getNativeKeyRequest,
  native.approveNativeKeyRequest,
  native.declineKeyRequest,
  native.reopenKeyRequest,
  native.setDeclineReason,
  native.approveKeyRequests,
  native.declineKeyRequests,
  claims.listClaims,
  claims.withdrawClaim,
  claims.openClaim,
  claims.claimPage,
  claims.claimScript,
  claims.claimStyle,
  certificates.listCertificates,
  certificates.uploadCertificate,
  certificates.uploadBundle,
  certificates.listCertificateDetails,
  certificates.exportCertificates,
  certificates.getCertificate,
  certificates.deleteCertificate,
  healthz,
  readyz,
  openapi,
];

import * as organisations from "../access/organisations.contract.ts";
import * as people from "../access/people.contract.ts";
import * as sessions from "../access/sessions.contract.ts";
import * as activity from "../activity/activity.contract.ts";
import * as certificates from "../certificates/certificates.contract.ts";
import * as nativeCertificates from "../certificates/native.contract.ts";
import * as claims from "../claims/claims.contract.ts";
import * as native from "../key-requests/native.contract.ts";
import * as developers from "../developer-accounts/developer-accounts.contract.ts";
import * as nativeDevelopers from "../developer-accounts/native.contract.ts";
import * as portal from "../catalogue/portal.contract.ts";
import * as plans from "../plans/plans.contract.ts";
import { healthz, openapi, readyz } from "../http/health.contract.ts";
import * as keyRequests from "../key-requests/key-requests.contract.ts";
import * as developerKeys from "../keys/developer-keys.contract.ts";
import * as keys from "../keys/keys.contract.ts";
import * as oauth from "../oauth/oauth.contract.ts";
import * as verification from "../verification/verification.contract.ts";
import { getServerInfo } from "../server-info/server-info.contract.ts";
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
  developers.listDevelopers,
  developers.createDeveloper,
  developers.getDeveloper,
  developers.updateDeveloper,
  developers.deleteDeveloper,
  developers.getDeveloperByEmail,
  developers.verifyCredentials,
  developers.setPassword,
  nativeDevelopers.listNativeDevelopers,
  nativeDevelopers.createNativeDeveloper,
  nativeDevelopers.getNativeDeveloper,
  nativeDevelopers.editDeveloper,
  nativeDevelopers.deactivateDeveloper,
  nativeDevelopers.reactivateDeveloper,
  nativeDevelopers.deleteNativeDeveloper,
  portal.getCatalogue,
  portal.createCatalogue,
  portal.updateCatalogue,
  portal.getConfiguration,
  portal.createConfiguration,
  portal.updateConfiguration,
  plans.listPlans,
  plans.createPlan,
  plans.getPlan,
  plans.updatePlan,
  plans.deletePlan,
  developerKeys.issueDeveloperKey,
  developerKeys.updateDeveloperKey,
  developerKeys.deleteDeveloperKey,
  keys.listKeys,
  keys.findKeyEndpoint,
  keys.getKey,
  keys.suspendKey,
  keys.resumeKey,
  keys.revokeKey,
  keys.rotateKeyEndpoint,
  keys.setKeyPlans,
  keys.setKeyExpiry,
  keys.reissueKeyEndpoint,
  certificates.listCertificates,
  certificates.uploadCertificate,
  certificates.uploadBundle,
  certificates.listCertificateDetails,
  certificates.exportCertificates,
  certificates.getCertificate,
  certificates.deleteCertificate,
  nativeCertificates.listNativeCertificates,
  nativeCertificates.countNativeCertificates,
  nativeCertificates.getNativeCertificate,
  nativeCertificates.downloadCertificate,
  nativeCertificates.listIssuedCertificates,
  nativeCertificates.uploadCertificates,
  nativeCertificates.deleteNativeCertificate,
  oauth.issueToken,
  oauth.introspectToken,
  oauth.revokeToken,
  verification.verifyKey,
  verification.forwardAuth,
  activity.listActivity,
  activity.exportActivity,
  people.listPeople,
  people.createPerson,
  people.getPerson,
  people.updatePerson,
  people.deletePerson,
  people.listPersonCredentials,
  people.issueAccessCredential,
  people.revokeAccessCredential,
  people.rotateAccessCredential,
  organisations.listOrganisations,
  organisations.createOrganisation,
  sessions.signIn,
  sessions.getSession,
  sessions.signOut,
  sessions.getCaller,
  getServerInfo,
  healthz,
  readyz,
  openapi,
];

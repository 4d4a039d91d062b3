import type { Endpoint } from "../contract/endpoint.ts";
import * as organisations from "../features/access/organisations.contract.ts";
import * as people from "../features/access/people.contract.ts";
import * as sessions from "../features/access/sessions.contract.ts";
import * as activity from "../features/activity/activity.contract.ts";
import * as portal from "../features/catalogue/portal.contract.ts";
import * as nativePlans from "../features/catalogue/v1.contract.ts";
import * as certificates from "../features/certificates/certificates.contract.ts";
import * as nativeCertificates from "../features/certificates/v1.contract.ts";
import * as claims from "../features/claims/claims.contract.ts";
import * as developers from "../features/developer-accounts/developer-accounts.contract.ts";
import * as nativeDevelopers from "../features/developer-accounts/v1.contract.ts";
import * as keyRequests from "../features/key-requests/key-requests.contract.ts";
import * as native from "../features/key-requests/v1.contract.ts";
import * as developerKeys from "../features/keys/developer-keys.contract.ts";
import * as keys from "../features/keys/keys.contract.ts";
import * as namedKeys from "../features/keys/named-keys.contract.ts";
import * as oauth from "../features/oauth/oauth.contract.ts";
import * as plans from "../features/plans/plans.contract.ts";
import * as keyActivity from "../features/usage/activity-keys.contract.ts";
import * as usage from "../features/usage/v1.contract.ts";
import * as verification from "../features/verification/verification.contract.ts";
import { healthz, readyz } from "../http/health.contract.ts";
import { getServerInfo } from "../operations/server-info/server-info.contract.ts";
import { openapi, openapi31, referenceFile, referencePage } from "./reference.contract.ts";

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
  plans.searchPlans,
  plans.createPlan,
  plans.getPlan,
  plans.updatePlan,
  plans.deletePlan,
  nativePlans.listNativePlans,
  nativePlans.createNativePlan,
  nativePlans.getNativePlan,
  nativePlans.editPlan,
  nativePlans.deactivatePlan,
  nativePlans.activatePlan,
  nativePlans.setPlanApproval,
  nativePlans.deleteNativePlan,
  nativePlans.listCatalogue,
  developerKeys.issueDeveloperKey,
  developerKeys.updateDeveloperKey,
  developerKeys.deleteDeveloperKey,
  namedKeys.revokeKeyOfPlan,
  namedKeys.revokeKeyOfApi,
  namedKeys.revokeNamedKey,
  keys.listKeys,
  keys.findKeyEndpoint,
  keys.getKey,
  keys.suspendKey,
  keys.resumeKey,
  keys.revokeKey,
  keys.rotateKeyEndpoint,
  keys.issueKeyEndpoint,
  keys.setKeyPlans,
  keys.setKeyExpiry,
  native.reissueKeyEndpoint,
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
  usage.getUsage,
  keyActivity.getKeyActivity,
  keyActivity.getKeysActivity,
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
  openapi31,
  referencePage,
  referenceFile,
];

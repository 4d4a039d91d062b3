import type * as organisations from "../../src/features/access/organisations.contract.ts";
import type * as people from "../../src/features/access/people.contract.ts";
import type * as sessions from "../../src/features/access/sessions.contract.ts";
import type * as activity from "../../src/features/activity/activity.contract.ts";
import type * as alerts from "../../src/features/alerts/alerts.contract.ts";
import type * as branding from "../../src/features/branding/branding.contract.ts";
import type * as apis from "../../src/features/catalogue/apis.contract.ts";
import type * as plans from "../../src/features/catalogue/v1.contract.ts";
import type * as certificates from "../../src/features/certificates/v1.contract.ts";
import type * as certificateUses from "../../src/features/certificate-uses/certificate-uses.contract.ts";
import type * as claims from "../../src/features/claims/claims.contract.ts";
import type * as deliveries from "../../src/features/deliveries/deliveries.contract.ts";
import type * as mail from "../../src/features/deliveries/mail.contract.ts";
import type * as targets from "../../src/features/deliveries/targets.contract.ts";
import type * as deletedDevelopers from "../../src/features/developer-accounts/deleted-developers.contract.ts";
import type * as developers from "../../src/features/developer-accounts/v1.contract.ts";
import type * as developerEmails from "../../src/features/developer-emails/developer-emails.contract.ts";
import type * as requests from "../../src/features/key-requests/v1.contract.ts";
import type * as insight from "../../src/features/insight/insight.contract.ts";
import type * as keys from "../../src/features/keys/keys.contract.ts";
import type * as usage from "../../src/features/usage/v1.contract.ts";
import type * as verification from "../../src/features/verification/verification.contract.ts";
import type * as server from "../../src/operations/server-info/server-info.contract.ts";
import type * as trail from "../../src/operations/trail/trail.contract.ts";
import { route } from "./route.ts";

/** Every endpoint that the console calls. Each is `route<typeof contract.endpoint>(method, path)`. */

export const signIn = route<typeof sessions.signIn>("POST", "/v1/session");
export const getSession = route<typeof sessions.getSession>("GET", "/v1/session");
export const getCaller = route<typeof sessions.getCaller>("GET", "/v1/me");
export const signOut = route<typeof sessions.signOut>("DELETE", "/v1/session");
export const listSessions = route<typeof sessions.listSessions>("GET", "/v1/sessions");
export const endSession = route<typeof sessions.endSession>("DELETE", "/v1/sessions/{id}");
export const endSessions = route<typeof sessions.endSessions>("DELETE", "/v1/sessions");

export const getEnds = route<typeof insight.getEnds>("GET", "/v1/insight/ends");
export const getBusiest = route<typeof insight.getBusiest>("GET", "/v1/insight/usage");
export const getFirstSteps = route<typeof insight.getFirstSteps>("GET", "/v1/insight/first-steps");

export const listKeyRequests = route<typeof requests.listNativeKeyRequests>(
  "GET",
  "/v1/key-requests",
);
export const exportKeyRequests = route<typeof requests.exportKeyRequests>(
  "GET",
  "/v1/key-requests/export",
);
export const createKeyRequest = route<typeof requests.createNativeKeyRequest>(
  "POST",
  "/v1/key-requests",
);
export const countKeyRequests = route<typeof requests.countKeyRequests>(
  "GET",
  "/v1/key-requests/counts",
);
export const getKeyRequest = route<typeof requests.getNativeKeyRequest>(
  "GET",
  "/v1/key-requests/{id}",
);
export const approveKeyRequest = route<typeof requests.approveNativeKeyRequest>(
  "POST",
  "/v1/key-requests/{id}/approve",
);
export const declineKeyRequest = route<typeof requests.declineKeyRequest>(
  "POST",
  "/v1/key-requests/{id}/decline",
);
export const reopenKeyRequest = route<typeof requests.reopenKeyRequest>(
  "POST",
  "/v1/key-requests/{id}/reopen",
);
export const setDeclineReason = route<typeof requests.setDeclineReason>(
  "PUT",
  "/v1/key-requests/{id}/reason",
);
export const approveKeyRequests = route<typeof requests.approveKeyRequests>(
  "POST",
  "/v1/key-requests/approve",
);
export const declineKeyRequests = route<typeof requests.declineKeyRequests>(
  "POST",
  "/v1/key-requests/decline",
);

export const listClaims = route<typeof claims.listClaims>("GET", "/v1/claims");
export const withdrawClaim = route<typeof claims.withdrawClaim>("DELETE", "/v1/claims/{id}");

export const listKeys = route<typeof keys.listKeys>("GET", "/v1/keys");
export const exportKeys = route<typeof keys.exportKeys>("GET", "/v1/keys/export");
export const findKey = route<typeof keys.findKeyEndpoint>("POST", "/v1/keys/find");
export const verifyKey = route<typeof verification.verifyKey>("POST", "/v1/keys/verify");
export const getKey = route<typeof keys.getKey>("GET", "/v1/keys/{key_id}");
export const suspendKey = route<typeof keys.suspendKey>("POST", "/v1/keys/{key_id}/suspend");
export const resumeKey = route<typeof keys.resumeKey>("POST", "/v1/keys/{key_id}/resume");
export const revokeKey = route<typeof keys.revokeKey>("POST", "/v1/keys/{key_id}/revoke");
export const restoreKey = route<typeof keys.restoreKey>("POST", "/v1/keys/{key_id}/restore");
export const rotateKey = route<typeof keys.rotateKeyEndpoint>("POST", "/v1/keys/{key_id}/rotate");
export const setKeyPlans = route<typeof keys.setKeyPlans>("PUT", "/v1/keys/{key_id}/plans");
export const listKeyLabels = route<typeof keys.listKeyLabels>("GET", "/v1/keys/labels");
export const setKeyLabels = route<typeof keys.setKeyLabels>("PUT", "/v1/keys/{key_id}/labels");
export const setKeyExpiry = route<typeof keys.setKeyExpiry>("PUT", "/v1/keys/{key_id}/expiry");
export const reissueKey = route<typeof requests.reissueKeyEndpoint>(
  "POST",
  "/v1/key-requests/{id}/reissue",
);

export const issueKey = route<typeof keys.issueKeyEndpoint>("POST", "/v1/developers/{id}/keys");

export const listDevelopers = route<typeof developers.listNativeDevelopers>(
  "GET",
  "/v1/developers",
);
export const exportDevelopers = route<typeof developers.exportDevelopers>(
  "GET",
  "/v1/developers/export",
);
export const getDeveloper = route<typeof developers.getNativeDeveloper>(
  "GET",
  "/v1/developers/{id}",
);
export const createDeveloper = route<typeof developers.createNativeDeveloper>(
  "POST",
  "/v1/developers",
);
export const editDeveloper = route<typeof developers.editDeveloper>("PUT", "/v1/developers/{id}");
export const confirmDeveloperEmail = route<typeof developerEmails.confirmDeveloperEmail>(
  "POST",
  "/v1/developers/{id}/email/confirm",
);
export const deactivateDeveloper = route<typeof developers.deactivateDeveloper>(
  "POST",
  "/v1/developers/{id}/deactivate",
);
export const reactivateDeveloper = route<typeof developers.reactivateDeveloper>(
  "POST",
  "/v1/developers/{id}/reactivate",
);
export const deleteDeveloper = route<typeof developers.deleteNativeDeveloper>(
  "DELETE",
  "/v1/developers/{id}",
);

export const listDeletedDevelopers = route<typeof deletedDevelopers.listDeletedDevelopers>(
  "GET",
  "/v1/developers/deleted",
);
export const restoreDeveloper = route<typeof deletedDevelopers.restoreDeveloper>(
  "POST",
  "/v1/developers/{id}/restore",
);

export const listPlans = route<typeof plans.listNativePlans>("GET", "/v1/plans");
export const getPlan = route<typeof plans.getNativePlan>("GET", "/v1/plans/{id}");
export const createPlan = route<typeof plans.createNativePlan>("POST", "/v1/plans");
export const editPlan = route<typeof plans.editPlan>("PUT", "/v1/plans/{id}");
export const deactivatePlan = route<typeof plans.deactivatePlan>(
  "POST",
  "/v1/plans/{id}/deactivate",
);
export const activatePlan = route<typeof plans.activatePlan>("POST", "/v1/plans/{id}/activate");
export const setPlanApproval = route<typeof plans.setPlanApproval>(
  "PUT",
  "/v1/plans/{id}/approval",
);
export const deletePlan = route<typeof plans.deleteNativePlan>("DELETE", "/v1/plans/{id}");
export const listCatalogue = route<typeof plans.listCatalogue>("GET", "/v1/catalogue");

export const listApis = route<typeof apis.listApis>("GET", "/v1/apis");
export const getApi = route<typeof apis.getApi>("GET", "/v1/apis/{id}");
export const createApi = route<typeof apis.createApi>("POST", "/v1/apis");
export const editApi = route<typeof apis.editApi>("PUT", "/v1/apis/{id}");
export const deleteApi = route<typeof apis.deleteApi>("DELETE", "/v1/apis/{id}");

export const listCertificates = route<typeof certificates.listNativeCertificates>(
  "GET",
  "/v1/certificates",
);
export const countCertificates = route<typeof certificates.countNativeCertificates>(
  "GET",
  "/v1/certificates/counts",
);
export const exportCertificates = route<typeof certificates.exportNativeCertificates>(
  "GET",
  "/v1/certificates/export",
);
export const getCertificate = route<typeof certificates.getNativeCertificate>(
  "GET",
  "/v1/certificates/{id}",
);
export const listIssued = route<typeof certificates.listIssuedCertificates>(
  "GET",
  "/v1/certificates/{id}/issued",
);
export const listUses = route<typeof certificateUses.listCertificateUses>(
  "GET",
  "/v1/certificates/{id}/uses",
);
export const uploadCertificates = route<typeof certificates.uploadCertificates>(
  "POST",
  "/v1/certificates",
);
export const updateCertificate = route<typeof certificates.updateCertificate>(
  "PUT",
  "/v1/certificates/{id}",
);
export const deleteCertificate = route<typeof certificates.deleteNativeCertificate>(
  "DELETE",
  "/v1/certificates/{id}",
);

export const getAlertRules = route<typeof alerts.getAlertRules>("GET", "/v1/settings/alerts");
export const setAlertRules = route<typeof alerts.setAlertRules>("PUT", "/v1/settings/alerts");
export const getCertificateAlerts = route<typeof alerts.getCertificateAlerts>(
  "GET",
  "/v1/certificates/{id}/alerts",
);
export const muteCertificate = route<typeof alerts.muteCertificate>(
  "PUT",
  "/v1/certificates/{id}/mute",
);
export const unmuteCertificate = route<typeof alerts.unmuteCertificate>(
  "DELETE",
  "/v1/certificates/{id}/mute",
);
export const getKeyAlerts = route<typeof alerts.getKeyAlerts>("GET", "/v1/keys/{key_id}/alerts");
export const muteKey = route<typeof alerts.muteKey>("PUT", "/v1/keys/{key_id}/mute");
export const unmuteKey = route<typeof alerts.unmuteKey>("DELETE", "/v1/keys/{key_id}/mute");

export const getUsage = route<typeof usage.getUsage>("GET", "/v1/usage");

export const listActivity = route<typeof activity.listActivity>("GET", "/v1/activity");
export const getActivityProof = route<typeof trail.getActivityProof>(
  "GET",
  "/v1/activity/{id}/proof",
);
export const exportActivity = route<typeof activity.exportActivity>("GET", "/v1/activity/export");

export const listPeople = route<typeof people.listPeople>("GET", "/v1/people");
export const createPerson = route<typeof people.createPerson>("POST", "/v1/people");
export const getPerson = route<typeof people.getPerson>("GET", "/v1/people/{id}");
export const updatePerson = route<typeof people.updatePerson>("PUT", "/v1/people/{id}");
export const deletePerson = route<typeof people.deletePerson>("DELETE", "/v1/people/{id}");
export const listPersonCredentials = route<typeof people.listPersonCredentials>(
  "GET",
  "/v1/people/{id}/credentials",
);
export const issueAccessCredential = route<typeof people.issueAccessCredential>(
  "POST",
  "/v1/people/{id}/credentials",
);
export const limitAccessCredential = route<typeof people.limitAccessCredential>(
  "PUT",
  "/v1/credentials/{id}/addresses",
);
export const suspendPerson = route<typeof people.suspendPerson>("POST", "/v1/people/{id}/suspend");
export const resumePerson = route<typeof people.resumePerson>("POST", "/v1/people/{id}/resume");
export const revokeAccessCredential = route<typeof people.revokeAccessCredential>(
  "DELETE",
  "/v1/credentials/{id}",
);
export const rotateAccessCredential = route<typeof people.rotateAccessCredential>(
  "POST",
  "/v1/credentials/{id}/rotate",
);

export const listOrganisations = route<typeof organisations.listOrganisations>(
  "GET",
  "/v1/organisations",
);
export const createOrganisation = route<typeof organisations.createOrganisation>(
  "POST",
  "/v1/organisations",
);
export const getSignInBranding = route<typeof branding.getSignInBranding>(
  "GET",
  "/v1/branding/sign-in",
);
export const getBranding = route<typeof branding.getBranding>("GET", "/v1/branding");
export const putBranding = route<typeof branding.putBranding>("PUT", "/v1/branding");
export const getServerInfo = route<typeof server.getServerInfo>("GET", "/v1/server");

export const listTargets = route<typeof targets.listTargets>("GET", "/v1/targets");
export const getTarget = route<typeof targets.getTarget>("GET", "/v1/targets/{id}");
export const createTarget = route<typeof targets.createTarget>("POST", "/v1/targets");
export const updateTarget = route<typeof targets.updateTarget>("PUT", "/v1/targets/{id}");
export const deleteTarget = route<typeof targets.deleteTarget>("DELETE", "/v1/targets/{id}");
export const pauseTarget = route<typeof targets.pauseTarget>("POST", "/v1/targets/{id}/pause");
export const resumeTarget = route<typeof targets.resumeTarget>("POST", "/v1/targets/{id}/resume");
export const testTarget = route<typeof targets.testTarget>("POST", "/v1/targets/{id}/test");
export const previewMail = route<typeof mail.previewMail>("POST", "/v1/targets/{id}/preview");
export const rotateTargetSecret = route<typeof targets.rotateTargetSecret>(
  "POST",
  "/v1/targets/{id}/rotate",
);
export const listDeliveries = route<typeof deliveries.listDeliveries>("GET", "/v1/deliveries");
export const countDeliveries = route<typeof deliveries.countDeliveries>(
  "GET",
  "/v1/deliveries/counts",
);
export const getDelivery = route<typeof deliveries.getDelivery>("GET", "/v1/deliveries/{id}");
export const replayDelivery = route<typeof deliveries.replayDelivery>(
  "POST",
  "/v1/deliveries/{id}/replay",
);

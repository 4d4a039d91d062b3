import * as organisations from "../access/organisations.contract.ts";
import * as people from "../access/people.contract.ts";
import * as sessions from "../access/sessions.contract.ts";
import * as activity from "../activity/activity.contract.ts";
import * as certificates from "../certificates/certificates.contract.ts";
import { healthz, openapi, readyz } from "../http/health.contract.ts";
import * as keyRequests from "../key-requests/key-requests.contract.ts";
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
  certificates.listCertificates,
  certificates.uploadCertificate,
  certificates.uploadBundle,
  certificates.listCertificateDetails,
  certificates.exportCertificates,
  certificates.getCertificate,
  certificates.deleteCertificate,
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

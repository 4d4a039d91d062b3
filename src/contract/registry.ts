import * as people from "../access/people.contract.ts";
import * as activity from "../activity/activity.contract.ts";
import * as certificates from "../certificates/certificates.contract.ts";
import { healthz, openapi, readyz } from "../http/health.contract.ts";
import * as keyRequests from "../key-requests/key-requests.contract.ts";
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
  healthz,
  readyz,
  openapi,
];

import { approveTransaction } from "./key-requests/approve.transactions.ts";
import { accessCredentialTransactions } from "./access/access-credentials.transactions.ts";
import { createOrganisation } from "./access/organisations.transactions.ts";
import { sessionTransactions } from "./access/sessions.transactions.ts";
import { peopleTransactions } from "./access/people.transactions.ts";
import { bootstrapTransactions } from "./access/access.transactions.ts";
import { changeApproval } from "./catalogue/approval.transactions.ts";
import { portalTransactions } from "./catalogue/portal.transactions.ts";
import { planTransactions } from "./plans/plans.transactions.ts";
import {
  addCertificates,
  removeTransaction as removeCertificate,
} from "./certificates/certificates.transactions.ts";
import { adoptMurmurKey } from "./keys/adopt-murmur-key.transactions.ts";
import { importKeys } from "./keys/import-keys.transactions.ts";
import { changeExpiry, changePlans, changeState } from "./keys/key-life.transactions.ts";
import { issueKey, reissueKey, rotateKey } from "./keys/mint-key.transactions.ts";
import {
  createTransaction,
  removeTransaction,
  updateTransaction,
} from "./key-requests/key-requests.transactions.ts";
import {
  approveNative,
  changeReason,
  declineRequest,
  reopenRequest,
} from "./key-requests/decisions.transactions.ts";
import { indexChanges } from "./key-requests/search.transactions.ts";
import { openClaim, withdrawClaim } from "./claims/claims.transactions.ts";
import { developerAccountTransactions } from "./developer-accounts/developer-accounts.transactions.ts";
import { indexDevelopers } from "./developers/developer-words.transactions.ts";
import { oauthTransactions } from "./oauth/oauth.transactions.ts";
import { resealChunk } from "./sealing/reseal.transactions.ts";
import { checkSealingKeys } from "./sealing/sealing-keys.store.ts";
import { seedTransactions } from "./seed/seed.transactions.ts";
import { noteUses } from "./verification/last-uses.transactions.ts";
import { quotaTransactions } from "./verification/quotas.transactions.ts";
import type { Transaction } from "./storage/storage.ts";

/** Every state change there is. The writer thread finds them here by id. */
export const transactions: readonly Transaction<never, unknown>[] = [
  createTransaction,
  updateTransaction,
  removeTransaction,
  approveTransaction,
  approveNative,
  declineRequest,
  reopenRequest,
  changeReason,
  indexChanges,
  openClaim,
  withdrawClaim,
  ...developerAccountTransactions,
  indexDevelopers,
  ...portalTransactions,
  changeApproval,
  ...planTransactions,
  changeState,
  changePlans,
  changeExpiry,
  issueKey,
  rotateKey,
  reissueKey,
  adoptMurmurKey,
  importKeys,
  addCertificates,
  removeCertificate,
  checkSealingKeys,
  resealChunk,
  noteUses,
  ...quotaTransactions,
  ...bootstrapTransactions,
  ...oauthTransactions,
  ...peopleTransactions,
  ...accessCredentialTransactions,
  ...sessionTransactions,
  createOrganisation,
  ...seedTransactions,
];

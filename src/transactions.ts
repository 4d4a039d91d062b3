import { approveTransaction } from "./key-requests/approve.transactions.ts";
import { bootstrapTransactions } from "./access/access.transactions.ts";
import {
  addCertificates,
  removeTransaction as removeCertificate,
} from "./certificates/certificates.transactions.ts";
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
import { resealChunk } from "./sealing/reseal.transactions.ts";
import { checkSealingKeys } from "./sealing/sealing-keys.store.ts";
import { seedTransactions } from "./seed/seed.transactions.ts";
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
  addCertificates,
  removeCertificate,
  checkSealingKeys,
  resealChunk,
  ...bootstrapTransactions,
  ...seedTransactions,
];

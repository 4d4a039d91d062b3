import { approveTransaction } from "./key-requests/approve.transactions.ts";
import { accessCredentialTransactions } from "./access/access-credentials.transactions.ts";
import { createOrganisation } from "./access/organisations.transactions.ts";
import { sessionTransactions } from "./access/sessions.transactions.ts";
import { peopleTransactions } from "./access/people.transactions.ts";
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
  addCertificates,
  removeCertificate,
  checkSealingKeys,
  resealChunk,
  ...bootstrapTransactions,
  ...peopleTransactions,
  ...accessCredentialTransactions,
  ...sessionTransactions,
  createOrganisation,
  ...seedTransactions,
];

import { noteDamage } from "./calls/damages.transactions.ts";
import { writeTrailRows } from "./calls/trail-notes.transactions.ts";
import { accessTokenTransactions } from "./features/access/access-tokens.transactions.ts";
import { bootstrapTransactions } from "./features/access/access.transactions.ts";
import { createOrganisation } from "./features/access/organisations.transactions.ts";
import { peopleTransactions } from "./features/access/people.transactions.ts";
import { sessionTransactions } from "./features/access/sessions.transactions.ts";
import { replaceBranding } from "./features/branding/branding.transactions.ts";
import { apiTransactions } from "./features/catalogue/apis.transactions.ts";
import { tokenUseTransactions } from "./features/access/token-uses.transactions.ts";
import { changeApproval } from "./features/catalogue/approval.transactions.ts";
import { documentTransactions } from "./features/catalogue/documents.transactions.ts";
import { portalTransactions } from "./features/catalogue/portal.transactions.ts";
import {
  addCertificates,
  removeTransaction as removeCertificate,
} from "./features/certificates/certificates.transactions.ts";
import { handingOverTransactions } from "./features/claims/access-tokens.transactions.ts";
import {
  changeCare,
  nameCertificates,
} from "./features/certificates/certificate-care.transactions.ts";
import { alertTransactions } from "./features/alerts/alerts.transactions.ts";
import { openClaim, withdrawClaim } from "./features/claims/claims.transactions.ts";
import { fanOut } from "./features/deliveries/fan-out.transactions.ts";
import { replayOne, replaySpan } from "./features/deliveries/replay.transactions.ts";
import { claimDue, settle } from "./features/deliveries/sending.transactions.ts";
import { targetTransactions } from "./features/deliveries/targets.transactions.ts";
import { developerEmailTransactions } from "./features/developer-emails/developer-emails.transactions.ts";
import { developerAccountTransactions } from "./features/developer-accounts/developer-accounts.transactions.ts";
import { indexDevelopers } from "./features/developers/developer-words.transactions.ts";
import { foldEmails } from "./features/developers/folded-emails.transactions.ts";
import { hashSsoKeys } from "./features/developers/sso-keys.transactions.ts";
import { approveTransaction } from "./features/key-requests/approve.transactions.ts";
import {
  approveV1,
  changeReason,
  declineRequest,
  reopenRequest,
} from "./features/key-requests/decisions.transactions.ts";
import {
  createTransaction,
  removeTransaction,
  updateTransaction,
} from "./features/key-requests/key-requests.transactions.ts";
import { viewTransactions } from "./features/views/views.transactions.ts";
import { jobTransactions } from "./features/jobs/jobs.transactions.ts";
import { decideRow, noteFailure } from "./features/jobs/decide-row.transactions.ts";
import { reissueKey } from "./features/key-requests/reissue.transactions.ts";
import { indexChanges } from "./features/key-requests/search.transactions.ts";
import { adoptMurmurKey } from "./features/keys/adopt-murmur-key.transactions.ts";
import { importKeys } from "./features/keys/import-keys.transactions.ts";
import {
  changeExpiry,
  changePlans,
  changeState,
  resetQuota,
} from "./features/keys/key-life.transactions.ts";
import { changeLabels } from "./features/keys/label-key.transactions.ts";
import { issueKey, rotateKey } from "./features/keys/mint-key.transactions.ts";
import { tellOfBrake } from "./features/credentials/revoke-brake.transactions.ts";
import { restoreKey } from "./features/keys/restore-key.transactions.ts";
import { revokeNamed } from "./features/keys/revoke-named.transactions.ts";
import { leakTransactions } from "./features/leaks/leaks.transactions.ts";
import { oauthTransactions } from "./features/oauth/oauth.transactions.ts";
import { planTransactions } from "./features/plans/plans.transactions.ts";
import { addUsage } from "./features/usage/usage.transactions.ts";
import { noteUses } from "./features/verification/last-uses.transactions.ts";
import { quotaTransactions } from "./features/verification/quotas.transactions.ts";
import { checksumTransactions } from "./operations/damage/checksums.transactions.ts";
import { movingInTransactions } from "./operations/moving-in/take-in.transactions.ts";
import { nodeTransactions } from "./operations/nodes/nodes.transactions.ts";
import { retentionTransactions } from "./operations/retention/retention.transactions.ts";
import { appendToTrail } from "./operations/trail/append.transactions.ts";
import { eraseFromTrail } from "./operations/trail/erase.transactions.ts";
import { scrubTransactions } from "./operations/damage/scrub.transactions.ts";
import { acceptLoss } from "./operations/sealing-keys/accept-loss.transactions.ts";
import { resealChunk } from "./operations/sealing-keys/reseal.transactions.ts";
import { checkSealingKeys } from "./operations/sealing-keys/sealing-keys.store.ts";
import { seedTransactions } from "./operations/seed/seed.transactions.ts";
import type { Transaction } from "./storage/storage.ts";
import { attemptWrite } from "./storage/write-attempt.ts";

/** Every state change there is. The writer thread finds them here by id. */
export const transactions: readonly Transaction<never, unknown>[] = [
  createTransaction,
  updateTransaction,
  removeTransaction,
  approveTransaction,
  approveV1,
  declineRequest,
  reopenRequest,
  changeReason,
  indexChanges,
  openClaim,
  replaceBranding,
  withdrawClaim,
  ...developerAccountTransactions,
  ...developerEmailTransactions,
  indexDevelopers,
  foldEmails,
  hashSsoKeys,
  ...portalTransactions,
  ...apiTransactions,
  ...documentTransactions,
  changeApproval,
  ...planTransactions,
  changeState,
  restoreKey,
  tellOfBrake,
  revokeNamed,
  changePlans,
  changeExpiry,
  changeLabels,
  resetQuota,
  issueKey,
  rotateKey,
  reissueKey,
  adoptMurmurKey,
  importKeys,
  addCertificates,
  removeCertificate,
  changeCare,
  nameCertificates,
  attemptWrite,
  checkSealingKeys,
  resealChunk,
  acceptLoss,
  ...checksumTransactions,
  ...scrubTransactions,
  ...nodeTransactions,
  ...retentionTransactions,
  appendToTrail,
  eraseFromTrail,
  noteUses,
  addUsage,
  ...quotaTransactions,
  ...bootstrapTransactions,
  ...oauthTransactions,
  ...peopleTransactions,
  ...accessTokenTransactions,
  ...sessionTransactions,
  ...tokenUseTransactions,
  createOrganisation,
  ...seedTransactions,
  writeTrailRows,
  noteDamage,
  ...handingOverTransactions,
  ...leakTransactions,
  ...targetTransactions,
  fanOut,
  claimDue,
  settle,
  replayOne,
  replaySpan,
  ...movingInTransactions,
  ...alertTransactions,
  ...jobTransactions,
  ...viewTransactions,
  decideRow,
  noteFailure,
];

import type { Compilable } from "kysely";
import type { Dialect, QueryBuilder } from "../statement.ts";
import { startSchema } from "./0012-start.ts";
import { plansPermissionSchema } from "./0013-plans-permission.ts";
import { planIdsSchema } from "./0014-plan-ids.ts";
import { usageSchema } from "./0015-usage.ts";
import { portalCompanionsSchema } from "./0016-companions-of-portals.ts";
import { certificateEndsSchema } from "./0017-certificate-ends.ts";
import { trailSchema } from "./0018-trail.ts";
import { sessionsAndLimitsSchema } from "./0019-sessions-and-limits.ts";
import { accessTokensSchema } from "./0020-access-tokens.ts";
import { provableTrailSchema } from "./0021-provable-trail.ts";
import { checksumsSchema } from "./0022-checksums.ts";
import { leaksSchema } from "./0023-leaks.ts";
import { purgeClockSchema } from "./0024-purge-clock.ts";
import { pendingByPlanSchema } from "./0025-pending-by-plan.ts";
import { deliveriesSchema } from "./0026-deliveries.ts";
import { mailSchema } from "./0027-mail.ts";
import { alertsSchema } from "./0028-alerts.ts";
import { listedCertificatesSchema } from "./0029-listed-certificates.ts";
import { importsSchema } from "./0030-imports.ts";
import { brandingSchema } from "./0031-branding.ts";
import { otherSourcesSchema } from "./0032-other-sources.ts";
import { busiestSchema } from "./0033-busiest.ts";
import { jobsSchema } from "./0034-jobs.ts";
import { keyLabelsSchema } from "./0035-key-labels.ts";
import { viewsSchema } from "./0036-views.ts";
import { nodesSchema } from "./0037-nodes.ts";
import { developerEmailsSchema } from "./0038-developer-emails.ts";
import { endedKeysSchema } from "./0039-ended-keys.ts";
import { callerRequestIdsSchema } from "./0040-caller-request-ids.ts";
import { outboxActorsSchema } from "./0041-outbox-actors.ts";
import { endsOfJobsSchema } from "./0042-ends-of-jobs.ts";
import { chosenKeysSchema } from "./0043-chosen-keys.ts";
import { ssoNoncesSchema } from "./0044-sso-nonces.ts";
import { oneClockSchema } from "./0045-one-clock.ts";
import { deliverNowSchema } from "./0046-deliver-now.ts";
import { dismissedLeaksSchema } from "./0047-dismissed-leaks.ts";
import { trailOrderSchema } from "./0048-trail-order.ts";
import { certsAnswerSchema } from "./0049-certs-answer.ts";
import { developerSignInSchema } from "./0050-developer-sign-in.ts";
import { ownSuspensionsSchema } from "./0051-own-suspensions.ts";
import { developerMailsSchema } from "./0052-developer-mails.ts";
import { peopleSignInSchema } from "./0053-people-sign-in.ts";
import { refusalsSchema } from "./0054-refusals.ts";
import { developerViewsSchema } from "./0055-developer-views.ts";
import { conditionsSchema } from "./0056-conditions.ts";
import { identitiesSchema } from "./0057-identities.ts";
import { silentDoorsSchema } from "./0058-silent-doors.ts";
import { codesOfSignUpsSchema } from "./0059-codes-of-sign-ups.ts";
import { usedUpQuotasSchema } from "./0066-used-up-quotas.ts";
import { addedWordsSchema } from "./0067-added-words.ts";
import { remindersSchema } from "./0068-reminders.ts";
import { assignedRequestsSchema } from "./0069-assigned-requests.ts";
import { requestCommentsSchema } from "./0070-request-comments.ts";
import { headsOutsideSchema } from "./0071-heads-outside.ts";
import { oneTimeCodesSchema } from "./0072-one-time-codes.ts";
import { endsOfRequestsSchema } from "./0073-ends-of-requests.ts";
import { elevationsSchema } from "./0074-elevations.ts";
import { termsOfJobsSchema } from "./0075-terms-of-jobs.ts";
import { doorMinutesSchema } from "./0076-door-minutes.ts";
import { promisesSchema } from "./0077-promises.ts";
import { delegationsSchema } from "./0078-delegations.ts";
import { jobsOfKeysSchema } from "./0079-jobs-of-keys.ts";
import { elevationsOverSchema } from "./0080-elevations-over.ts";
import { unusedKeysSchema } from "./0081-unused-keys.ts";
import { trailSinkSchema } from "./0082-trail-sink.ts";
import { gatewaysSchema } from "./0083-gateways.ts";
import { gatewayPaceSchema } from "./0084-gateway-pace.ts";
import { gatewayPoliciesSchema } from "./0085-gateway-policies.ts";
import { developerTagsSchema } from "./0086-developer-tags.ts";
import { gatewayCertificatesSchema } from "./0087-gateway-certificates.ts";
import { mapsOfHashesSchema } from "./0088-maps-of-hashes.ts";
import { learnedKeysSchema } from "./0089-learned-keys.ts";
import { meterSchema } from "./0090-meter.ts";
import { mapEditionsSchema } from "./0091-map-editions.ts";
import { gatewayRedisSchema } from "./0092-gateway-redis.ts";
import { canaryRunsSchema } from "./0095-canary-runs.ts";
import { grantedAccessSchema } from "./0096-granted-access.ts";
import { providerStatesSchema } from "./0099-provider-states.ts";
import { certificateRenewalsSchema } from "./0100-certificate-renewals.ts";
import { mapReadersSchema } from "./0101-map-readers.ts";
import { providerRefusalsSchema } from "./0102-provider-refusals.ts";
import { namesOfAlgorithmsSchema } from "./0105-names-of-algorithms.ts";
import { certificateNameRangesSchema } from "./0104-certificate-name-ranges.ts";
import { invalidCertificatesSchema } from "./0103-invalid-certificates.ts";
import { unconfirmedGatewaysSchema } from "./0097-unconfirmed-gateways.ts";
import { followedKeysSchema } from "./0098-followed-keys.ts";
import { oneIndexOfObjectsSchema } from "./0093-one-index-of-objects.ts";
import { newKeysForGatewaysSchema } from "./0094-new-keys-for-gateways.ts";
import { laterEndsSchema } from "./0060-later-ends.ts";
import { signedApprovalsSchema } from "./0061-signed-approvals.ts";
import { developerIdentitiesSchema } from "./0062-developer-identities.ts";
import { rolesSchema } from "./0063-roles.ts";
import { chosenEndsSchema } from "./0064-chosen-ends.ts";
import { approvalPoliciesSchema } from "./0065-approval-policies.ts";

/** One step of the schema. Every step works with the previous release's code. */
export interface Migration {
  version: number;
  name: string;
  /** The version of the oldest code (its newest migration) that this schema still serves. */
  oldestCode: number;
  statements(db: QueryBuilder, dialect: Dialect): Compilable[];
}

/** All steps, in order; a step that has been released never changes. */
export const migrations: readonly Migration[] = [
  // The oldest that is opened: code before it would let in credentials beyond their scope.
  { version: 12, name: "start", oldestCode: 10, statements: startSchema },
  // Words that older code does not know grant nothing there; its own rule holds on its nodes while
  // they run.
  { version: 13, name: "plans-permission", oldestCode: 10, statements: plansPermissionSchema },
  // Older code would find plans by one of their ids alone, and refuse keys that name the other.
  { version: 14, name: "plan-ids", oldestCode: 14, statements: planIdsSchema },
  // Older code neither counts nor looks.
  { version: 15, name: "usage", oldestCode: 14, statements: usageSchema },
  // Developers that older code registers wait for their hashes, like those that were there; it
  // counts a quota that was reset from the key's issue on.
  { version: 16, name: "portal-companions", oldestCode: 14, statements: portalCompanionsSchema },
  // Code before it would add certificates without counting them by their end.
  { version: 17, name: "certificate-ends", oldestCode: 17, statements: certificateEndsSchema },
  // Older code writes rows of the trail without what it does not know; it opens no claim of an
  // access token.
  { version: 18, name: "trail", oldestCode: 17, statements: trailSchema },
  // On nodes of older code sessions have no idle end; developers that it registers wait to be
  // folded.
  { version: 19, name: "sessions-and-limits", oldestCode: 17, statements: sessionsAndLimitsSchema },
  // Code before it would let in who is suspended, and access tokens from outside of their
  // addresses.
  { version: 20, name: "access-tokens", oldestCode: 20, statements: accessTokensSchema },
  // Rows that older code writes carry no hash; they are taken into the log as such.
  { version: 21, name: "provable-trail", oldestCode: 20, statements: provableTrailSchema },
  // Older code writes rows without checksums, which count until they are demanded: see
  // CHECKSUMS_DEMANDED.
  { version: 22, name: "checksums", oldestCode: 20, statements: checksumsSchema },
  // Older code neither takes reports nor shows marks.
  { version: 23, name: "leaks", oldestCode: 20, statements: leaksSchema },
  // Nodes of older code go on purging by their clocks.
  { version: 24, name: "purge-clock", oldestCode: 20, statements: purgeClockSchema },
  // Older code finds the same rows by it.
  { version: 25, name: "pending-by-plan", oldestCode: 20, statements: pendingByPlanSchema },
  // What older code changes is told to no target; a replay tells it.
  { version: 26, name: "deliveries", oldestCode: 20, statements: deliveriesSchema },
  // Older code makes deliveries without recipients, which are made anew for each before they are
  // sent.
  { version: 27, name: "mail", oldestCode: 20, statements: mailSchema },
  // Certificates that older code adds wait for their names; it tells nobody of ends.
  { version: 28, name: "alerts", oldestCode: 20, statements: alertsSchema },
  // Older code finds the same rows by it.
  {
    version: 29,
    name: "listed-certificates",
    oldestCode: 20,
    statements: listedCertificatesSchema,
  },
  // Older code imports nothing from another system.
  { version: 30, name: "imports", oldestCode: 20, statements: importsSchema },
  // Older code shows no brand.
  { version: 31, name: "branding", oldestCode: 20, statements: brandingSchema },
  // Older code names no sources, and checks passwords that it finds by their e-mail address.
  { version: 32, name: "other-sources", oldestCode: 20, statements: otherSourcesSchema },
  // Older code counts into the same table.
  { version: 33, name: "busiest", oldestCode: 20, statements: busiestSchema },
  // Nodes of older code leave jobs to the others.
  { version: 34, name: "jobs", oldestCode: 20, statements: jobsSchema },
  // Older code gives keys no labels, and leaves those that they have.
  { version: 35, name: "key-labels", oldestCode: 20, statements: keyLabelsSchema },
  // Older code shows no views and goes by none of the orders; it leaves views of people that it
  // deactivates.
  { version: 36, name: "views", oldestCode: 20, statements: viewsSchema },
  // Processes of older code are not listed.
  { version: 37, name: "nodes", oldestCode: 20, statements: nodesSchema },
  // An address that older code changes counts as confirmed where it is the first change; it mails
  // links to the live one.
  { version: 38, name: "developer-emails", oldestCode: 20, statements: developerEmailsSchema },
  { version: 39, name: "ended-keys", oldestCode: 20, statements: endedKeysSchema },
  // Older code writes one id of a call, the caller's where it gave one, and leaves these empty.
  {
    version: 40,
    name: "caller-request-ids",
    oldestCode: 20,
    statements: callerRequestIdsSchema,
  },
  // Messages of older code name nobody.
  { version: 41, name: "outbox-actors", oldestCode: 20, statements: outboxActorsSchema },
  // A node of older code that works on such a job gives its keys the end of their plans; see
  // docs/upgrading.md.
  { version: 42, name: "ends-of-jobs", oldestCode: 20, statements: endsOfJobsSchema },
  // Older code looks no text up as it was wrapped, and leaves the mark of a key that it gives
  // another id.
  { version: 43, name: "chosen-keys", oldestCode: 20, statements: chosenKeysSchema },
  // Older code makes no nonces and gives nobody for one.
  { version: 44, name: "sso-nonces", oldestCode: 20, statements: ssoNoncesSchema },
  // Leases of older code end by the clocks of its nodes; what lasts too long counts as one that
  // begins when it is seen.
  { version: 45, name: "one-clock", oldestCode: 20, statements: oneClockSchema },
  // What waits for a target that recovers by a node of older code is sent at its own time.
  { version: 46, name: "deliver-now", oldestCode: 20, statements: deliverNowSchema },
  // Older code shows the mark of a report that was dismissed, and leaves it so when it comes again.
  { version: 47, name: "dismissed-leaks", oldestCode: 20, statements: dismissedLeaksSchema },
  // Older code reads the same rows by their ids.
  { version: 48, name: "trail-order", oldestCode: 20, statements: trailOrderSchema },
  // Older code answers lists of certificates as the setting says, and rotates without it.
  { version: 49, name: "certs-answer", oldestCode: 20, statements: certsAnswerSchema },
  // Older code signs no developer in, and verifies no address.
  { version: 50, name: "developer-sign-in", oldestCode: 20, statements: developerSignInSchema },
  // Older code lets no developer suspend or resume, and leaves the row of what it resumes.
  { version: 51, name: "own-suspensions", oldestCode: 20, statements: ownSuspensionsSchema },
  // Older code mails as if nobody had chosen anything, and removes invitations that are withdrawn.
  { version: 52, name: "developer-mails", oldestCode: 20, statements: developerMailsSchema },
  // Older code lets nobody in by invitation or passkey, and goes on taking access tokens of people
  // who are to sign in without; it lists what a person's passkeys stand for among their tokens.
  { version: 53, name: "people-sign-in", oldestCode: 20, statements: peopleSignInSchema },
  // Older code counts what it refuses without its reason, keeps no single refusal, and counts for
  // no door.
  { version: 54, name: "refusals", oldestCode: 20, statements: refusalsSchema },
  // Older code takes the link of somebody who only wants to see for one of a portal's back end, and
  // their session for one that asks and withdraws.
  { version: 55, name: "developer-views", oldestCode: 20, statements: developerViewsSchema },
  // Older code does not find keys with conditions, nor their OAuth clients and tokens: they open
  // nothing there. Of an offer it knows nothing, and approves its request as it was asked.
  { version: 56, name: "conditions", oldestCode: 20, statements: conditionsSchema },
  // Older code lets nobody in by a company's provider, and takes a session that one began for as
  // fresh as any other.
  { version: 57, name: "identities", oldestCode: 20, statements: identitiesSchema },
  { version: 58, name: "silent-doors", oldestCode: 20, statements: silentDoorsSchema },
  { version: 59, name: "codes-of-sign-ups", oldestCode: 20, statements: codesOfSignUpsSchema },
  // Older code approves a request for a later end as one that leaves its key as it is.
  { version: 60, name: "later-ends", oldestCode: 20, statements: laterEndsSchema },
  // Older code asks for no signature, whatever is set: the setting waits until no such node serves.
  { version: 61, name: "signed-approvals", oldestCode: 20, statements: signedApprovalsSchema },
  // Older code lets people link accounts at a developers' provider, and come by them; and it leaves
  // the accounts of a developer whom it deletes.
  {
    version: 62,
    name: "developer-identities",
    oldestCode: 20,
    statements: developerIdentitiesSchema,
  },
  // Older code takes people and access tokens with a role or a scope for damaged: they open nothing
  // there.
  { version: 63, name: "roles", oldestCode: 20, statements: rolesSchema },
  // A key in the place of one whose end was chosen ends by its plans where older code rotates it.
  { version: 64, name: "chosen-ends", oldestCode: 20, statements: chosenEndsSchema },
  // Older code approves a request at once, whatever its policy wants: policies wait until no such
  // node serves.
  { version: 65, name: "approval-policies", oldestCode: 20, statements: approvalPoliciesSchema },
  // Where older code uses a quota up, the developer's pages tell the day of its last call instead.
  { version: 66, name: "used-up-quotas", oldestCode: 20, statements: usedUpQuotasSchema },
  // Older code shows nobody the words, and keeps them.
  { version: 67, name: "added-words", oldestCode: 20, statements: addedWordsSchema },
  // Older code reminds nobody.
  { version: 68, name: "reminders", oldestCode: 20, statements: remindersSchema },
  // Older code shows no assignee, and leaves requests to whom it deactivates: newer code shows
  // those as nobody's.
  {
    version: 69,
    name: "assigned-requests",
    oldestCode: 20,
    statements: assignedRequestsSchema,
  },
  // Older code shows no comments, and leaves those of requests that it deletes, which nobody reads.
  { version: 70, name: "request-comments", oldestCode: 20, statements: requestCommentsSchema },
  // Older code sends no heads, and is nobody's witness.
  { version: 71, name: "heads-outside", oldestCode: 20, statements: headsOutsideSchema },
  // Older code asks nobody for a code: an organisation asks for one once no such node serves.
  { version: 72, name: "one-time-codes", oldestCode: 20, statements: oneTimeCodesSchema },
  // Older code ends no request: while it alone runs, those that are due wait on.
  { version: 73, name: "ends-of-requests", oldestCode: 20, statements: endsOfRequestsSchema },
  // To older code nobody is elevated: rules wait until no such node serves.
  { version: 74, name: "elevations", oldestCode: 20, statements: elevationsSchema },
  // Older code that takes over such a job approves what was asked: none is started while a node of
  // it serves.
  { version: 75, name: "terms-of-jobs", oldestCode: 20, statements: termsOfJobsSchema },
  { version: 76, name: "door-minutes", oldestCode: 20, statements: doorMinutesSchema },
  // Older code promises nothing of what is asked there, and warns nobody.
  { version: 77, name: "promises", oldestCode: 20, statements: promisesSchema },
  // Older code knows nobody who decides in somebody's place.
  { version: 78, name: "delegations", oldestCode: 20, statements: delegationsSchema },
  // Older code that takes over such a job fails on it: none is started while a node of it serves.
  { version: 79, name: "jobs-of-keys", oldestCode: 20, statements: jobsOfKeysSchema },
  // Older code finds the same rows without it, and forgets none.
  { version: 80, name: "elevations-over", oldestCode: 20, statements: elevationsOverSchema },
  // Older code warns of no unused key and resumes nothing by itself; newer nodes do.
  { version: 81, name: "unused-keys", oldestCode: 20, statements: unusedKeysSchema },
  // Older code sends no rows: the trail's second place is set once no such node serves.
  { version: 82, name: "trail-sink", oldestCode: 20, statements: trailSinkSchema },
  // Older code tells no gateway of its changes: one is added once no such node serves.
  { version: 83, name: "gateways", oldestCode: 20, statements: gatewaysSchema },
  // Older code calls a gateway as often as it answers.
  { version: 84, name: "gateway-pace", oldestCode: 20, statements: gatewayPaceSchema },
  // Older code writes no policies, and leaves a gateway that is to end as it is.
  { version: 85, name: "gateway-policies", oldestCode: 20, statements: gatewayPoliciesSchema },
  // Older code shows no tags of developers, and finds nobody by them.
  { version: 86, name: "developer-tags", oldestCode: 20, statements: developerTagsSchema },
  // Older code tells no gateway of certificates: they are brought once no such node serves.
  {
    version: 87,
    name: "gateway-certificates",
    oldestCode: 20,
    statements: gatewayCertificatesSchema,
  },
  // Older code would call such a gateway as the original's: one is added once no such node serves.
  { version: 88, name: "maps-of-hashes", oldestCode: 20, statements: mapsOfHashesSchema },
  // Older code asks no gateway about keys that nobody knows: learning waits until no such node
  // serves.
  { version: 89, name: "learned-keys", oldestCode: 20, statements: learnedKeysSchema },
  // Older code observes nothing, and hands no decision to a gateway.
  { version: 90, name: "meter", oldestCode: 20, statements: meterSchema },
  // Older code brings new keys without it: a door that fetches has them with the next change.
  { version: 91, name: "map-editions", oldestCode: 20, statements: mapEditionsSchema },
  // Older code makes no key in a gateway's Redis; with a password for it, it opens no such gateway.
  { version: 92, name: "gateway-redis", oldestCode: 20, statements: gatewayRedisSchema },
  {
    version: 93,
    name: "one-index-of-objects",
    oldestCode: 20,
    statements: oneIndexOfObjectsSchema,
  },
  // Older code leaves new keys of newer code to it: a node of that brings them to their gateways.
  {
    version: 94,
    name: "new-keys-for-gateways",
    oldestCode: 20,
    statements: newKeysForGatewaysSchema,
  },
  // Older code tries no gateway by a key of its own, and lists 100 unknown keys.
  { version: 95, name: "canary-runs", oldestCode: 20, statements: canaryRunsSchema },
  // Older code counts the quota of a rotated key anew, and knows no end of an access.
  { version: 96, name: "granted-access", oldestCode: 20, statements: grantedAccessSchema },
  // Older code calls gateways that wait for a person's yes, too.
  {
    version: 97,
    name: "unconfirmed-gateways",
    oldestCode: 20,
    statements: unconfirmedGatewaysSchema,
  },
  // Older code follows learned keys to their end alone, and waits for no yes.
  { version: 98, name: "followed-keys", oldestCode: 20, statements: followedKeysSchema },
  // Older code keeps no reason of a refused sign-in, and asks no provider again.
  { version: 99, name: "provider-states", oldestCode: 20, statements: providerStatesSchema },
  // Older code takes no certificate that newer code adds for a renewal.
  {
    version: 100,
    name: "certificate-renewals",
    oldestCode: 20,
    statements: certificateRenewalsSchema,
  },
  // Older code calls a key gone before the proxies that fetch a map have it.
  { version: 101, name: "map-readers", oldestCode: 20, statements: mapReadersSchema },
  // Older code keeps whatever a browser says as the last refusal.
  { version: 102, name: "provider-refusals", oldestCode: 20, statements: providerRefusalsSchema },
  // Older code counts what ends before it begins by its end.
  {
    version: 103,
    name: "invalid-certificates",
    oldestCode: 20,
    statements: invalidCertificatesSchema,
  },
  // Older code counts no certificate by its name.
  {
    version: 104,
    name: "certificate-name-ranges",
    oldestCode: 20,
    statements: certificateNameRangesSchema,
  },
  // Older code shows the names that were written.
  {
    version: 105,
    name: "names-of-algorithms",
    oldestCode: 20,
    statements: namesOfAlgorithmsSchema,
  },
];

/**
 * The oldest code that a store serves once it demands checksums: earlier code would write rows that
 * open nothing. A new store does so from the beginning.
 */
export const CHECKSUMS_DEMANDED = 22;

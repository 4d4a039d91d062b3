/**
 * Every statement on people, access tokens, sessions and the audit log finds its rows by an
 * index.
 */
import assert from "node:assert/strict";
import * as tokens from "../../../src/features/people/access-tokens.store.ts";
import * as identities from "../../../src/features/people/identities.store.ts";
import * as identity from "../../../src/features/people/identity-providers/identity.store.ts";
import * as invitations from "../../../src/features/people/person-invitations.store.ts";
import * as oneTimeCodes from "../../../src/features/people/one-time-codes.store.ts";
import * as passkeys from "../../../src/features/people/passkeys.store.ts";
import * as places from "../../../src/features/people/sign-in-places.store.ts";
import * as rules from "../../../src/features/people/sign-in-rules.store.ts";
import * as signIns from "../../../src/features/sign-in/sign-ins.store.ts";
import * as organisations from "../../../src/features/people/organisations.store.ts";
import * as temporaryAccesses from "../../../src/features/people/temporary-access.store.ts";
import * as roles from "../../../src/features/people/roles.store.ts";
import * as people from "../../../src/features/people/people.store.ts";
import * as sessions from "../../../src/features/people/sessions.store.ts";
import * as activity from "../../../src/features/audit-log/audit-log.store.ts";
import type { Tx } from "../../../src/storage/storage.ts";
import { assertAllCalled, each, plansOf } from "../../support/query-plans.ts";

const org_id = "org";
const at = "2026-01-01T00:00:00.000Z";
const place = { org_id, id: "id" };
const none = { actor: "", objects: "[]", object_id: "", actions: "[]" };
const noCall = {
  token_id: "",
  session: "",
  temporaryAccess: "",
  request_id: "",
  client_address: "",
};
const noWords = { q: "", typed: "", id_text: "", kind: "" } as const;
const filter = {
  org_id,
  ...none,
  ...noCall,
  ...noWords,
  after: "",
  before: "~",
};
const span = { from: 0, to: 1e9 };
const [inLog, waiting] = [
  { in: "log", below: 100 },
  { in: "waiting", size: 100, at: "~", id: "" },
] as const;
const session = {
  ...place,
  hash: "s",
  token_id: "t",
  user_id: "u",
  created_at: at,
  expires_at: at,
  browser: "",
  opened_by: "token",
  address: "",
  identity_id: null,
  provider_session: null,
  proved_at: null,
};
const passkey = {
  ...place,
  user_id: "u",
  handle: "h",
  rp_id: "localhost",
  name: "x",
  public_key: null,
  counter: 0,
  created_at: at,
};
const whose = { org_id, user_id: "u" };
const visit = { ...whose, id: "id", last_used_at: at, expires_at: at };
const invitation = {
  ...place,
  hash: "i",
  link: null,
  invited_by: "u",
  created_at: at,
  expires_at: at,
};
const code = { org_id, hash: "c", token_id: "t", created_at: at, expires_at: at };

/**
 * The statements that look through an organisation's people, or all organisations: few rows, seldom
 * asked for.
 */
const SMALL = /from "organisations"|from "users" as "u"/;

/** A call of every function that the stores export; one that stands nowhere here fails the test. */
const calls: Record<string, (tx: Tx) => Promise<unknown>> = {
  findTokenByHash: (tx) => tokens.findTokenByHash(tx, { hash: "h" }),
  findFirstOrganisation: (tx) => organisations.findFirstOrganisation(tx),
  findOrganisation: (tx) => organisations.findOrganisation(tx, { org_id }),
  organisationsBelow: (tx) => organisations.organisationsBelow(tx, { below: "~" }, 21),
  insertOrganisation: (tx) =>
    organisations.insertOrganisation(tx, { ...place, name: "x", date_created: at }),
  insertUser: (tx) =>
    people.insertUser(tx, { ...place, name: "x", permissions: "", date_created: at }),
  insertToken: (tx) =>
    tokens.insertToken(tx, {
      ...place,
      user_id: "id",
      name: "x",
      hash: "h",
      date_created: at,
      expires_at: null,
    }),
  listTokens: (tx) => tokens.listTokens(tx, { org_id }),
  revokeToken: (tx) => tokens.revokeToken(tx, org_id, "id", at),
  hadTokenNamed: (tx) => tokens.hadTokenNamed(tx, { org_id, name: "x", hash: "h" }),
  findUserName: (tx) => people.findUserName(tx, { org_id, id: "id" }),
  lockFirstStart: (tx) => organisations.lockFirstStart(tx),
  lockOrganisation: (tx) => organisations.lockOrganisation(tx, { org_id }),
  findPerson: (tx) => people.findPerson(tx, { org_id, id: "id" }),
  lockPerson: (tx) => people.lockPerson(tx, place),
  peopleBelow: (tx) => people.peopleBelow(tx, { org_id, below: "~" }, 21),
  updatePerson: (tx) =>
    people.updatePerson(tx, {
      ...place,
      name: "y",
      permissions: "",
      email: null,
      role: null,
      covers: null,
    }),
  peopleWhoApprove: (tx) => people.peopleWhoApprove(tx, "org"),
  approversWithAddress: (tx) => people.approversWithAddress(tx, "org"),
  markDeactivated: (tx) => people.markDeactivated(tx, { ...place, at }),
  findAccessToken: (tx) => tokens.findAccessToken(tx, { org_id, id: "id" }),
  allAccessTokensBelow: (tx) => tokens.allAccessTokensBelow(tx, { org_id, below: "~" }, 21),
  accessTokensBelow: (tx) => tokens.accessTokensBelow(tx, { org_id, user_id: "u", below: "~" }, 21),
  administratorTokens: (tx) => tokens.administratorTokens(tx, { org_id, now: at, rp_id: "h" }),
  setSuspended: (tx) => people.setSuspended(tx, { ...place, suspended_at: null }),
  setAddresses: (tx) => tokens.setAddresses(tx, { ...place, addresses: null }),
  noteTokenUse: (tx) =>
    tokens.noteTokenUse(tx, { org_id, token_id: "t", last_used_at: at, address: null }),
  tokensEnding: (tx) => tokens.tokensEnding(tx, org_id, 0),
  markRotated: (tx) =>
    tokens.markRotated(tx, { ...place, replaced_by: "n", expires_at: at, revoked_at: null }),
  findTokenOwner: (tx) => tokens.findTokenOwner(tx, { hash: "h" }),
  findSessionByHash: (tx) => sessions.findSessionByHash(tx, { hash: "s" }),
  insertSession: (tx) => sessions.insertSession(tx, session),
  removeSession: (tx) => sessions.removeSession(tx, { org_id, id: "id" }),
  removeGrantOf: (tx) => sessions.removeGrantOf(tx, { org_id, id: "id" }),
  sessionsOf: (tx) => sessions.sessionsOf(tx, { org_id, user_id: "u" }),
  findStoredSession: (tx) => sessions.findStoredSession(tx, { hash: "s" }),
  lockToken: (tx) => tokens.lockToken(tx, { org_id, id: "t" }),
  lockSessionsOf: (tx) => sessions.lockSessionsOf(tx, { org_id, id: "u" }),
  noteUse: (tx) => sessions.noteUse(tx, { ...place, last_used_at: at }),
  insertCode: (tx) => sessions.insertCode(tx, code),
  findTokenOfCode: (tx) => sessions.findTokenOfCode(tx, { hash: "c", now: at }),
  burnCode: (tx) => sessions.burnCode(tx, { hash: "c", now: at }),
  firstAdministrator: (tx) => people.firstAdministrator(tx, "org"),
  administratorsWithAddress: (tx) => people.administratorsWithAddress(tx, org_id),
  findPasskeyByHandle: (tx) => passkeys.findPasskeyByHandle(tx, { handle: "h" }),
  findPasskey: (tx) => passkeys.findPasskey(tx, place),
  passkeysOf: (tx) => passkeys.passkeysOf(tx, whose),
  insertPasskey: (tx) => passkeys.insertPasskey(tx, passkey),
  usePasskey: (tx) => passkeys.usePasskey(tx, { ...place, counter: 1, at }),
  renamePasskey: (tx) => passkeys.renamePasskey(tx, { ...place, user_id: "u", name: "y" }),
  removePasskey: (tx) => passkeys.removePasskey(tx, { ...place, user_id: "u" }),
  removePasskeysOf: (tx) => passkeys.removePasskeysOf(tx, whose),
  spendChallenge: (tx) => passkeys.spendChallenge(tx, { org_id, hash: "c", expires_at: at }),
  findOneTimeSecret: (tx) => oneTimeCodes.findOneTimeSecret(tx, whose),
  putOneTimeSecret: (tx) =>
    oneTimeCodes.putOneTimeSecret(tx, { ...place, secret: null, last_step: 1, created_at: at }),
  takeStep: (tx) => oneTimeCodes.takeStep(tx, { ...whose, step: 2, at }),
  removeOneTimeSecret: (tx) => oneTimeCodes.removeOneTimeSecret(tx, whose),
  peopleWithCodes: (tx) => oneTimeCodes.peopleWithCodes(tx, { org_id }),
  insertRecoveryCode: (tx) => oneTimeCodes.insertRecoveryCode(tx, { ...whose, hash: "h" }),
  hasRecoveryCode: (tx) => oneTimeCodes.hasRecoveryCode(tx, { ...whose, hash: "h" }),
  burnRecoveryCode: (tx) => oneTimeCodes.burnRecoveryCode(tx, { ...whose, hash: "h" }),
  countRecoveryCodes: (tx) => oneTimeCodes.countRecoveryCodes(tx, whose),
  removeRecoveryCodes: (tx) => oneTimeCodes.removeRecoveryCodes(tx, whose),
  findTokensRule: (tx) => rules.findTokensRule(tx, { org_id }),
  findSignaturesRule: (tx) => rules.findSignaturesRule(tx, { org_id }),
  findSecondFactorRule: (tx) => rules.findSecondFactorRule(tx, { org_id }),
  saveSignInRules: (tx) =>
    rules.saveSignInRules(tx, { org_id, tokens: 1, signatures: 0, second_factor: 0 }),
  domainsOf: (tx) => rules.domainsOf(tx, { org_id }),
  removeDomains: (tx) => rules.removeDomains(tx, { org_id }),
  insertDomain: (tx) => rules.insertDomain(tx, { org_id, domain: "example.org" }),
  findDomainOwner: (tx) => rules.findDomainOwner(tx, { domain: "example.org" }),
  findInvitationByHash: (tx) => invitations.findInvitationByHash(tx, { hash: "i", now: at }),
  findInvitationOf: (tx) => invitations.findInvitationOf(tx, { ...place, now: at }),
  isInSteps: (tx) =>
    sessions.isInSteps(tx, org_id, {
      id: "u",
      name: "x",
      permissions: "approve",
      date_created: at,
      deactivated_at: null,
      suspended_at: null,
      email: null,
      role: null,
      covers: null,
    }),
  invitationsBy: (tx) => invitations.invitationsBy(tx, { org_id, invited_by: "u", now: at }),
  insertPersonInvitation: (tx) => invitations.insertPersonInvitation(tx, invitation),
  removePersonInvitation: (tx) => invitations.removePersonInvitation(tx, place),
  burnInvitation: (tx) => invitations.burnInvitation(tx, { hash: "i", now: at }),
  hasPlaces: (tx) => places.hasPlaces(tx, whose),
  usePlace: (tx) => places.usePlace(tx, visit),
  insertPlace: (tx) =>
    places.insertPlace(tx, { ...visit, browser: "", address: "", created_at: at }),
  findPlaceSince: (tx) => places.findPlaceSince(tx, { ...whose, at }),
  findProviderById: (tx) => identity.findProviderById(tx, { id: "id" }),
  findProvider: (tx) => identity.findProvider(tx, place),
  findRole: (tx) => roles.findRole(tx, place),
  findTemporaryAccessRule: (tx) => temporaryAccesses.findTemporaryAccessRule(tx, place),
  temporaryAccessRulesOf: (tx) => temporaryAccesses.temporaryAccessRulesOf(tx, { org_id }),
  insertTemporaryAccessRule: (tx) =>
    temporaryAccesses.insertTemporaryAccessRule(tx, {
      ...place,
      terms: null,
      created_at: at,
      updated_at: at,
    }),
  updateTemporaryAccessRule: (tx) =>
    temporaryAccesses.updateTemporaryAccessRule(tx, { ...place, terms: "", updated_at: at }),
  removeTemporaryAccessRule: (tx) => temporaryAccesses.removeTemporaryAccessRule(tx, place),
  findTemporaryAccess: (tx) => temporaryAccesses.findTemporaryAccess(tx, place),
  temporaryAccessesOf: (tx) => temporaryAccesses.temporaryAccessesOf(tx, { org_id }),
  temporaryAccessesUnderWay: (tx) => temporaryAccesses.temporaryAccessesUnderWay(tx, { org_id }),
  insertTemporaryAccess: (tx) =>
    temporaryAccesses.insertTemporaryAccess(tx, {
      ...place,
      rule_id: "r",
      person_id: "u",
      session_id: "s",
      state: "asked",
      terms: null,
      asked_at: at,
      started_at: null,
      expires_at: at,
    }),
  openTemporaryAccess: (tx) =>
    temporaryAccesses.openTemporaryAccess(tx, {
      ...place,
      terms: "",
      started_at: at,
      expires_at: at,
      confirmed_by: "u",
    }),
  markTemporaryAccessEnded: (tx) =>
    temporaryAccesses.markTemporaryAccessEnded(tx, {
      ...place,
      ended_at: at,
      ended_by: "u",
      end_reason: "time",
    }),
  noteTemporaryAccessSeen: (tx) =>
    temporaryAccesses.noteTemporaryAccessSeen(tx, { ...place, seen_at: at }),
  setTemporaryAccess: (tx) =>
    sessions.setTemporaryAccess(tx, { ...place, user_id: "u", elevation_id: "e" }),
  rolesOf: (tx) => roles.rolesOf(tx, { org_id }),
  insertRole: (tx) =>
    roles.insertRole(tx, { ...place, terms: null, created_at: at, updated_at: at }),
  updateRole: (tx) => roles.updateRole(tx, { ...place, terms: "", updated_at: at }),
  removeRole: (tx) => roles.removeRole(tx, place),
  peopleOfRole: (tx) => roles.peopleOfRole(tx, { org_id, role: "r" }),
  countPeopleOfRole: (tx) => roles.countPeopleOfRole(tx, { org_id, role: "r" }),
  tokensOfRole: (tx) => roles.tokensOfRole(tx, { org_id, role: "r" }),
  setScope: (tx) => tokens.setScope(tx, { ...place, scope: "" }),
  providersOf: (tx) => identity.providersOf(tx, { org_id }),
  insertProvider: (tx) =>
    identity.insertProvider(tx, { ...place, terms: null, created_at: at, updated_at: at }),
  updateProvider: (tx) => identity.updateProvider(tx, { ...place, terms: "", updated_at: at }),
  removeProvider: (tx) => identity.removeProvider(tx, place),
  findIdentityByHandle: (tx) => identity.findIdentityByHandle(tx, { handle: "h" }),
  identitiesOf: (tx) => identities.identitiesOf(tx, whose),
  insertIdentity: (tx) =>
    identity.insertIdentity(tx, {
      ...place,
      user_id: "u",
      provider_id: "p",
      handle: "h",
      link: null,
      created_at: at,
    }),
  useIdentity: (tx) => identity.useIdentity(tx, { ...place, at }),
  removeIdentity: (tx) => identity.removeIdentity(tx, { ...place, user_id: "u" }),
  removeIdentitiesAt: (tx) => identity.removeIdentitiesAt(tx, { org_id, provider_id: "p" }),
  peopleAt: (tx) => identity.peopleAt(tx, { org_id, provider_id: "p" }),
  sessionsBegunAt: (tx) => identity.sessionsBegunAt(tx, { org_id, provider_id: "p" }),
  countIdentitiesAt: (tx) => identity.countIdentitiesAt(tx, { org_id, provider_id: "p" }),
  sessionsAtProvider: (tx) => sessions.sessionsAtProvider(tx, { provider_session: "s" }),
  findSignInFacts: (tx) => signIns.findSignInFacts(tx, { ...place, now: at }),
  eventsBehind: async (tx) => {
    for (const object_id of ["", "o"]) {
      await activity.eventsBehind(tx, { ...filter, object_id }, inLog, span);
    }
    await activity.eventsBehind(tx, { ...filter, actions: '["a"]' }, inLog, span);
    await activity.eventsBehind(tx, { ...filter, actions: '["a"]' }, waiting, span);
  },
  findTokenName: (tx) => tokens.findTokenName(tx, place),
  logSize: (tx) => activity.logSize(tx, org_id),
  logSpan: (tx) => activity.logSpan(tx, org_id, { above: "a", below: "b" }),
};

Deno.test("sqlite: every statement on access and activity finds its rows by an index", async () => {
  const stores = [tokens, people, organisations, sessions, activity];
  const further = [
    oneTimeCodes,
    passkeys,
    rules,
    invitations,
    places,
    signIns,
    identities,
    identity,
    roles,
    temporaryAccesses,
  ];
  assertAllCalled([...stores, ...further], calls, [
    // Told once a day, or at a start, of all organisations.
    "closedApprovals",
    "tokensEndingOfAll",
    "countPasskeysOfOtherHosts",
    "everyApprover",
    // Those under way have an index of their own, and rules are few.
    "everyTemporaryAccessUnderWay",
    "countOpenTemporaryAccess",
    "everyTemporaryAccessRule",
    // It ends at the first organisation that has not said so, and few have.
    "doAnyTokensSignIn",
  ]);
  const auditLog: string[] = [];
  for (const { sql, plan: whole } of await plansOf(each(calls))) {
    // The names in one event's own texts.
    const plan = whole.replaceAll(/^SCAN (json_each VIRTUAL TABLE.*|v)$/gm, "");
    if (sql.includes('from "sealing_keys"')) continue;
    // The command line's list is whole, and sorted by time.
    const sorted = sql.includes('order by "t"."date_created"') || SMALL.test(sql);
    const bad = sorted ? /AUTOMATIC/ : /SCAN|TEMP B-TREE|AUTOMATIC/;
    assert.doesNotMatch(plan, bad, `${sql}\n${plan}`);
    if (sql.includes('"audit_events"')) auditLog.push(plan);
  }
  const ways = [
    /^SEARCH e USING INDEX audit_events_logged \(org_id=\? AND leaf_index>\? AND leaf_index<\?\)/,
    /^SEARCH e USING INDEX audit_events_object_logged \(org_id=\? AND \(object_id,leaf_index\)>\(\?,\?\) AND \(object_id,leaf_index\)<\(\?,\?\)\)/,
    /^SEARCH e USING INDEX audit_events_unlogged \(org_id=\? AND /,
    /^SEARCH audit_events USING INDEX audit_events_unlogged \(org_id=\? AND \(at,id\)</,
    // How long the log is, and where in it a time lies.
    /^SEARCH audit_events USING COVERING INDEX audit_events_logged \(org_id=\?( AND leaf_index>\?)?\)/,
    /^SEARCH audit_events USING (PRIMARY KEY|INDEX \S+) \(org_id=\? AND id[<>]\?\)/,
  ];
  const found = auditLog.map((plan) => ways.findIndex((way) => way.test(plan)));
  assert.deepEqual(new Set(found), new Set(ways.keys()), auditLog.join("\n\n"));
});

/**
 * Everything that the console, the page of a one-time link and the sign-in can show, a line for
 * each: what opens it, from where. `axe.test.ts` looks at each, and holds that no screen and no
 * dialog is missing here.
 */
import assert from "node:assert/strict";
import type { Ids } from "./whole-desk.ts";
import {
  again,
  answers,
  brand,
  check,
  closed,
  configReview,
  dialog,
  drawer,
  fails,
  fill,
  gatewayProblem,
  inDialog,
  key,
  learning,
  linked,
  losses,
  mailServer,
  menu,
  moving,
  offer,
  oneSays,
  openedFold,
  options,
  ownRole,
  ownTemporaryAccess,
  passkey,
  press,
  row,
  rowsSay,
  runs,
  type Step,
  text,
  then,
  toldWhy,
  tried,
  unfolded,
  withCodes,
  withCompany,
  withFiles,
  withoutAuditLog,
  withRule,
  withTemporaryAccess,
} from "./view-steps.ts";

/** One state of one page. */
export interface View {
  readonly name: string;
  /** Below `/console`; with `{id}` for the ids of the desk. Of strangers: below the server. */
  readonly at: string;
  /**
   * The file of `console/` with the dialog, drawer or menu that it shows: one view for each
   * `<Dialog` and the like there.
   */
  readonly of?: string;
  /** What a phone alone shows: it is looked at in a phone's window where others are in a desk's. */
  readonly isPhones?: true;
  /** What one does there until it is seen. */
  readonly open?: Step;
  /**
   * Leaves behind what the next view must not find, such as a toast: that one begins with a fresh
   * page.
   */
  readonly leaves?: true;
}
const R = "screens/requests/";
const K = "screens/keys/";
const S = "screens/settings/";
const G = "screens/gateways/";
const C = "screens/certificates/";
const M = "screens/gateways/migration/";

/** Of an administrator, at a desk that has been at work. */
// deno-fmt-ignore
export const views: readonly View[] = [
  { name: "home", at: "/home", open: (page) => page.locator(".home-lane").nth(1).waitFor() },
  { name: "home, a panel fails", at: "/home", open: then(fails("**/v1/insight/expiries"), text("Try again")), leaves: true },
  { name: "home, nobody can decide", at: "/home", open: then(rowsSay("**/v1/key-requests?*waits_for=nobody*", {}), again, text("that no one can decide")), leaves: true },
  { name: "home, its steps", at: "/home?steps=all", open: text("Before you go live") },
  { name: "home, more screens", at: "/home", isPhones: true, open: then(press("More"), (page) => page.getByRole("link", { name: "API reference" }).waitFor()) },

  { name: "requests", at: "/requests", open: row },
  { name: "requests, approved", at: "/requests?state=issued", open: row },
  { name: "requests, all", at: "/requests?state=all", open: row },
  { name: "requests, nothing matches", at: "/requests?q=nobody+at+all", open: text("Nothing matches") },
  { name: "requests, mine", at: "/requests?turn=mine&sort=oldest", open: row },
  { name: "requests fail", at: "/requests?state=declined", open: then(fails("**/v1/key-requests?*"), text("Try again")), leaves: true },
  { name: "requests, selected", at: "/requests", open: then(row, key("j", "x", "j", "x"), text("2 selected")) },
  { name: "request", at: "/requests/{hintedRequest}", of: `${R}request-drawer.tsx`, open: then(drawer, text("Already holds")) },
  { name: "request, declined", at: "/requests/{declinedRequest}?state=all", open: text("Asked twice") },
  { name: "request, approved", at: "/requests/{approvedRequest}?state=all", open: text("Not opened yet") },
  { name: "request of an unknown plan", at: "/requests/{unknownPlan}", open: text("There is no plan") },
  { name: "request, in steps", at: "/requests/{stepsRequest}", open: then(drawer, text("0 of 2"), text("Who knows their security contact?")) },
  { name: "request, gone", at: "/requests/nothing-like-this", open: text("There is no") },
  { name: "approve", at: "/requests/{hintedRequest}", of: `${R}approve-dialog.tsx`, open: then(drawer, press("Approve"), dialog) },
  { name: "approve, named", at: "/requests/{hintedRequest}", open: then(drawer, press("Approve"), dialog, openedFold) },
  { name: "approve, with less", at: "/requests/{hintedRequest}", open: then(drawer, press("Approve"), dialog, (page) => page.getByText("Grant less than asked").click()) },
  { name: "approved by link", at: "/requests", of: "parts/delivery.tsx", open: then(row, key("j", "a"), check("Make a one-time link"), press("Approve & issue key"), text("I have passed")), leaves: true },
  { name: "approved, shown once", at: "/requests", of: `${R}approve-dialog.tsx`, open: then(row, key("j", "a"), check("Show"), press("Approve & issue key"), text("Shown once")), leaves: true },
  { name: "declined, with undo", at: "/requests", open: then(row, key("j", "d"), dialog, key("Enter"), text("Undo")), leaves: true },
  { name: "decline several requests", at: "/requests", of: "screens/requests/decline-dialog.tsx", open: then(row, key("j", "x", "j", "x", "d"), text("Decline 2 requests?")), leaves: true },
  { name: "reason", at: "/requests/{declinedRequest}?state=all", of: `${R}reason-dialog.tsx`, open: then(drawer, press(/reason/), dialog) },
  { name: "approve several", at: "/requests", of: `${R}bulk-approve-dialog.tsx`, open: then(row, key("j", "x", "j", "x", "a"), dialog) },
  { name: "approve several, with words", at: "/requests", open: then(row, key("j", "x", "j", "x", "a"), dialog, (page) => page.getByText("Conditions of each key").click(), fill("Message to each developer (optional)", "Welcome.")) },
  { name: "assign several", at: "/requests", of: `${R}bulk-assign-dialog.tsx`, open: then(row, key("j", "x", "j", "x"), press("Assign…"), dialog) },
  { name: "several approved", at: "/requests", of: `${R}bulk-approve-dialog.tsx`, open: then(row, key("j", "x", "j", "x", "a"), dialog, key("Enter"), text("I have passed")), leaves: true },
  { name: "approve, closed", at: "/requests", open: then(closed, again, row, key("j", "a"), dialog, text("Approvals are closed:")), leaves: true },
  { name: "approve several, closed", at: "/requests", of: `${R}bulk-dialog.tsx`, open: then(closed, again, row, key("j", "x", "j", "x", "a"), text("Approvals are closed")), leaves: true },
  { name: "approve all that match", at: "/requests", of: `${R}bulk-job-dialog.tsx`, open: then(row, key("j", "x"), press("Select all that match"), text("that match"), key("a"), dialog) },
  { name: "job", at: "/requests?job={job}", of: "parts/job-drawer.tsx", open: then(drawer, text("1 declined")) },

  { name: "keys", at: "/keys", open: row },
  { name: "keys, with leaks", at: "/keys", open: then(text("found in public places"), row) },
  { name: "keys, none match", at: "/keys?state=expired", open: (page) => page.locator(".row-link, .state").first().waitFor() },
  { name: "key", at: "/keys/{key}", of: `${K}key-drawer.tsx`, open: then(drawer, text("History")) },
  { name: "key with a link", at: "/keys/{linkedKey}", open: text("Not opened yet") },
  { name: "key, suspended", at: "/keys/{suspendedKey}", open: text("Unusual traffic") },
  { name: "key, revoked", at: "/keys/{revokedKey}", open: text("Found in a repository") },
  { name: "key with a name and tags", at: "/keys/{namedKey}", open: then(drawer, text("Ask Lena first")) },
  { name: "name and tags", at: "/keys/{namedKey}", of: "parts/labels/label-dialog.tsx", open: then(drawer, press("Change name and tags"), dialog) },
  { name: "issue a key", at: "/keys", of: "parts/keys/issue-dialog.tsx", open: then(row, key("n"), fill("Developer", "a"), options) },
  { name: "issue a key, named", at: "/keys", open: then(row, key("n"), dialog, openedFold) },
  { name: "rotate", at: "/keys/{key}", of: "parts/keys/replace-dialog.tsx", open: then(drawer, key("r"), dialog) },
  { name: "suspend", at: "/keys/{key}", of: "parts/keys/state-dialog.tsx", open: then(drawer, press("Suspend"), inDialog("Suspend"), text("Say why")) },
  { name: "plans of a key", at: "/keys/{key}", of: "parts/keys/plans-dialog.tsx", open: then(drawer, press("Change plans"), dialog) },
  { name: "addresses of a key", at: "/keys/{limitedKey}", of: "parts/keys/addresses-dialog.tsx", open: then(drawer, press("Change from where it is valid"), dialog) },
  { name: "end of a key", at: "/keys/{key}", of: "parts/keys/expiry-dialog.tsx", open: then(drawer, key("e"), dialog) },
  { name: "whose keys", at: "/keys", of: "parts/find-key.tsx", open: then(row, key("/"), (page) => page.keyboard.type("example"), key("Enter"), dialog) },
  { name: "withdraw a one-time link", at: "/keys/{linkedKey}", of: "parts/one-time-link-state.tsx", open: then(press("Withdraw it"), dialog) },
  { name: "rotated, shown once", at: "/keys/{key}", of: "parts/keys/fresh-key.tsx", open: then(drawer, key("r"), check("Show it to me"), inDialog("Rotate"), text("Shown once")), leaves: true },
  { name: "revoke several", at: "/keys", of: `${K}bulk-dialog.tsx`, open: then(row, key("j", "x", "j", "x"), press("Revoke…"), dialog) },
  { name: "rotate all that match", at: "/keys", open: then(row, key("j", "x"), press("Select all that match"), text("that match"), press("Rotate…"), text("This can't be undone")) },
  { name: "plans of several", at: "/keys", open: then(row, key("j", "x"), press("Plans…"), dialog) },
  { name: "views", at: "/keys", of: "parts/list-tools/views-menu.tsx", open: then(row, unfolded, press("Views"), menu) },
  { name: "columns", at: "/keys", of: "parts/list-tools/columns-menu.tsx", open: then(row, unfolded, press("Columns"), menu) },
  { name: "a view", at: "/keys?view={view}", open: text("Keys: Ends soon") },
  { name: "a view, changed", at: "/keys?view={view}&sort=ends&state=active", open: then(text("Keys: Ends soon (changed)"), unfolded, (page) => page.getByRole("button", { name: /^View:/ }).click(), menu) },
  { name: "save a view", at: "/keys", of: "parts/list-tools/list-tools.tsx", open: then(row, press("Views"), press("Save as a new view…"), dialog) },
  { name: "delete a view", at: "/keys?view={view}", of: "parts/list-tools/list-tools.tsx", open: then(text("Keys: Ends soon"), (page) => page.getByRole("button", { name: /^View:/ }).click(), press("Delete…"), dialog) },
  { name: "a view that is gone", at: "/keys?view=nothing-like-this", open: text("removed or is no longer shared") },

  { name: "certificates", at: "/certificates", open: then(row, (page) => page.locator(".dot[data-id]").first().waitFor()) },
  { name: "certificates, nothing matches", at: "/certificates?q=nothing-like-this", open: text("Nothing matches") },
  { name: "certificate", at: "/certificates/{certificate}", of: `${C}certificate-drawer.tsx`, open: then(drawer, text("Lives for"), (page) => page.getByText("PEM", { exact: true }).click()) },
  { name: "authority", at: "/certificates/{authority}", open: text("Issued certificates") },
  { name: "certificate, muted", at: "/certificates/{mutedCertificate}", open: then(toldWhy, text("Lift the mute")) },
  { name: "owner and tags", at: "/certificates/{certificate}", of: `${C}care.tsx`, open: then(drawer, (page) => page.getByRole("region", { name: "Owner" }).or(page.locator(".drawer")).getByRole("button", { name: /owner|Change/i }).first().click(), dialog) },
  { name: "renewal", at: "/certificates/{certificate}", of: `${C}care.tsx`, open: then(drawer, press("Name its renewal"), dialog) },
  { name: "mute", at: "/certificates/{certificate}", of: "parts/alert-panel.tsx", open: then(toldWhy, press("Mute alerts"), dialog) },
  { name: "add certificates", at: "/certificates", of: `${C}upload-dialog.tsx`, open: then(row, key("u"), fill("Or paste PEM", "no certificate"), press("Add pasted text"), text("Paste a certificate as PEM")) },
  { name: "delete a certificate", at: "/certificates/{certificate}", of: `${C}delete-dialog.tsx`, open: then(drawer, press("Delete"), text("Its private key may go too")) },

  { name: "developers", at: "/developers", open: row },
  { name: "developers, nobody", at: "/developers?q=nobody+at+all", open: text("No one matches") },
  { name: "developer", at: "/developers/{developer}", of: "screens/developers/developer-drawer.tsx", open: then(drawer, text("Member since")) },
  { name: "register a developer", at: "/developers", of: "screens/developers/developer-form.tsx", open: then(row, key("n"), dialog, inDialog("Register"), (page) => page.locator("[aria-invalid=true]").first().waitFor()) },
  { name: "a link of another account", at: "/developers", of: "screens/sign-in/swap.tsx", open: then(answers("**/v1/session/preview", 200, { person: { id: "grace", name: "Grace Hopper" }, organisation: { id: "org", name: "Larkfield" } }), (page, server, address) => again(page, server, `${address}#code=of-another`), dialog), leaves: true },
  { name: "confirm an address", at: "/developers/{activeDeveloper}", of: "screens/developers/confirm-email.tsx", open: then(oneSays("**/v1/developers/*", { email_state: "unproved", email_changed_at: "2026-01-05T09:00:00.000Z", confirmation_asks: true }), again, drawer, press("Confirm this address"), dialog), leaves: true },
  { name: "deactivate a developer", at: "/developers/{activeDeveloper}", of: "screens/developers/developer-drawer.tsx", open: then(drawer, press("Deactivate"), dialog) },
  { name: "mute several", at: "/certificates", of: "screens/certificates/bulk-dialog.tsx", open: then(row, key("j", "x", "j", "x"), press("Mute…"), dialog) },
  { name: "deactivate several", at: "/developers", of: "screens/developers/bulk-dialog.tsx", open: then(row, key("j", "x", "j", "x"), press("Deactivate…"), dialog) },
  { name: "tag several developers", at: "/developers", of: "screens/developers/bulk-dialog.tsx", open: then(row, key("j", "x", "j", "x"), press("Tags…"), dialog) },
  { name: "a developer's tags", at: "/developers/{activeDeveloper}", of: "screens/developers/tags-dialog.tsx", open: then(drawer, press("Tags"), dialog) },
  { name: "deleted developers", at: "/developers", of: "screens/developers/developers.screen.tsx", open: then(row, press("Deleted"), dialog) },
  { name: "delete a developer", at: "/developers/{developer}", of: "screens/developers/developer-drawer.tsx", open: then(drawer, press("Delete"), dialog) },

  { name: "APIs", at: "/apis", open: row },
  { name: "APIs, nothing matches", at: "/apis?q=nothing-like-this", open: text("Nothing matches") },
  { name: "APIs, a search", at: "/apis?q=departures", open: row },
  { name: "API", at: "/apis/{api}", of: "screens/apis/api-drawer.tsx", open: text("Take it out") },
  { name: "API that nothing opens", at: "/apis/{closedApi}", open: text("Take it out") },
  { name: "add an API", at: "/apis", of: "parts/api-form.tsx", open: then(row, key("n"), dialog, inDialog("Add"), text("Write a name here")) },
  { name: "a plan for an API", at: "/apis/{api}", of: "screens/apis/api-drawer.tsx", open: then(text("Take it out"), key("p"), dialog) },
  { name: "take out of the catalogue", at: "/apis/{api}", of: "screens/apis/api-drawer.tsx", open: then(press(/Take it out/), dialog) },

  { name: "APIs, active plans", at: "/apis?state=active", open: row },
  { name: "plan", at: "/apis/plans/{plan}", of: "screens/apis/plan-drawer.tsx", open: text("Requests for it") },
  { name: "add a plan", at: "/apis", of: "screens/apis/plan-form.tsx", open: then(row, key("p"), dialog, fill("Rate: calls", "many"), inDialog("Add"), text("Write a whole number")) },
  { name: "unused keys of a plan", at: "/apis/plans/{plan}", of: "parts/unused/rule.tsx", open: then(press("Change what becomes of them"), dialog) },
  { name: "requests for a plan", at: "/apis/plans/{plan}", of: "screens/apis/approval-form.tsx", open: then(press("Change decision and questions"), dialog) },
  { name: "who must approve", at: "/apis/plans/{plan}", of: "screens/apis/policy-form.tsx", open: then(press("Who must approve"), dialog) },
  { name: "who must approve, in steps", at: "/apis/plans/{stepsPlan}", open: then(press("Who must approve"), dialog, inDialog("Who could decide?"), text("2 of 2")) },
  { name: "approval by default", at: "/apis?show=policy", open: dialog },
  { name: "a plan's new time for its keys", at: "/apis/plans/{plan}", of: "screens/apis/plan-life-dialog.tsx", open: then(oneSays("**/v1/plans/*", { keys: 3 }), (page) => page.route("**/v1/plans/*", async (route) => route.request().method() === "PUT" ? await route.fulfill({ json: { ...await (await route.fetch({ method: "GET" })).json(), key_expires_in: 7776000 } }) : await route.fallback()), again, press("Change"), dialog, inDialog("Save"), text("Change them too")), leaves: true },
  { name: "deactivate a plan", at: "/apis/plans/{plan}", of: "screens/apis/plan-drawer.tsx", open: then(press("Deactivate"), dialog) },
  { name: "delete a plan", at: "/apis/plans/{freePlan}", of: "screens/apis/plan-drawer.tsx", open: then(press("Delete"), dialog) },

  { name: "logs", at: "/logs", open: text("Refused often") },
  { name: "logs, between two days", at: "/logs?time=between&from=2026-01-01", open: text("Refused often") },
  { name: "a denied call", at: "/logs", of: "screens/logs/call-drawer.tsx", open: then((page) => page.locator(".row-link").first().click(), text("The call")), leaves: true },
  { name: "a denied call that is no longer kept", at: "/logs/0123456789abcdef01234567", of: "screens/logs/call-drawer.tsx", open: text("There is no such denied call") },
  { name: "logs, nothing matches", at: "/logs?reason=damaged", open: text("Nothing matches") },
  { name: "raise a limit", at: "/logs?reason=over_rate", of: "screens/logs/fixes.tsx", open: then(row, press(/^Raise the limit/), dialog) },
  { name: "fix a denied call", at: "/logs?reason=address", open: then(row, press(/^Change addresses/), dialog) },
  { name: "add a gateway: product and connection", at: "/gateways", of: `${G}add-gateway.tsx`, open: then(text("edge-9"), key("n"), dialog) },
  { name: "add a gateway that checks calls", at: "/gateways", of: `${G}checking-walk.tsx`, open: then(text("edge-9"), key("n"), dialog, inDialog("Next"), dialog) },
  { name: "files of a gateway", at: "/gateways/{checkingGateway}", of: `${G}gateway-files.tsx`, open: then(text("Gateway id"), press(/^File/), dialog, inDialog("Make the file"), text("Waiting for the first call")), leaves: true },
  { name: "change a gateway that checks calls", at: "/gateways/{checkingGateway}", of: `${G}checking-form.tsx`, open: then(text("Gateway id"), press(/^Change/), dialog) },
  { name: "add a gateway that has no file", at: "/gateways", of: `${G}checking-name.tsx`, open: then(text("edge-9"), key("n"), dialog, (page) => page.getByLabel("Product").selectOption("other"), inDialog("Next"), dialog) },
  { name: "gateway that checks calls", at: "/gateways/{checkingGateway}", of: `${G}checking-drawer.tsx`, open: text("Gateway id") },
  { name: "remove a gateway that checks calls", at: "/gateways/{checkingGateway}", of: `${G}checking-drawer.tsx`, open: then(text("Gateway id"), press(/^Remove/), dialog) },
  { name: "gateways", at: "/gateways", open: text("Harbour gateway") },
  { name: "gateways, on a phone", at: "/gateways", isPhones: true, open: text("Harbour gateway") },
  { name: "gateway", at: "/gateways/{gateway}", of: `${G}gateway-drawer.tsx`, open: text("Gateway id") },
  { name: "gateway, in problem", at: "/gateways/{gateway}", open: then(rowsSay("**/v1/gateways", gatewayProblem), again, text("a key with a quota goes on")), leaves: true },
  { name: "change a gateway with keys", at: "/gateways/{gateway}", of: `${G}gateway-form.tsx`, open: then(text("Gateway id"), press(/^Change/), dialog) },
  { name: "add a gateway that goes by a map", at: "/gateways", open: then(row, key("n"), dialog, (page) => page.getByLabel("Product").selectOption("agentgateway"), inDialog("Next"), text("API that it protects")), leaves: true },
  { name: "change a gateway", at: "/gateways/{gateway}", open: then(text("Gateway id"), press(/^Change/), dialog) },
  { name: "pause a gateway", at: "/gateways/{gateway}", of: `${G}gateway-dialogs.tsx`, open: then(text("Gateway id"), press("Pause"), dialog) },
  { name: "confirm a gateway", at: "/gateways/{gateway}", of: `${G}gateway-dialogs.tsx`, open: then(rowsSay("**/v1/gateways", { unconfirmed_since: "2026-01-05T09:00:00.000Z" }), again, text("It waits for a person's yes"), press("Confirm"), dialog), leaves: true },
  { name: "reconcile a gateway", at: "/gateways/{gateway}", of: `${G}gateway-dialogs.tsx`, open: then(text("Gateway id"), press("Reconcile now"), dialog) },
  { name: "remove a gateway", at: "/gateways/{gateway}", of: `${G}gateway-dialogs.tsx`, open: then(text("Gateway id"), press(/^Remove/), dialog) },
  { name: "learn from a gateway", at: "/gateways/{gateway}", of: `${G}lazy-migration.tsx`, open: then(text("Gateway id"), press("Start lazy migration"), dialog) },
  { name: "stop learning", at: "/gateways/{gateway}", of: `${G}lazy-migration.tsx`, open: then(learning, again, text("Gateway id"), press("Stop lazy migration"), dialog), leaves: true },
  { name: "keys that would lose access", at: "/gateways/{gateway}", of: `${G}lazy-migration.tsx`, open: then(losses, again, text("Gateway id"), press("Look at it"), dialog), leaves: true },
  { name: "gateway, tried by a canary", at: "/gateways/{gateway}", open: then(rowsSay("**/v1/gateways", { canary: tried }), runs, again, text("worst over 15 s")), leaves: true },
  { name: "keys that nobody knows at a gateway", at: "/gateways/{gateway}", open: then(rowsSay("**/v1/gateways", gatewayProblem), answers("**/v1/gateways/*/unknown-keys?*", 200, { data: [{ name: "5b0c7d9d61f0b7a1" }], next_cursor: "more" }), again, (page) => page.getByText("Keys at the gateway that Keydesk does not know").click(), text("5b0c7d9d61f0b7a1")), leaves: true },
  { name: "keys that are not there yet", at: "/keys", open: then(rowsSay("**/v1/keys?*", { state: "active", at_gateways: [{ gateway_id: "a", gateway: "City", state: "stuck", since: "2026-01-05T09:00:00.000Z", valid: false, may_be_valid_until: null }] }), again, text("Stuck at City")), leaves: true },
  { name: "keys that a gateway still opens to", at: "/keys", isPhones: true, open: then(rowsSay("**/v1/keys?*", { state: "revoked", at_gateways: [{ gateway_id: "a", gateway: "City", state: "late", since: "2026-01-05T09:00:00.000Z", valid: true, may_be_valid_until: null }] }), again, row), leaves: true },
  { name: "keys that a gateway may still open to", at: "/keys", open: then(rowsSay("**/v1/keys?*", { state: "revoked", at_gateways: [{ gateway_id: "a", gateway: "City", state: "closing", since: "2026-01-05T09:00:00.000Z", valid: true, may_be_valid_until: "2026-01-05T09:00:10.000Z" }] }), again, text("May still be valid at City")), leaves: true },
  { name: "key at a gateway", at: "/keys/{gatewayKey}", open: text("At the gateways") },
  { name: "moving in", at: "/gateways/migration", open: then(moving, text("of yesterday’s calls were decided in Keydesk")), leaves: true },
  { name: "moving in, on a phone", at: "/gateways/migration", isPhones: true, open: then(moving, text("of yesterday’s calls were decided in Keydesk")), leaves: true },
  { name: "moving in, its figures", at: "/gateways/migration", open: then(moving, (page) => page.getByText("Numbers").click()), leaves: true },
  { name: "moving in, nothing observed", at: "/gateways/migration", open: text("It is not known yet") },
  { name: "moving in, fails", at: "/gateways/migration", open: then(fails("**/v1/migration"), text("Try again")), leaves: true },
  { name: "keys still there", at: "/gateways/migration?show=at_gateway", open: text("No key called the old gateway yesterday") },
  { name: "keys never seen", at: "/gateways/migration?show=never", open: row },
  { name: "differences", at: "/gateways/migration?show=differences", open: then(moving, row), leaves: true },
  { name: "a difference", at: "/gateways/migration?show=differences", of: `${M}differences.tsx`, open: then(moving, row, (page) => page.locator(".row-link").first().click()), leaves: true },
  { name: "no differences", at: "/gateways/migration?show=differences", open: text("No answer differed") },
  { name: "drafts of mails", at: "/gateways/migration?show=mails", open: row },
  { name: "a draft", at: "/gateways/migration?show=mails", of: `${M}mails.tsx`, open: then(row, (page) => page.locator(".row-link").first().click()) },
  { name: "switch a plan over", at: "/gateways/migration", of: `${M}switch-dialogs.tsx`, open: then(moving, press("Switch over: Ticket shop, live"), dialog), leaves: true },
  { name: "hand a plan back", at: "/gateways/migration", of: `${M}switch-dialogs.tsx`, open: then(moving, press("Hand back: Vehicle positions, poll"), dialog), leaves: true },
  { name: "check a key", at: "/logs", of: "screens/logs/check-dialog.tsx", open: then(press("Check a key"), dialog) },
  { name: "reports of leaks", at: "/keys?leaked=reports", open: row },
  { name: "reports of leaks, nothing matches", at: "/keys?leaked=reports&state=false_positive", open: text("Nothing matches") },
  { name: "deliveries", at: "/settings?show=deliveries", open: row },
  { name: "delivery", at: "/settings/{delivery}?show=deliveries", of: `${S}deliveries/delivery-drawer.tsx`, open: text("Delivery id") },
  { name: "replay", at: "/settings?show=deliveries&state=dead", of: `${S}deliveries/replay-dialog.tsx`, open: then(row, key("j", "x", "r"), dialog) },

  { name: "activity", at: "/audit-log", open: row },
  { name: "export as CSV", at: "/audit-log", of: "parts/export-file.tsx", open: then(row, press("Export"), dialog) },
  { name: "activity, nothing matches", at: "/audit-log?q=nothing-like-this", open: text("Nothing matches") },
  { name: "event", at: "/audit-log/{event}", of: "screens/audit-log/event-drawer.tsx", open: text("Event id") },
  { name: "proof of an event", at: "/audit-log/{event}", open: then(press("Check the proof"), text("This row is as it was written"), text("This browser checked the signature")) },

  { name: "people", at: "/settings?show=people", open: row },
  { name: "person", at: "/settings/{person}?show=people", of: `${S}person-drawer.tsx`, open: text("laptop") },
  { name: "person, suspended", at: "/settings/{suspendedPerson}?show=people", open: text("Person id") },
  { name: "add a person", at: "/settings?show=people", of: `${S}person-dialogs.tsx`, open: then(row, key("n"), dialog, inDialog("Add"), text("Write a name here")) },
  { name: "suspend a person", at: "/settings/{person}?show=people", of: `${S}person-dialogs.tsx`, open: then(text("laptop"), press("Suspend"), dialog) },
  { name: "resume a person", at: "/settings/{suspendedPerson}?show=people", of: `${S}person-dialogs.tsx`, open: then(press("Resume"), dialog) },
  { name: "deactivate a person", at: "/settings/{person}?show=people", of: `${S}person-dialogs.tsx`, open: then(press("Deactivate"), dialog) },
  { name: "issue an access token", at: "/settings/{person}?show=people", of: `${S}access-token-dialogs.tsx`, open: then(press("Issue an access token"), dialog, (page) => page.getByLabel("Allows", { exact: true }).selectOption({ label: "Less, by choice" })) },
  { name: "access tokens", at: "/settings?show=access-tokens", open: row },
  { name: "access tokens, nothing matches", at: "/settings?show=access-tokens&q=nothing-like-this", open: text("Nothing matches") },
  { name: "access token", at: "/settings/{accessToken}?show=access-tokens", of: `${S}access-token-drawer.tsx`, open: text("Access token id") },
  { name: "access token, its addresses changed", at: "/settings/{accessToken}?show=access-tokens", open: then(fill("Only from these addresses", "192.0.2.0/24"), press("Save"), text("is not among them"), press("Undo changes")) },
  { name: "issue an access token to a person", at: "/settings?show=access-tokens", open: then(row, key("n"), dialog, inDialog("Issue"), text("Choose a person.")) },
  { name: "rotate an access token", at: "/settings/{accessToken}?show=access-tokens", of: `${S}access-token-dialogs.tsx`, open: then(press("Rotate"), dialog) },
  { name: "revoke an access token", at: "/settings/{accessToken}?show=access-tokens", of: `${S}access-token-dialogs.tsx`, open: then(press("Revoke"), dialog) },
  { name: "access token by link", at: "/settings/{person}?show=people", of: `${S}access-token-dialogs.tsx`, open: then(press("Issue an access token"), fill("What it is for", "tablet"), inDialog("Issue"), text("I have passed")), leaves: true },
  { name: "access token, shown once", at: "/settings?show=organisations", of: `${S}access-token-dialogs.tsx`, open: then(press("Add an organisation"), fill("Name", "Weather Service"), fill("Its first administrator", "Grace"), inDialog("Add"), text("Access token issued to")), leaves: true },
  { name: "organisations", at: "/settings?show=organisations", open: text("Add an organisation") },
  { name: "add an organisation", at: "/settings?show=organisations", of: `${S}organisation-form.tsx`, open: then(press("Add an organisation"), dialog) },
  { name: "channels", at: "/settings?show=channels", open: row },
  { name: "channel", at: "/settings/{channel}?show=channels", of: `${S}channel-drawer.tsx`, open: text("Channel id") },
  { name: "mail channel", at: "/settings/{mailChannel}?show=channels", open: text("A request waits") },
  { name: "add a channel", at: "/settings?show=channels", of: `${S}channels.tsx`, open: then(row, press("Add a channel"), dialog) },
  { name: "change a channel", at: "/settings/{channel}?show=channels", of: `${S}channel-form.tsx`, open: then(press("Change"), dialog) },
  { name: "secret of a channel", at: "/settings/{channel}?show=channels", of: `${S}channel-form.tsx`, open: then(press("Rotate"), dialog, inDialog("Rotate"), text("Secret of")), leaves: true },
  { name: "rotate a secret", at: "/settings/{channel}?show=channels", of: `${S}channel-dialogs.tsx`, open: then(press("Rotate"), dialog) },
  { name: "delete a channel", at: "/settings/{channel}?show=channels", of: `${S}channel-dialogs.tsx`, open: then(press("Delete"), dialog) },
  { name: "change mails", at: "/settings/{mailChannel}?show=channels", of: `${S}mail-form.tsx`, open: then(press("Change"), dialog, (page) => page.getByText("Fixed words").click()) },
  { name: "words of a mail", at: "/settings/{mailChannel}?show=channels", of: `${S}mail-words.tsx`, open: then(press("Words of A request waits"), (page) => page.frameLocator("iframe").locator(".card").waitFor()) },
  { name: "alerts", at: "/settings?show=alerts", open: (page) => page.getByLabel("Days before expiry").waitFor() },
  { name: "alerts, refused", at: "/settings?show=alerts", open: then(fill("Days before expiry", "soon"), press("Save"), (page) => page.locator("[aria-invalid=true]").waitFor()), leaves: true },
  { name: "you, on a phone", at: "/settings?show=you", isPhones: true, open: (page) => page.getByRole("region", { name: "Where you are signed in" }).locator(".card").first().waitFor() },
  { name: "you", at: "/settings?show=you", open: text("Where you are signed in") },
  { name: "while you are away", at: "/settings?show=you", open: then((page) => page.getByLabel("Approves in your place").selectOption({ index: 1 }), fill("Until", ""), press("Save"), text("Choose a day.")), leaves: true },
  { name: "brand", at: "/settings?show=brand", open: (page) => page.getByLabel("Support address").waitFor() },
  { name: "change the brand", at: "/settings?show=brand", open: then(fill("Colour", "#12a384"), text("Made darker")), leaves: true },
  { name: "sign-in rules", at: "/settings?show=sign-in", open: text("How people sign in") },
  { name: "a switch is refused", at: "/settings?show=sign-in", open: then((page) => page.getByRole("switch", { name: "An access token signs in" }).click().then(() => page.getByRole("alert").first().waitFor())), leaves: true },
  { name: "add a role", at: "/settings?show=roles", of: `${S}roles.tsx`, open: then(press("Add a role"), dialog, inDialog("Add"), text("Write a name here")) },
  { name: "remove a role", at: "/settings?show=roles", of: `${S}roles.tsx`, open: then(answers("**/v1/roles", 200, { data: [ownRole] }), again, press("Remove First line"), dialog), leaves: true },
  { name: "temporary access", at: "/settings?show=temporary-access", open: then(withRule, text("No one can use this now")), leaves: true },
  { name: "add a rule of temporary access", at: "/settings?show=temporary-access", of: `${S}temporary-access-form.tsx`, open: then(press("Add a rule"), dialog, inDialog("Add"), text("Write a name here")) },
  { name: "remove a rule of temporary access", at: "/settings?show=temporary-access", of: `${S}temporary-access.tsx`, open: then(withRule, press("Remove Incidents"), dialog), leaves: true },
  { name: "get temporary access", at: "/settings?show=you", of: `${S}take-temporary-access.tsx`, open: then(answers("**/v1/temporary-access/own", 200, ownTemporaryAccess), again, press("Get access by Incidents"), dialog, inDialog("Sign and get access"), text("Say why")), leaves: true },
  { name: "say yes to temporary access", at: "/settings?show=you", of: `${S}take-temporary-access.tsx`, open: then(answers("**/v1/temporary-access/own", 200, ownTemporaryAccess), again, press("Say yes to Hedy"), dialog), leaves: true },
  { name: "with temporary access", at: "/keys", open: then(withTemporaryAccess, again, text("You have temporary access")), leaves: true },
  { name: "invite a person", at: "/settings?show=people", of: `${S}invite.tsx`, open: then(press("Invite a person"), dialog, inDialog("Invite"), text("Write a name here")) },
  { name: "invited, by a link", at: "/settings?show=people", of: `${S}invite.tsx`, open: then(press("Invite a person"), fill("Name", "Radia Perlman"), fill("E-mail address", "radia@example.org"), check("Approve and decline key requests"), inDialog("Invite"), text("Pass this link on")), leaves: true },
  { name: "person, invited", at: "/settings/{invitedPerson}?show=people", open: text("Person id") },
  { name: "invite again", at: "/settings/{invitedPerson}?show=people", of: `${S}invite.tsx`, open: then(press("Invite again"), dialog) },
  { name: "withdraw an invitation", at: "/settings/{invitedPerson}?show=people", of: `${S}invite.tsx`, open: then(press("Withdraw"), dialog) },
  { name: "add a passkey", at: "/settings?show=you", of: `${S}passkeys.tsx`, open: then(press("Add a passkey"), dialog, inDialog("Add"), text("Write a name here")) },
  { name: "remove a passkey", at: "/settings?show=you", of: `${S}passkeys.tsx`, open: then(answers("**/v1/passkeys", 200, { data: [passkey] }), again, press("Remove Laptop"), dialog), leaves: true },
  { name: "set up one-time codes", at: "/settings?show=you", of: `${S}one-time-codes.tsx`, open: then(press("Set up one-time codes"), dialog, inDialog("Set up"), text("Type the app’s code here")), leaves: true },
  { name: "one-time codes", at: "/settings?show=you", of: `${S}one-time-codes.tsx`, open: then(withCodes, again, press("New recovery codes"), dialog), leaves: true },
  { name: "recovery codes", at: "/settings?show=you", of: `${S}one-time-codes.tsx`, open: then(withCodes, again, press("New recovery codes"), dialog, inDialog("Make new ones"), text("Your recovery codes")), leaves: true },
  { name: "remove one-time codes", at: "/settings?show=you", of: `${S}one-time-codes.tsx`, open: then(withCodes, again, (page) => page.getByRole("region", { name: "One-time codes" }).getByRole("button", { name: "Remove" }).click(), dialog), leaves: true },
  { name: "remove somebody's passkey", at: "/settings/{person}?show=people", of: `${S}ways-in.tsx`, open: then(answers("**/v1/people/*/ways-in", 200, { passkeys: [passkey], identities: linked.data, one_time_codes: null }), again, press("Remove Laptop"), dialog), leaves: true },
  { name: "company sign-in", at: "/settings?show=sign-in", open: then(withCompany, answers("**/v1/identity-providers/*/check", 200, { works: false, problem: "it shows no keys", problems: ["it shows no keys", "it is called at oauth.example.org, which KEYDESK_OUTBOUND does not name"], notes: ["it offers the scope \"groups\", which is not set"], outbound: "oauth.example.org", issuer: null, algorithms: [], keys: 0 }), press("Try it: Veldhaven Transit"), text("it shows no keys"), (page) => page.getByText("Settings at the provider").click(), text("Backchannel logout URL")), leaves: true },
  { name: "add a provider", at: "/settings?show=sign-in", of: `${S}provider-form.tsx`, open: then(press("Add a provider"), dialog, press("Add a group"), (page) => page.getByText("May: Nothing yet").click(), (page) => page.getByText("Claims, scopes").click(), inDialog("Add"), text("Write a name here")) },
  { name: "change a provider", at: "/settings?show=sign-in", open: then(withCompany, press("Change Veldhaven Transit"), dialog, (page) => page.getByText("Claims, scopes").click(), (page) => page.getByText("Client, answers, how long").click(), text("Longest session")), leaves: true },
  { name: "remove a provider", at: "/settings?show=sign-in", of: `${S}providers.tsx`, open: then(withCompany, press("Remove Veldhaven Transit"), dialog), leaves: true },
  { name: "unlink an account", at: "/settings?show=you", of: `${S}identities.tsx`, open: then(answers("**/v1/identities", 200, linked), again, press("Unlink the account at Veldhaven Transit"), dialog), leaves: true },
  { name: "link an account", at: "/settings?show=you", open: then(answers("**/v1/identities", 200, { ...linked, data: [] }), again, text("No account of yours is linked")), leaves: true },
  { name: "an account that keeps one", at: "/settings?show=you", open: then(answers("**/v1/identities", 200, { data: [{ ...linked.data[0], managed: true }], providers: [] }), answers("**/v1/passkeys", 200, { data: [], managed: true }), again, text("added you and says when you are out"), text("None can be added")), leaves: true },
  { name: "pages", at: "/settings?show=pages", open: (page) => page.getByRole("switch", { name: "Developers have pages of their own" }).waitFor() },
  { name: "switch the pages off", at: "/settings?show=pages", of: `${S}in-place.tsx`, open: then(answers("**/v1/developer-pages", 200, { enabled: true, host: "", sign_up: "closed", mail_domains: [], passwords: false, back_end_opens: "look" }), again, (page) => page.getByRole("switch", { name: "Developers have pages of their own" }).click(), dialog), leaves: true },
  { name: "change the questions", at: "/settings?show=pages", open: then(press("Add a question at sign-up"), text("Undo changes")), leaves: true },
  { name: "configuration files, none", at: "/settings?show=config", open: text("No file manages anything") },
  { name: "configuration files", at: "/settings?show=config", open: then(withFiles, text("First line"), text("Changes to confirm")), leaves: true },
  { name: "confirm a change by a file", at: `/settings/config/${configReview.digest}`, of: `${S}config-review.tsx`, open: then(withFiles, press("Confirm"), dialog), leaves: true },
  { name: "brand, managed by a file", at: "/settings?show=brand", open: then(withFiles, text("changes here are drift")), leaves: true },
  { name: "server", at: "/settings?show=server", open: text("SQLite") },
  { name: "mail server", at: "/settings?show=mail-server", open: text("KEYDESK_OUTBOUND must name it") },
  { name: "remove the mail server", at: "/settings?show=mail-server", of: `${S}mail-server-facts.tsx`, open: then(answers("**/v1/server/mail", 200, mailServer), again, press("Remove the mail server"), dialog), leaves: true },

  { name: "nothing there", at: "/nothing-like-this", open: text("There is nothing here") },
  { name: "shortcuts", at: "/keys", of: "shell/palette/shortcuts-dialog.tsx", open: then(row, key("?"), dialog), leaves: true },
  { name: "palette", at: "/keys", of: "shell/palette/palette.tsx", open: then(row, key("Control+k"), options), leaves: true },
  { name: "palette, found", at: "/keys", open: then(row, key("Control+k"), options, (page) => page.keyboard.type("a"), text("Best match")), leaves: true },
  { name: "palette, nothing", at: "/keys", open: then(row, key("Control+k"), options, (page) => page.keyboard.type("zzzz zzzz"), text("Nothing called")), leaves: true },
  { name: "typed, and left", at: "/developers", open: then(row, key("n"), dialog, fill("E-mail address", "ada@example.org"), key("Escape"), text("Discard what you typed?")), leaves: true },
  { name: "fresh sign-in", at: "/settings/{person}?show=people", of: "screens/sign-in/sign-in-over.tsx", open: then(answers("**/v1/people/*/suspend", 403, {}, "fresh_sign_in_required"), press("Suspend"), inDialog("Suspend"), text("Sign in again for this")), leaves: true },
  { name: "offline", at: "/keys", open: then(withoutAuditLog, again, row, (page) => page.context().setOffline(true), key("g", "a"), text("This screen can’t be read now")), leaves: true },
];

/** Of an administrator, at a desk where nothing was ever done. */
// deno-fmt-ignore
export const emptyViews: readonly View[] = [
  { name: "first run", at: "/home", open: text("0 of 4 done") },
  { name: "first API", at: "/home", open: then(press("Add an API"), dialog) },
  { name: "no requests", at: "/requests", open: text("Make the first key") },
  { name: "no keys", at: "/keys", open: text("No keys yet") },
  { name: "no certificates", at: "/certificates", open: text("No certificates yet") },
  { name: "no developers", at: "/developers", open: text("No developers yet") },
  { name: "no APIs", at: "/apis", open: text("No API yet") },
  { name: "no reports of leaks", at: "/keys?leaked=reports", open: text("Nothing was found in public") },
  { name: "no deliveries", at: "/settings?show=deliveries", open: text("Nothing was sent yet") },
  { name: "no old gateway", at: "/gateways/migration", open: text("No old gateway is connected") },
  { name: "no gateways", at: "/gateways", open: text("No gateway is added") },
  { name: "no channels", at: "/settings?show=channels", open: text("There is no notification channel yet") },
  { name: "the first request", at: "/home", of: "screens/home/first-run/request-form.tsx", open: then(
    async (_, server) => {
      const rights = { access_rights: { tides: { api_id: "tides" } } };
      // as: the contract of createPlan.
      const { id } = await server.call("POST", "/v1/plans", { name: "Free", ...rights }) as { id: string };
      await server.call("POST", "/v1/apis", { id: "tides", name: "Tides", plans: [id] });
    }, press("Make a request"), dialog) },
  { name: "the first key", at: "/home", of: "screens/home/first-run/first-run.tsx", open: then(
    press("Make a request"), dialog, (page) => page.keyboard.type("ada@example.org"), key("Enter"),
    press("Approve & issue key"), text("Your first key")), leaves: true },
];

/** Of who may read, and change nothing. */
// deno-fmt-ignore
export const readersViews: readonly View[] = [
  { name: "reader: home", at: "/home", open: (page) => page.locator(".home-lane").nth(1).waitFor() },
  { name: "reader: requests", at: "/requests", open: row },
  { name: "reader: request", at: "/requests/{hintedRequest}", open: drawer },
  { name: "reader: keys", at: "/keys", open: row },
  { name: "reader: key", at: "/keys/{namedKey}", open: then(drawer, text("Checkout, live")) },
  { name: "reader: certificate", at: "/certificates/{certificate}", open: then(drawer, text("Lives for")) },
  { name: "reader: developer", at: "/developers/{developer}", open: then(drawer, text("Member since")) },
  { name: "reader: API", at: "/apis/{api}", open: drawer },
  { name: "reader: plan", at: "/apis/plans/{plan}", open: text("Requests for it") },
  { name: "reader: moving in", at: "/gateways/migration", open: then(moving, text("You may not switch plans over")), leaves: true },
  { name: "reader: settings", at: "/settings", open: text("Where you are signed in") },
  { name: "reader: not theirs", at: "/audit-log", open: (page) => page.getByRole("heading", { level: 1 }).waitFor() },
];

/** Of whoever is not signed in. */
// deno-fmt-ignore
export const strangersViews: readonly View[] = [
  { name: "sign-in", at: "/console", open: text("Your e-mail address") },
  { name: "sign-in, wrong", at: "/console/keys", open: then(press("Use an access token"), fill("Your access token", "wrong"), key("Enter"), text("is not valid")) },
  { name: "sign-in, a code is asked for", at: "/console/keys", open: then(answers("**/v1/session", 401, {}, "one_time_code_required"), press("Use an access token"), fill("Your access token", "some"), key("Enter"), text("What your authenticator app shows now")), leaves: true },
  { name: "sign-in, used link", at: "/console#code=used-0123456789", open: text("does not sign in") },
  { name: "sign-in, offline", at: "/console", open: then(press("Use an access token"), fill("Your access token", "some"), (page) => page.context().setOffline(true), key("Enter"), text(/not answer|reached/)), leaves: true },
  { name: "one-time link", at: "{oneTimeLink}", open: text("Show it") },
  { name: "offer, of no link", at: "/offer#nothing", open: text("This is no link of an offer") },
  { name: "offer", at: "/offer#made", open: then(answers("**/v1/offers/preview", 200, offer), again, text("Turn it down")), leaves: true },
  { name: "one-time link, unread", at: "{oneTimeLink}", open: then(answers("**/v1/one-time-links/preview", 500, {}), again, text("could not be read")), leaves: true },
  { name: "one-time link, shown", at: "{oneTimeLink}", open: then(press("Show it"), text("Keep it now")), leaves: true },
  { name: "one-time link, used", at: "{oneTimeLink}", open: text("This link was used") },
  { name: "one-time link of an access token", at: "{tokenOneTimeLink}", open: then(press("Show it"), text("Keep it now"), check("I have kept it")), leaves: true },
  { name: "one-time link, finished", at: "{otherOneTimeLink}", open: then(press("Show it"), check("I have kept it"), press("Done"), text("That was all")), leaves: true },
  { name: "sign-in by the company", at: "/console", open: then(answers("**/v1/session/ways", 200, { ways: ["passkey", "token"], domain: "example.org", providers: linked.providers }), fill("Your e-mail address", "grace@example.org"), press("Continue"), text("Continue with")), leaves: true },
  { name: "back from the company, refused", at: "/console/from/65b0916f558a1fe916eb0f36?error=access_denied", open: text("You are not signed in") },
  { name: "invitation", at: "{invitation}", open: text("Welcome, Mary Shaw") },
  { name: "invitation, over", at: "/console#invitation=used-0123456789", open: text("This invitation is not valid") },
  { name: "sign-in with a brand", at: "/console", open: then(answers("**/v1/branding/sign-in", 200, brand), again, text(brand.name)), leaves: true },
  // Signed in from here on.
  { name: "invitation, its access token", at: "{invitation}", of: "screens/sign-in/invitation.tsx", open: then(press("Accept with an access token"), text("Your access token")), leaves: true },
];

/** The address of a view. */
export function addressOf({ at }: View, base: string, ids: Ids): string {
  const path = at.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    assert.ok(id, `no id of ${name}`);
    return /^(https?:|\/)/.test(id) ? id : encodeURIComponent(id);
  });
  return path.startsWith("http") ? path : base + path;
}

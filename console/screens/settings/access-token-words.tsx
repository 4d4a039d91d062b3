import { Pill } from "../../parts/pill.tsx";
import { dayOf } from "../../parts/time.tsx";
import type { AccessToken } from "./person.ts";

/** The states of access tokens, in words. */
export const stateNames: Readonly<Record<AccessToken["state"], string>> = {
  active: "Active",
  suspended: "Suspended",
  expired: "Expired",
  revoked: "Revoked",
};

/** The state of an access token. */
export function AccessTokenPill({ of: { state, expires_soon } }: { of: AccessToken }) {
  const isSoon = expires_soon && state === "active";
  return (
    <Pill tone={isSoon ? "waiting" : state === "active" ? "good" : "quiet"}>
      {isSoon ? "Expires soon" : stateNames[state]}
    </Pill>
  );
}

/** True while an access token can be rotated, limited and revoked. */
export function isUnended({ state }: AccessToken): boolean {
  return state === "active" || state === "suspended";
}

/** When an access token ends or ended. */
export function endOf({ state, expires_at, revoked_at, replaced_by }: AccessToken) {
  if (state === "revoked") return <>revoked {revoked_at && dayOf(revoked_at)}</>;
  if (expires_at === null) return "does not expire";
  const word = state === "expired"
    ? "expired"
    : replaced_by === null
    ? "expires"
    : "replaced, expires";
  return <>{word} {dayOf(expires_at)}</>;
}

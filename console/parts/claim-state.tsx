import { api, codeOf, decisionKey } from "../api/client.ts";
import { listClaims, withdrawClaim } from "../api/endpoints.ts";
import { queries, useCall } from "../api/queries.ts";
import { may } from "../api/session.ts";
import { LinkButton } from "./button.tsx";
import { ask } from "./confirm.tsx";
import { Fact, Facts } from "./drawer.tsx";
import { Time } from "./time.tsx";

/**
 * What became of the newest claim link of a key or a key request, with the way to withdraw it;
 * nothing where there never was one.
 */
export function ClaimState({ of }: { of: { key_id: string } | { key_request_id: string } }) {
  const queryKey = ["claims", ...Object.values(of)];
  const claim = useCall(queryKey, listClaims, { query: { ...of, limit: 1 } }, {
    enabled: may("portal:read"),
    gcTime: 30_000,
  }).data?.data[0];
  if (!claim) return null;
  const withdraw = () =>
    ask({
      title: "Withdraw this claim link?",
      note:
        "It no longer opens anything. The key lives on, and nobody has it: issue it anew to hand it over.",
      action: "Withdraw",
      danger: true,
      run: async () => {
        try {
          await api.call(withdrawClaim, { params: { id: claim.id }, headers: decisionKey() });
        } catch (error) {
          // Somebody opened or withdrew it meanwhile: what is read anew says which.
          if (codeOf(error) !== "claim_closed") throw error;
        } finally {
          await queries.invalidateQueries({ queryKey });
        }
      },
    });
  return (
    <Facts>
      <Fact name="Claim link">
        {claim.state === "open" && (
          <>
            Not opened yet, ends <Time at={claim.expires_at} />{" "}
            {may("approve") && <LinkButton onClick={withdraw}>Withdraw it</LinkButton>}
          </>
        )}
        {claim.state === "opened" && (
          <>
            Opened <Time at={claim.closed_at} />
          </>
        )}
        {claim.state === "withdrawn" && (
          <>
            Withdrawn <Time at={claim.closed_at} />, never opened
          </>
        )}
        {claim.state === "expired" && (
          <>
            Ended <Time at={claim.expires_at} />, never opened
          </>
        )}
      </Fact>
    </Facts>
  );
}

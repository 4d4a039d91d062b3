import { api, codeOf, decisionKey } from "../api/client.ts";
import { listOneTimeLinks, withdrawOneTimeLink } from "../api/endpoints.ts";
import { queries, useCall } from "../api/queries.ts";
import { may } from "../api/session.ts";
import { LinkButton } from "./button.tsx";
import { ask } from "./confirm.tsx";
import { Fact, Facts } from "./drawer.tsx";
import { Time } from "./time.tsx";

/**
 * The state of the newest one-time link of a key or a key request, with the way to withdraw it;
 * nothing without a link.
 */
export function OneTimeLinkState({ of }: { of: { key_id: string } | { key_request_id: string } }) {
  const queryKey = ["claims", ...Object.values(of)];
  const one_time_link = useCall(queryKey, listOneTimeLinks, { query: { ...of, limit: 1 } }, {
    enabled: may("portal:read"),
    gcTime: 30_000,
  }).data?.data[0];
  if (!one_time_link) return null;
  const withdraw = () =>
    ask({
      title: "Withdraw this one-time link?",
      note:
        "It is not valid any more. The key stays, and no one has it: issue it anew to hand it over.",
      action: "Withdraw",
      danger: true,
      run: async () => {
        try {
          await api.call(withdrawOneTimeLink, {
            params: { id: one_time_link.id },
            headers: decisionKey(),
          });
        } catch (error) {
          // Another person opened or withdrew it meanwhile: reading again says which.
          if (codeOf(error) !== "one_time_link_closed") throw error;
        } finally {
          await queries.invalidateQueries({ queryKey });
        }
      },
    });
  return (
    <Facts>
      <Fact name="One-time link">
        {one_time_link.state === "open" && (
          <>
            Not opened yet, expires <Time at={one_time_link.expires_at} />{" "}
            {may("approve") && <LinkButton onClick={withdraw}>Withdraw it</LinkButton>}
          </>
        )}
        {one_time_link.state === "opened" && (
          <>
            Opened <Time at={one_time_link.closed_at} />
          </>
        )}
        {one_time_link.state === "withdrawn" && (
          <>
            Withdrawn <Time at={one_time_link.closed_at} />, never opened
          </>
        )}
        {one_time_link.state === "expired" && (
          <>
            Expired <Time at={one_time_link.expires_at} />, never opened
          </>
        )}
      </Fact>
    </Facts>
  );
}

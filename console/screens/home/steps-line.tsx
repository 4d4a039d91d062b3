import { Link } from "wouter-preact";
import { getFirstSteps } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { putStartAway, startIsAway } from "../../api/start.ts";
import { Button } from "../../parts/button.tsx";
import { listed } from "../../said.ts";
import { EVERY_MS } from "./panel.tsx";

const names = {
  approver: "somebody who approves",
  portal_token: "the portal’s access token",
  gateway: "the gateway",
  mail: "mail",
  not_by_filer: "nobody decides what they filed",
} as const;

const wanted = ["approver", "portal_token", "gateway", "mail", "not_by_filer"] as const;

/**
 * Steps that are still open, in the line of the title, so that nothing moves, until they are done
 * or put away.
 */
export function StepsLine() {
  const isShown = may("plans") && may("portal:read") && !startIsAway.value;
  const { data } = useCall(["insight", "first-steps"], getFirstSteps, {}, {
    refetchInterval: EVERY_MS,
    enabled: isShown,
  });
  const open = data ? wanted.filter((name) => data[name]?.done === false) : [];
  if (!isShown || open.length === 0) return null;
  return (
    <p class="home-steps">
      <Link
        class="text-link"
        href="/start"
        title={`Before you go live: ${listed(open.map((name) => names[name]))}`}
      >
        {open.length} {open.length === 1 ? "step" : "steps"} left
      </Link>
      <Button kind="quiet" label="Hide the steps left" onClick={putStartAway}>Hide</Button>
    </p>
  );
}

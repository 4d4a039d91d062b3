import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { emailWarning } from "../../../src/contract/changed-emails.ts";
import { api } from "../../api/client.ts";
import { listKeys } from "../../api/endpoints.ts";
import { limitsOf, usePlans } from "../../api/plans.ts";
import { useQuery } from "../../api/queries.ts";
import { isMore, volumeOf } from "../../parts/call-volume.ts";
import { Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import { RequestLink } from "./developer-section.tsx";
import type { RequestDetail } from "./request.ts";

const WEEK_MS = 7 * 86_400_000;

/**
 * Whether who asks holds an active key for the plan: it, or undefined; `isKnown` once that is
 * certain.
 */
export function useHeld(request: RequestDetail | undefined) {
  const { by_user = "", for_plan = "", key = "" } = request ?? {};
  // Who asks for a change of a key holds one.
  const enabled = request?.state === "pending" && key === "" && by_user !== "" && for_plan !== "";
  const { data, error } = useQuery({
    queryKey: ["keys", "of", by_user, for_plan],
    queryFn: () =>
      api.call(listKeys, {
        query: { developer: by_user, plan: for_plan, state: "active", limit: 1 },
      }),
    enabled,
    gcTime: 30_000,
  });
  return { held: data?.data[0], isKnown: !enabled || data !== undefined || error !== null };
}

/**
 * What is worth knowing before a request is decided, worst first. Shown only when true; a hint
 * never blocks.
 */
export function Hints({ request, held }: {
  request: RequestDetail;
  held: ReturnType<typeof useHeld>["held"];
}) {
  const { for_plan, portal_developer, date_created, other_requests } = request;
  const { developer_email_state: state, developer_email_changed_at: changed_at } = request;
  const told = emailWarning({ state, changed_at }, Date.now());
  const asked = Date.parse(date_created);
  const inWeek = 1 + other_requests.filter((other) => {
    const before = asked - Date.parse(other.date_created);
    return before >= 0 && before < WEEK_MS;
  }).length;
  const plan = usePlans().get(for_plan);
  const volume = volumeOf(request.fields);
  const [declined] = other_requests.filter(({ state }) => state === "declined");
  return (
    <ul class="hints" aria-label="Hints">
      {plan && volume && isMore(volume, plan) && (
        <Hint title="Asks for more than the plan gives">
          {volume.said}; the plan gives {limitsOf(plan)}.
        </Hint>
      )}
      {held && (
        <Hint title="Already holds an active key for this plan">
          <Link class="text-link" href={`/keys/${held.key_id}`}>
            {held.name || <code>{held.mask}</code>}
          </Link>, last used <Time at={held.last_used_at} />
        </Hint>
      )}
      {told && (
        <Hint
          title={told === "changed"
            ? "E-mail address changed lately"
            : "E-mail address is not confirmed"}
        >
          It became <code>{portal_developer.email}</code>{" "}
          <Time at={request.developer_email_changed_at} />
          {told === "unconfirmed" && "; no link is mailed there. "}
          {told === "unconfirmed" && (
            <Link class="text-link" href={`/developers/${encodeURIComponent(request.by_user)}`}>
              Confirm it
            </Link>
          )}
        </Hint>
      )}
      {portal_developer.inactive && (
        <Hint title="Developer is deactivated">The portal doesn't let them sign in.</Hint>
      )}
      {inWeek > 2 && <Hint title={say`${inWeek} requests in 7 days`}>This one is among them.</Hint>}
      {declined && (
        <Hint title="Declined before">
          A request of <Time at={declined.date_created} />{" "}
          <RequestLink id={declined.id}>was declined</RequestLink>
          {declined.for_plan === for_plan && ", for this plan too"}.
        </Hint>
      )}
    </ul>
  );
}

function Hint({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <li>
      <b>{title}</b>
      <div>{children}</div>
    </li>
  );
}

import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { listKeys } from "../../api/endpoints.ts";
import { titleOf, usePlans } from "../../api/plans.ts";
import { useCall } from "../../api/queries.ts";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Email } from "../../parts/email.tsx";
import { Pill } from "../../parts/pill.tsx";
import { Time } from "../../parts/time.tsx";
import { KeyPill } from "../../parts/keys/key-pill.tsx";
import { type RequestDetail, states } from "./request.ts";

const SHOWN = 5;

/** The developer of a request: their age here, their keys and their other requests. */
export function DeveloperSection({ request }: { request: RequestDetail }) {
  const { portal_developer: developer, by_user, other_requests, more_requests } = request;
  const plans = usePlans();
  const keys =
    useCall(["keys", "of", by_user], listKeys, { query: { developer: by_user, limit: SHOWN } }, {
      enabled: by_user !== "",
      gcTime: 30_000,
    }).data;
  const isKnown = developer.email !== "";
  return (
    <>
      <Facts title="Developer">
        <Fact name="E-mail">
          <Email
            of={developer.email}
            standing={{
              state: request.developer_email_state,
              changed_at: request.developer_email_changed_at,
            }}
          />
        </Fact>
        <Fact name="Member since">{isKnown && <Time at={developer.date_created} />}</Fact>
        <Fact name="Last sign-in">{isKnown && <Time at={sane(developer.last_login_date)} />}</Fact>
        <Fact name="Account">{developer.inactive && <Pill tone="bad">Deactivated</Pill>}</Fact>
        <Fact name="Id" of={<code>{by_user}</code>} />
      </Facts>
      {keys && keys.data.length > 0 && (
        <>
          <h3 class="group-title">Keys they have</h3>
          <ul class="mini-list">
            {keys.data.map((key) => (
              <li key={key.key_id}>
                <Link class="text-link" href={`/keys/${key.key_id}`}>
                  {key.name || <code>{key.mask}</code>}
                </Link>
                <span class="mini-name">
                  {titleOf("", key.plans, plans)}
                </span>
                <KeyPill of={key} />
              </li>
            ))}
          </ul>
          {keys.next_cursor !== null && (
            <Link class="text-link" href={`/keys?developer=${encodeURIComponent(by_user)}`}>
              All their keys
            </Link>
          )}
        </>
      )}
      {other_requests.length > 0 && (
        <>
          <h3 class="group-title">Other requests</h3>
          <ul class="mini-list">
            {other_requests.slice(0, SHOWN).map((other) => (
              <li key={other.id}>
                <RequestLink id={other.id}>
                  {titleOf("", [other.for_plan], plans)}
                  <span class="unseen">…{other.id.slice(-6)}</span>
                </RequestLink>
                <span class="mini-name">
                  <Time at={other.date_created} />
                </span>
                <Pill tone={states[other.state].tone}>{states[other.state].text}</Pill>
              </li>
            ))}
          </ul>
          {(other_requests.length > SHOWN || more_requests) && (
            <Link
              class="text-link"
              href={`/requests?state=all&q=${encodeURIComponent(developer.email || by_user)}`}
            >
              All their requests
            </Link>
          )}
        </>
      )}
    </>
  );
}

/** Times of people who never signed in come as year 1. */
function sane(at: string): string | null {
  return at.startsWith("0001") ? null : at;
}

/** A link to another request, whatever its state. */
export function RequestLink({ id, children }: { id: string; children: ComponentChildren }) {
  return (
    <Link class="text-link" href={`/requests/${encodeURIComponent(id)}?state=all`}>
      {children}
    </Link>
  );
}

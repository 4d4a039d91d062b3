import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { getPerson } from "../../api/endpoints.ts";
import { listPersonAccessTokens } from "../../api/token-endpoints.ts";
import { useCall, useQuery } from "../../api/queries.ts";
import { may } from "../../api/session.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { LeakMark } from "../../parts/leak-mark.tsx";
import { Pill, Tag } from "../../parts/pill.tsx";
import { Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import { askToRevoke } from "./access-token-dialogs.tsx";
import { permissionName, sorted } from "./permission-words.ts";
import { type AccessToken, type Person, useCaller } from "./person.ts";
import { useRoleName } from "./role-field.tsx";

/** What is to be done to one of them. */
export interface Asked {
  what: "rotate" | "limit";
  token: AccessToken;
}

const MOST = 100;
const states = {
  active: "Active",
  suspended: "Suspended",
  expired: "Expired",
  revoked: "Revoked",
} as const;

/** A person's access tokens, those that open something first. */
export function AccessTokens({ person, onAsk, onIssue }: {
  person: Person;
  onAsk: (asked: Asked) => void;
  onIssue: () => void;
}) {
  const [all, setAll] = useState(false);
  const mine = useCaller()?.credential.id;
  const { id } = person;
  const read = useCall(["people", id, "access-tokens"], listPersonAccessTokens, {
    params: { id },
    query: { limit: MOST },
  });
  const tokens = read.data?.data ?? [];
  const open = tokens.filter(isUnended);
  const shown = all ? tokens : open;
  const over = tokens.length - open.length;
  return (
    <section aria-label="Access tokens">
      <h3 class="group-title">Access tokens</h3>
      {read.data === undefined && <Unread of={read} lines={2} />}
      {read.data && open.length === 0 && (
        <p class="muted access-tokens-none">
          None that is valid.
        </p>
      )}
      <ul class="cards">
        {shown.map((one) => (
          <li key={one.id} class="card">
            <AccessTokenRow one={one} isMine={one.id === mine} onAsk={onAsk} />
          </li>
        ))}
      </ul>
      {may("admin") && person.state !== "deactivated" && (
        <Button shortcut="I" onClick={onIssue}>Issue an access token</Button>
      )}
      {over > 0 && (
        <LinkButton onClick={() => setAll(!all)}>
          {all ? "Hide" : "Show"} {over} that ended
        </LinkButton>
      )}
      {read.data?.next_cursor != null && <p class="muted">Only the newest {MOST} stand here.</p>}
    </section>
  );
}

function AccessTokenRow({ one, isMine, onAsk }: {
  one: AccessToken;
  isMine: boolean;
  onAsk: (asked: Asked) => void;
}) {
  const isOpen = isUnended(one);
  return (
    <>
      <p class="card-head">
        <b>{one.name}</b>
        {isMine && <Tag>this session</Tag>}
        <Pill tone={one.expires_soon ? "waiting" : one.state === "active" ? "good" : "quiet"}>
          {one.expires_soon && one.state === "active" ? "Expires soon" : states[one.state]}
        </Pill>
      </p>
      <p class="muted">
        {one.role !== null && <RoleName id={one.role} />}
        {one.scope === null
          ? "All permissions of its person"
          : listed(sorted(one.permissions).map(permissionName)) || "No permission"}
      </p>
      <p class="muted">
        Issued <Time at={one.date_created} />
        <IssuedBy id={one.issued_by} /> · {endWords(one)} <EndTime one={one} />
      </p>
      <p class="muted">
        {one.last_used_at === null ? "No use known yet" : (
          <>
            Used <Time at={one.last_used_at} />
            {one.last_used_from !== null && say` from ${one.last_used_from}`}
          </>
        )}
        {one.addresses !== null && ` · only from ${listed(one.addresses)}`}
      </p>
      {one.leaked && (
        <p>
          <LeakMark of={one.leaked} />
        </p>
      )}
      {isOpen && may("admin") && (
        <div class="card-actions">
          {one.replaced_by === null && (
            <Button
              label={say`Rotate ${one.name}`}
              onClick={() => onAsk({ what: "rotate", token: one })}
            >
              Rotate
            </Button>
          )}
          <Button
            label={say`Addresses of ${one.name}`}
            onClick={() => onAsk({ what: "limit", token: one })}
          >
            Addresses
          </Button>
          <Button
            kind="danger"
            label={say`Revoke ${one.name}`}
            onClick={() => askToRevoke(one)}
          >
            Revoke
          </Button>
        </div>
      )}
    </>
  );
}

function RoleName({ id }: { id: string }) {
  return <>Role {useRoleName(id)}:{" "}</>;
}

/** Who issued it, where that was somebody else than its person. */
function IssuedBy({ id }: { id: string | null }) {
  const isPerson = id !== null && id !== "operator";
  const { data } = useQuery({
    queryKey: ["people", id ?? "", "name"],
    queryFn: async () => (await api.call(getPerson, { params: { id: id ?? "" } })).name,
    enabled: isPerson,
    staleTime: 60_000,
  });
  return id === null ? null : <>{" "}by {isPerson ? data ?? id : "the server administrator"}</>;
}

function isUnended({ state }: AccessToken): boolean {
  return state === "active" || state === "suspended";
}

function endWords({ state, expires_at, replaced_by }: AccessToken): string {
  if (state === "revoked") return "revoked";
  if (expires_at === null) return "does not expire";
  if (state === "expired") return "expired";
  return replaced_by === null ? "expires" : "replaced, expires";
}

function EndTime({ one: { state, expires_at, revoked_at } }: { one: AccessToken }) {
  const at = state === "revoked" ? revoked_at : expires_at;
  return at === null ? null : <Time at={at} />;
}

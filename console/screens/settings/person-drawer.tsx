import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { withTag } from "../../api/client.ts";
import { getPerson } from "../../api/endpoints.ts";
import { useCall, useQuery } from "../../api/queries.ts";
import { listAccessTokens } from "../../api/token-endpoints.ts";
import { may } from "../../api/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Drawer, Fact, Facts, UnreadDrawer } from "../../parts/drawer.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Unread } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { scopeText } from "./scope-field.tsx";
import { permissionName, sorted } from "./permission-words.ts";
import { deactivate, PersonForm, resume, suspend } from "./person-dialogs.tsx";
import { PersonPill } from "./person-pill.tsx";
import { useRoleName } from "./role-field.tsx";
import { InviteAgain, withdrawInvitation } from "./invite.tsx";
import { type Person, readSignIns, signInsKnown, signsInBy } from "./person.ts";

const IssueAccessToken = lazily<{ person: Person; onClose: () => void }>(async () => ({
  default: (await import("./access-token-dialogs.tsx")).IssueAccessToken,
}));
const PersonCan = lazily(() => import("./person-can.tsx"));
const WaysIn = lazily(() => import("./ways-in.tsx"));
const PersonSessions = lazily(() => import("./person-sessions.tsx"));

type Doing = "edit" | "issue" | "invite";

/** A person in full, with their access tokens and what can be done about both. */
export function PersonDrawer({ id, onRead, onClose }: {
  id: string;
  /** Called with the server's present answer. */
  onRead: (person: Person) => void;
  onClose: () => void;
}) {
  const read = useQuery({
    queryKey: ["people", id],
    queryFn: async () => {
      const [found] = await Promise.all([
        withTag((tagged) => tagged.call(getPerson, { params: { id } })),
        readSignIns([id]),
      ]);
      return found;
    },
  });
  const person = read.data?.value;
  useEffect(() => {
    if (person) onRead(person);
  }, [person]);
  if (read.data) return <View person={read.data.value} tag={read.data.tag} onClose={onClose} />;
  return (
    <UnreadDrawer
      of={id}
      title="Person"
      read={read}
      gone={["There is no such person", "The link is wrong."]}
      onClose={onClose}
    />
  );
}

/** How many access tokens a person has, and the way to them. */
function AccessTokensOf({ id, onIssue }: { id: string; onIssue: (() => void) | undefined }) {
  const read = useCall(["people", id, "access-tokens"], listAccessTokens, {
    query: { person_id: id, state: "active", limit: 100 },
  });
  const { data, next_cursor } = read.data ?? { data: [], next_cursor: null };
  return (
    <>
      <h3 class="group-title">Access tokens</h3>
      {read.data
        ? (
          <p>
            <Link class="text-link" href={`/settings?show=access-tokens&person=${id}`}>
              {data.length === 0
                ? "None that is valid"
                : `${data.length}${next_cursor === null ? "" : " or more"} valid`}
            </Link>
            {data.slice(0, 3).map((one, index) => (
              <>
                {index === 0 ? ": " : ", "}
                <Link
                  key={one.id}
                  class="text-link"
                  href={`/settings/${one.id}?show=access-tokens&person=${id}`}
                >
                  {one.name}
                </Link>
              </>
            ))}
            {data.length > 3 && "…"}
          </p>
        )
        : <Unread of={read} lines={2} />}
      {onIssue && (
        <div class="settings-action">
          <Button shortcut="I" onClick={onIssue}>Issue an access token</Button>
        </div>
      )}
    </>
  );
}

function RoleName({ id }: { id: string }) {
  return <>{useRoleName(id)}</>;
}

function View({ person, tag, onClose }: { person: Person; tag: string; onClose: () => void }) {
  const [doing, setDoing] = useState<Doing>();
  const [asksWhy, setAsksWhy] = useState(false);
  // A person who only reads changes nothing.
  const isActive = may("admin") && person.state !== "deactivated";
  const isSuspended = person.state === "suspended";
  const stop = () => setDoing(undefined);
  const known = signInsKnown.get(person.id);
  useShortcuts("This person", [
    { keys: ["e"], label: "Change", run: () => setDoing("edit"), when: () => isActive },
    {
      keys: ["i"],
      label: "Issue an access token",
      run: () => setDoing("issue"),
      when: () => isActive,
    },
  ]);
  return (
    <Drawer
      of={person.id}
      title={person.name}
      lead={<Avatar name={person.name} id={person.id} />}
      onClose={onClose}
      footer={isActive && (
        <>
          <Button kind="primary" shortcut="E" onClick={() => setDoing("edit")}>Change</Button>
          <Button onClick={() => isSuspended ? resume(person) : suspend(person)}>
            {isSuspended ? "Resume" : "Suspend"}
          </Button>
          <Button kind="danger" onClick={() => deactivate(person)}>Deactivate</Button>
        </>
      )}
    >
      <Facts>
        <Fact name="State">
          <PersonPill state={person.state} />
          {person.state !== "active" && (
            <span class="beside muted">
              <Time at={person.deactivated_at ?? person.suspended_at ?? ""} />
            </span>
          )}
        </Fact>
        {person.role !== null && <Fact name="Role" of={<RoleName id={person.role} />} />}
        {person.scope !== null && <Fact name="Sees and decides">{scopeText(person.scope)}</Fact>}
        <Fact name="Permissions">
          {person.permissions.length === 0 ? "Nothing yet" : (
            <ul>
              {sorted(person.permissions).map((one) => <li key={one}>{permissionName(one)}</li>)}
            </ul>
          )}
        </Fact>
        <Fact name="Signs in by">
          {known ? signsInBy(known) : ""}
          {isActive && !isSuspended && (
            <span class="beside">
              <button type="button" class="text-link" onClick={() => setDoing("invite")}>
                {known?.invited_until ? "Invite again" : "Invite"}
              </button>
              {known?.invited_until && (
                <>
                  {" · "}
                  <button
                    type="button"
                    class="text-link"
                    onClick={() => withdrawInvitation(person)}
                  >
                    Withdraw
                  </button>
                </>
              )}
            </span>
          )}
        </Fact>
        <Fact name="Last seen">
          {known?.last_seen_at ? <Time at={known.last_seen_at} /> : "Never"}
        </Fact>
        {person.email !== null && <Fact name="E-mail">{person.email}</Fact>}
        <Fact name="Added" of={<Time at={person.date_created} />} />
        {may("audit") && (
          <Fact name="Audit log">
            <Link class="text-link" href={`/audit-log?actor=${encodeURIComponent(person.id)}`}>
              What they did
            </Link>
          </Fact>
        )}
      </Facts>
      <details class="provider-fold" onToggle={({ currentTarget: { open } }) => setAsksWhy(open)}>
        <summary>What they can do, and why</summary>
        {asksWhy && <PersonCan id={person.id} />}
      </details>
      <WaysIn person={person} />
      {isActive && <PersonSessions person={person} />}
      <AccessTokensOf id={person.id} onIssue={isActive ? () => setDoing("issue") : undefined} />
      <h3 class="group-title">Person id</h3>
      <CopyId id={person.id} label="person id" />
      {doing === "edit" && <PersonForm person={person} tag={tag} onSaved={stop} onClose={stop} />}
      {doing === "invite" && <InviteAgain person={person} onClose={stop} />}
      {doing === "issue" && <IssueAccessToken person={person} onClose={stop} />}
    </Drawer>
  );
}

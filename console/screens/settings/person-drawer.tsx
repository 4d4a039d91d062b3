import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { codeOf, withTag } from "../../api/client.ts";
import { getPerson } from "../../api/endpoints.ts";
import { useQuery } from "../../api/queries.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { Drawer, Fact, Facts } from "../../parts/drawer.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { ActivePill } from "../../parts/state-tabs.tsx";
import { Empty, Loading, Problem } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { IssueAccessToken, RevokeAccessToken, RotateAccessToken } from "./access-token-dialogs.tsx";
import { AccessTokens, type Asked } from "./access-tokens.tsx";
import { permissionName, sorted } from "./permission-words.ts";
import { DeactivatePerson, PersonForm } from "./person-dialogs.tsx";
import type { Person } from "./person.ts";

type Doing = "edit" | "issue" | "deactivate" | Asked;

/** A person in full, with their access tokens and what can be done about both. */
export function PersonDrawer({ id, onRead, onClose }: {
  id: string;
  /** Told what the server says now. */
  onRead: (person: Person) => void;
  onClose: () => void;
}) {
  const read = useQuery({
    queryKey: ["people", id],
    queryFn: () => withTag((tagged) => tagged.call(getPerson, { params: { id } })),
  });
  const person = read.data?.value;
  useEffect(() => {
    if (person) onRead(person);
  }, [person]);
  if (read.data) return <Shown person={read.data.value} tag={read.data.tag} onClose={onClose} />;
  return (
    <Drawer of={id} title="Person" onClose={onClose}>
      {read.error === null
        ? <Loading />
        : codeOf(read.error) === "not_found"
        ? <Empty title="There is no such person">The link is wrong.</Empty>
        : <Problem error={read.error} onRetry={() => void read.refetch()} />}
    </Drawer>
  );
}

function Shown({ person, tag, onClose }: { person: Person; tag: string; onClose: () => void }) {
  const [doing, setDoing] = useState<Doing>();
  const isActive = person.state === "active";
  const stop = () => setDoing(undefined);
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
          <Button kind="danger" onClick={() => setDoing("deactivate")}>Deactivate</Button>
        </>
      )}
    >
      <Facts>
        <Fact name="State">
          <ActivePill active={isActive} not="Deactivated" />
          {person.deactivated_at !== null && (
            <span class="beside muted">
              <Time at={person.deactivated_at} />
            </span>
          )}
        </Fact>
        <Fact name="May">
          {person.permissions.length === 0 ? "Nothing yet" : (
            <ul>
              {sorted(person.permissions).map((one) => <li key={one}>{permissionName(one)}</li>)}
            </ul>
          )}
        </Fact>
        <Fact name="Added">
          <Time at={person.date_created} />
        </Fact>
        <Fact name="Did">
          <Link class="text-link" href={`/activity?actor=${encodeURIComponent(person.id)}`}>
            Their activity
          </Link>
        </Fact>
      </Facts>
      <AccessTokens person={person} onAsk={setDoing} onIssue={() => setDoing("issue")} />
      <h3 class="group-title">Person id</h3>
      <CopyId id={person.id} label="person id" />
      {doing === "edit" && <PersonForm person={person} tag={tag} onSaved={stop} onClose={stop} />}
      {doing === "issue" && <IssueAccessToken person={person} onClose={stop} />}
      {doing === "deactivate" && <DeactivatePerson person={person} onDone={stop} onClose={stop} />}
      {typeof doing === "object" && (doing.what === "rotate"
        ? <RotateAccessToken person={person} token={doing.token} onClose={stop} />
        : <RevokeAccessToken token={doing.token} onClose={stop} />)}
    </Drawer>
  );
}

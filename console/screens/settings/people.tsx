import { useState } from "preact/hooks";
import { may } from "../../api/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { idOf, keepRow, useListPlace } from "../../parts/list-place.ts";
import { type Column, ListTable } from "../../parts/list-table.tsx";
import { Tag } from "../../parts/pill.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { PAGE, useList } from "../../parts/use-list.ts";
import { useWanted } from "../../parts/wanted.ts";
import { InvitePerson } from "./invite.tsx";
import { summaryOf } from "./permission-words.ts";
import { isSignedIn, PersonForm } from "./person-dialogs.tsx";
import { PersonDrawer } from "./person-drawer.tsx";
import { PersonPill } from "./person-pill.tsx";
import { type Person, readPeople, signInsKnown, signsInBy } from "./person.ts";
import { SettingsPage } from "./sections.tsx";

/** People and scripts of the organisation, those who left among them. */
export default function People() {
  const [doing, setDoing] = useState<"add" | "invite">();
  const [turn, setTurn] = useState(0);
  const list = useList<Person>(`people ${turn}`, idOf, (cursor) => readPeople(PAGE, cursor));
  const { openId, current, open, close, hrefOf } = useListPlace("People", "/settings", list);
  const mayAdd = may("admin");
  const add = () => setDoing("add");
  const stop = () => setDoing(undefined);
  const added = (id: string) => {
    stop();
    setTurn((one) => one + 1);
    open(id);
  };
  useShortcuts("People", [{ keys: ["n"], label: "Add", run: add, when: () => mayAdd }]);
  useWanted("/settings?show=people", () => {
    if (mayAdd) add();
  });
  return (
    <SettingsPage
      tools={mayAdd && (
        <>
          <Button onClick={() => setDoing("invite")}>Invite a person</Button>
          <Button kind="primary" shortcut="N" onClick={add}>Add a person</Button>
        </>
      )}
      drawer={openId !== undefined && (
        <PersonDrawer
          key={openId}
          id={openId}
          onRead={(person) => keepRow(list, person)}
          onClose={close}
        />
      )}
    >
      <ListTable
        label="People"
        list={list}
        columns={columns}
        hrefOf={hrefOf}
        nameOf={({ name }) => name}
        lead={({ name, id }) => <Avatar name={name} id={id} />}
        current={current}
        empty={
          <Empty
            title="No people yet"
            action={mayAdd && <Button onClick={add}>Add a person</Button>}
          >
            Give each person an access token of their own, with what they need and no more.
          </Empty>
        }
      />
      {doing === "add" && <PersonForm onSaved={({ id }) => added(id)} onClose={stop} />}
      {doing === "invite" && <InvitePerson onDone={added} onClose={stop} />}
    </SettingsPage>
  );
}

const columns: readonly Column<Person>[] = [
  {
    title: "Name",
    class: "person-name",
    cell: (person) => (
      <>
        <span class="line-1">
          {person.name} {isSignedIn(person) && <Tag>you</Tag>}
        </span>
        <span class="line-2 person-short">{summaryOf(person.permissions)}</span>
      </>
    ),
  },
  { title: "Permissions", class: "person-may", cell: ({ permissions }) => summaryOf(permissions) },
  { title: "State", class: "person-state", cell: ({ state }) => <PersonPill state={state} /> },
  {
    title: "Signs in by",
    class: "person-by",
    cell: ({ id }) => {
      const known = signInsKnown.get(id);
      return known ? signsInBy(known) : "";
    },
  },
  {
    title: "Last seen",
    class: "person-added is-end",
    cell: ({ id }) => {
      const at = signInsKnown.get(id)?.last_seen_at;
      return at ? <Time at={at} inRow /> : <span class="muted">never</span>;
    },
  },
];

import type { PagedList } from "../../api/paged-list.ts";
import { may } from "../../api/session.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { useListPlace } from "../../parts/list-place.ts";
import { type Column, ListTable } from "../../parts/list-table.tsx";
import { Tag } from "../../parts/pill.tsx";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { summaryOf } from "./permission-words.ts";
import { isSignedIn } from "./person-dialogs.tsx";
import { PersonPill } from "./person-pill.tsx";
import { type Person, signInsKnown, signsInBy } from "./person.ts";

/** Everybody who holds or held access tokens. */
export function PersonTable({ list, onAdd }: { list: PagedList<Person>; onAdd: () => void }) {
  const { current, hrefOf } = useListPlace("People", "/settings", list);
  return (
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
          title="Nobody yet"
          action={may("admin") && <Button onClick={onAdd}>Add a person</Button>}
        >
          Give everybody an access token of their own, with what they need and no more.
        </Empty>
      }
    />
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
  {
    title: "Permissions",
    class: "person-may",
    cell: ({ permissions }) => summaryOf(permissions),
  },
  {
    title: "State",
    class: "person-state",
    cell: ({ state }) => <PersonPill state={state} />,
  },
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

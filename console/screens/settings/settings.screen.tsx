import { useState } from "preact/hooks";
import type { PagedList } from "../../api/paged-list.ts";
import { useCall } from "../../api/queries.ts";
import { may, session } from "../../api/session.ts";
import { listOrganisations } from "../../api/token-endpoints.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyId } from "../../parts/copy.tsx";
import { useFilters } from "../../parts/filters.ts";
import { lazily } from "../../parts/lazily.tsx";
import { idOf, keepRow, useListPlace } from "../../parts/list-place.ts";
import { type Column, focusRow, ListTable } from "../../parts/list-table.tsx";
import { useOpenId } from "../../parts/open-id.ts";
import { Page } from "../../parts/page.tsx";
import { Tag } from "../../parts/pill.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty, Unread } from "../../parts/states.tsx";
import { tabKeys, Tabs } from "../../parts/tabs.tsx";
import { Time } from "../../parts/time.tsx";
import { PAGE, useList } from "../../parts/use-list.ts";
import { useWanted } from "../../parts/wanted.ts";
import { say } from "../../said.ts";
import { OrganisationForm } from "./organisation-form.tsx";
import { summaryOf } from "./permission-words.ts";
import { isSignedIn, PersonForm } from "./person-dialogs.tsx";
import { PersonDrawer } from "./person-drawer.tsx";
import { PersonPill } from "./person-pill.tsx";
import { InvitePerson } from "./invite.tsx";
import { type Person, readPeople, signInsKnown, signsInBy } from "./person.ts";
import { ServerFacts } from "./server-facts.tsx";
import styles from "./settings.css?url";

/** Its styles, on their way. */
export const styled = readStyles(styles);

const YourFacts = lazily(() => import("./your-facts.tsx"));
const TemporaryAccess = lazily<{ adds: boolean; onDone: () => void }>(() =>
  import("./temporary-access.tsx")
);
const Roles = lazily(() => import("./roles.tsx"));
const Channels = lazily(() => import("./channels.tsx"));
const AlertRules = lazily(() => import("./alert-rules.tsx"));
const BrandFacts = lazily(() => import("./brand-facts.tsx"));
const SignInFacts = lazily(() => import("./sign-in-facts.tsx"));
const PagesFacts = lazily(() => import("./pages-facts.tsx"));

/**
 * One's own session; for administrators people with their access tokens, organisations and the
 * server. Who only reads what they do sees the same, without what changes it.
 */
export default function SettingsScreen() {
  // What somebody may change decides how high the head is.
  if (session.value === "unknown") return <Page title="Settings">{null}</Page>;
  if (may("admin:read")) return <Administration />;
  return (
    <Page title="Settings">
      <YourFacts />
    </Page>
  );
}

function Administration() {
  const [{ show }, setFilters] = useFilters(["show"]);
  const [openId, open] = useOpenId("/settings");
  const [adds, setAdds] = useState(false);
  const [invites, setInvites] = useState(false);
  const [turn, setTurn] = useState(0);
  const list = useList<Person>(`people ${turn}`, idOf, (cursor) => readPeople(PAGE, cursor));
  const tabs = [
    { value: "", text: "People" },
    ...may("operator") ? [{ value: "organisations", text: "Organisations" }] : [],
    { value: "channels", text: "Channels" },
    { value: "alerts", text: "Alerts" },
    { value: "you", text: "You" },
    { value: "brand", text: "Brand" },
    { value: "server", text: "Server" },
    { value: "pages", text: "Pages" },
    { value: "sign-in", text: "Sign-in" },
  ];
  const tab = tabs.some(({ value }) => value === show) ? show : "";
  const go = (value: string) => {
    if (openId !== undefined) open(undefined);
    setFilters({ show: value });
  };
  // A part of People, with an address of its own.
  const isRoles = show === "roles";
  const isTemporaryAccess = show === "temporary-access";
  const isPeople = !isRoles && !isTemporaryAccess;
  const canAdd = may("admin") && (tab === "" || tab === "organisations");
  useShortcuts("Settings", [
    { keys: ["n"], label: "Add", run: () => setAdds(true), when: () => canAdd },
    ...tabKeys(tabs, go),
  ]);
  useWanted("/settings", () => setAdds(may("admin")));
  const tabsLine = <Tabs label="Part" value={tab} tabs={tabs} onChange={go} />;
  if (tab === "channels") return <Channels tabs={tabsLine} />;
  return (
    <Page
      title="Settings"
      tabs={tabsLine}
      tools={
        <>
          {tab === "" && !isPeople && <Button onClick={() => go("")}>People</Button>}
          {tab === "" && isPeople && (
            <>
              <Button onClick={() => go("temporary-access")}>Temporary access</Button>
              <Button onClick={() => go("roles")}>Roles</Button>
            </>
          )}
          {canAdd && tab === "" && isPeople && (
            <Button onClick={() => setInvites(true)}>Invite a person</Button>
          )}
          {canAdd && (
            <Button kind="primary" shortcut="N" onClick={() => setAdds(true)}>
              {isRoles
                ? "Add a role"
                : isTemporaryAccess
                ? "Add a rule"
                : tab === ""
                ? "Add a person"
                : "Add an organisation"}
            </Button>
          )}
        </>
      }
      drawer={tab === "" && isPeople && openId !== undefined && (
        <PersonDrawer
          key={openId}
          id={openId}
          onRead={(person) => keepRow(list, person)}
          onClose={() => {
            open(undefined);
            focusRow(openId);
          }}
        />
      )}
    >
      {isRoles && (
        <Roles
          adds={adds}
          onDone={() => {
            setAdds(false);
            // Whoever has one may do something else now.
            setTurn((one) => one + 1);
          }}
        />
      )}
      {isTemporaryAccess && <TemporaryAccess adds={adds} onDone={() => setAdds(false)} />}
      {tab === "" && isPeople && <PersonTable list={list} onAdd={() => setAdds(true)} />}
      {tab === "organisations" && <OrganisationTable onAdd={() => setAdds(true)} />}
      {tab === "alerts" && <AlertRules />}
      {tab === "you" && <YourFacts />}
      {tab === "brand" && <BrandFacts />}
      {tab === "server" && <ServerFacts />}
      {tab === "pages" && <PagesFacts />}
      {tab === "sign-in" && <SignInFacts />}
      {adds && tab === "" && isPeople && (
        <PersonForm
          onSaved={({ id }) => {
            setTurn((one) => one + 1);
            open(id);
          }}
          onClose={() => setAdds(false)}
        />
      )}
      {invites && (
        <InvitePerson
          onDone={(id) => {
            setInvites(false);
            setTurn((one) => one + 1);
            open(id);
          }}
          onClose={() => setInvites(false)}
        />
      )}
      {adds && tab === "organisations" && <OrganisationForm onClose={() => setAdds(false)} />}
    </Page>
  );
}

/** Everybody who holds or held access tokens. */
function PersonTable({ list, onAdd }: { list: PagedList<Person>; onAdd: () => void }) {
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

const MOST = 100;

/** The organisations of this server: names alone, since nobody sees into another one. */
function OrganisationTable({ onAdd }: { onAdd: () => void }) {
  const { data, error, refetch } = useCall(["organisations"], listOrganisations, {
    query: { limit: MOST },
  });
  if (!data) return <Unread of={{ error, refetch }} />;
  const signed = session.value;
  const mine = signed === null || signed === "unknown" ? "" : signed.organisation.id;
  return (
    <div class="page-scroll" tabIndex={0} role="region" aria-label="Organisations">
      <ul class="cards is-wide">
        {data.data.map(({ id, name, date_created }) => (
          <li key={id} class="card">
            <p class="card-head">
              <b>{name}</b>
              {id === mine && <Tag>yours</Tag>}
            </p>
            <p class="muted">
              Made <Time at={date_created} /> · <CopyId id={id} label={say`id of ${name}`} />
            </p>
          </li>
        ))}
      </ul>
      {data.data.length <= 1 && (
        <Empty
          title="Yours is the only one"
          action={<Button onClick={onAdd}>Add an organisation</Button>}
        >
          Another one has people, requests, keys and certificates of its own. Nobody here sees into
          it.
        </Empty>
      )}
      {data.next_cursor !== null && <p class="muted">Only the newest {MOST} stand here.</p>}
    </div>
  );
}

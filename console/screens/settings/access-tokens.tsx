import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import { listAccessTokens } from "../../api/token-endpoints.ts";
import { Button } from "../../parts/button.tsx";
import { FilterLine, NothingMatches } from "../../parts/filter-line.tsx";
import { saidOf, useFilters } from "../../parts/filters.ts";
import { idOf, keepRow, useListPlace } from "../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../parts/list-table.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { limitOf, useList } from "../../parts/use-list.ts";
import { say } from "../../said.ts";
import { IssueAccessToken } from "./access-token-dialogs.tsx";
import { AccessTokenDrawer } from "./access-token-drawer.tsx";
import { AccessTokenPill, endOf, stateNames } from "./access-token-words.tsx";
import { usePeople } from "./people-names.ts";
import { summaryOf } from "./permission-words.ts";
import type { AccessToken } from "./person.ts";
import { SettingsPage } from "./sections.tsx";

const NONE = { state: "", person: "", q: "" };

/** The access tokens of all people and scripts, never their values. */
export default function AccessTokens() {
  const [filters, setFilters] = useFilters(["state", "person", "q"]);
  const [issues, setIssues] = useState(false);
  const [turn, setTurn] = useState(0);
  const people = usePeople();
  const { state, q, person: person_id } = saidOf(filters, "state", "q", "person");
  const list = useList<AccessToken>(
    `access tokens ${JSON.stringify(filters)} ${turn}`,
    idOf,
    (cursor) =>
      api.call(listAccessTokens, {
        query: { limit: limitOf(cursor), cursor, state: stateIn(state), q, person_id },
      }),
  );
  const { openId, current, open, close, hrefOf } = useListPlace("Access tokens", "/settings", list);
  const again = () => setTurn((one) => one + 1);
  useShortcuts("Access tokens", [{
    keys: ["n"],
    label: "Issue an access token",
    run: () => setIssues(true),
    when: () => may("admin"),
  }]);
  return (
    <SettingsPage
      tools={
        <>
          <SearchBox
            label="Token or person"
            value={filters.q}
            list={list}
            onSearch={(q) => setFilters({ q }, true)}
            onOpen={open}
          />
          {may("admin") && (
            <Button kind="primary" shortcut="N" onClick={() => setIssues(true)}>
              Issue an access token
            </Button>
          )}
        </>
      }
      filters={
        <FilterLine
          filters={filters}
          onChange={setFilters}
          cleared={Object.values(filters).some(Boolean) && NONE}
          of={[
            {
              of: "person",
              label: "Person",
              any: "Any person",
              options: people.map(({ id, name }) => ({ value: id, text: name })),
              isRead: true,
            },
            {
              of: "state",
              label: "State",
              any: "Any state",
              options: Object.entries(stateNames).map(([value, text]) => ({ value, text })),
            },
          ]}
        />
      }
      drawer={openId !== undefined && (
        <AccessTokenDrawer
          key={openId}
          id={openId}
          onRead={(token) => keepRow(list, token)}
          onIssued={again}
          onClose={close}
        />
      )}
    >
      <ListTable
        label="Access tokens"
        list={list}
        columns={columns}
        hrefOf={hrefOf}
        nameOf={({ name, person_name }) => say`${name} of ${person_name}`}
        current={current}
        empty={Object.values(filters).some(Boolean)
          ? (
            <NothingMatches onClear={() => setFilters(NONE)}>
              No access token has this.
            </NothingMatches>
          )
          : (
            <Empty title="No access token yet">
              An access token lets a person or a script call the API and sign in.
            </Empty>
          )}
      />
      {issues && (
        <IssueAccessToken
          person={people.find(({ id }) => id === filters.person)}
          onIssued={again}
          onClose={() => setIssues(false)}
        />
      )}
    </SettingsPage>
  );
}

function stateIn(text: string | undefined): AccessToken["state"] | undefined {
  // as: the keys are the states.
  return (Object.keys(stateNames) as AccessToken["state"][]).find((one) => one === text);
}

const columns: readonly Column<AccessToken>[] = [
  {
    title: "Access token",
    class: "token-name",
    cell: ({ name, person_name }) => lines(name, person_name),
  },
  { title: "Allows", class: "token-may", cell: ({ permissions }) => summaryOf(permissions) },
  {
    title: "State",
    class: "token-state",
    cell: (one) => lines(<AccessTokenPill of={one} />, endOf(one)),
  },
  {
    title: "Last used",
    class: "token-used is-end",
    cell: ({ last_used_at }) =>
      last_used_at ? <Time at={last_used_at} inRow /> : <span class="muted">never</span>,
  },
];

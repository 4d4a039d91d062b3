import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { api } from "../../../api/client.ts";
import { listMigrationDifferences } from "../../../api/migration-endpoints.ts";
import { type PlanFacts, usePlanList, usePlans } from "../../../api/plans.ts";
import { Button } from "../../../parts/button.tsx";
import { Drawer, Fact, Facts } from "../../../parts/drawer.tsx";
import { saidOf, useFilters } from "../../../parts/filters.ts";
import { FindKey } from "../../../parts/find-key.tsx";
import { idOf, useListPlace } from "../../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../../parts/list-table.tsx";
import { FilterLine, NothingMatches, usePlanFilter } from "../../../parts/filter-line.tsx";
import { DeveloperChip, KeyChip } from "../../../parts/narrowing.tsx";
import { Page } from "../../../parts/page.tsx";
import { Pill } from "../../../parts/pill.tsx";
import { reasonTitles } from "../../../parts/denied-calls/reason-titles.ts";
import { Empty, Loading } from "../../../parts/states.tsx";
import { Time } from "../../../parts/time.tsx";
import { limitOf, useList } from "../../../parts/use-list.ts";
import { say } from "../../../said.ts";
import type { Difference } from "./words.ts";

const none = { key: "", plan: "", developer: "" };

const called = ({ key_id, key_mask }: Difference): string =>
  key_id === null ? "A key that Keydesk does not know" : key_mask ?? `…${key_id.slice(-12)}`;

/** Calls that the old gateway let in and that would have been refused here. */
export function Differences({ tabs }: { tabs: ComponentChildren }) {
  const [filters, setFilters] = useFilters(["key", "plan", "developer"]);
  const plans = usePlans();
  const apis = new Map(
    usePlanList().flatMap(({ apiIds, apiNames }) =>
      apiIds.map((id, index): [string, string] => [id, apiNames[index] ?? id])
    ),
  );
  const { key, plan, developer } = filters;
  const list = useList<Difference>(
    `differences ${JSON.stringify([key, plan, developer])}`,
    idOf,
    (cursor) => {
      const query = {
        ...saidOf(filters, "key", "plan", "developer"),
        limit: limitOf(cursor),
        cursor,
      };
      return api.call(listMigrationDifferences, { query });
    },
  );
  list.version.value;
  const place = useListPlace("Differences", "/gateways/migration", list);
  const { openId, current, hrefOf } = place;
  const planFilter = usePlanFilter();
  const isNarrowed = key + plan + developer !== "";
  return (
    <Page
      title="Gateways"
      tabs={tabs}
      tools={
        <FindKey
          onFound={(id) => setFilters({ ...none, key: id })}
          onDeveloper={(id) => setFilters({ ...none, developer: id })}
        />
      }
      filters={
        <FilterLine
          filters={filters}
          onChange={setFilters}
          cleared={isNarrowed && none}
          of={[
            planFilter,
            <KeyChip
              key="key"
              what="Differences"
              id={key}
              onClear={() => setFilters({ key: "" })}
            />,
            <DeveloperChip
              key="developer"
              what="Differences"
              id={developer}
              onClear={() => setFilters({ developer: "" })}
            />,
          ]}
        >
          <span class="moving-note">Of 30 days; of each key the newest 100.</span>
        </FilterLine>
      }
      drawer={openId !== undefined && (
        <DifferenceDrawer
          key={openId}
          id={openId}
          of={list.at(list.indexOf(openId))}
          isRead={list.length > 0 || list.atEnd}
          plans={plans}
          apis={apis}
          onKey={(id) => setFilters({ ...none, key: id })}
          onClose={place.close}
        />
      )}
    >
      <ListTable
        label="Differences"
        list={list}
        columns={columnsOf(plans, apis)}
        hrefOf={hrefOf}
        nameOf={(one) =>
          say`${called(one)}: allowed at the gateway, in Keydesk ${reasonTitles[one.in_keydesk]}`}
        current={current}
        empty={isNarrowed
          ? (
            <NothingMatches onClear={() => setFilters(none)}>
              No different answer of the last 30 days fits these filters.
            </NothingMatches>
          )
          : (
            <Empty title="No answer differed">
              Calls that the old gateway allows and Keydesk would deny appear a few seconds later.
            </Empty>
          )}
      />
    </Page>
  );
}

function DifferenceDrawer({ id, of: one, isRead, plans, apis, onKey, onClose }: {
  id: string;
  of: Difference | undefined;
  isRead: boolean;
  plans: ReadonlyMap<string, PlanFacts>;
  apis: ReadonlyMap<string, string>;
  onKey: (id: string) => void;
  onClose: () => void;
}) {
  if (!one) {
    return (
      <Drawer of={id} title="Difference" onClose={onClose}>
        {isRead
          ? (
            <Empty title="It is not among those that were read">
              Scroll the list further, or narrow it. Differences are kept for 30 days.
            </Empty>
          )
          : <Loading />}
      </Drawer>
    );
  }
  const { key_id, developer_id, developer_name, api_id, plan_id, gateway, in_keydesk: here, at } =
    one;
  return (
    <Drawer of={id} title={called(one)} onClose={onClose}>
      <Facts>
        <Fact name="When" of={<Time at={at} />} />
        <Fact name="Old gateway" of={<Pill tone="good">Allowed</Pill>} />
        <Fact name="In Keydesk" of={<Pill tone="bad">{reasonTitles[here]}</Pill>} />
        <Fact name="Key">
          {key_id !== null && (
            <Link class="text-link" href={`/keys/${encodeURIComponent(key_id)}`}>
              {called(one)}
            </Link>
          )}
        </Fact>
        <Fact name="Developer">
          {developer_id !== null && (
            <Link class="text-link" href={`/developers/${encodeURIComponent(developer_id)}`}>
              {developer_name || developer_id}
            </Link>
          )}
        </Fact>
        <Fact name="API">{api_id === null ? "Any" : apis.get(api_id) ?? api_id}</Fact>
        <Fact name="Plan">{plan_id !== null && (plans.get(plan_id)?.name ?? plan_id)}</Fact>
        <Fact name="Gateway">{gateway === "other" ? "One without a name" : gateway}</Fact>
      </Facts>
      {key_id === null
        ? (
          <p class="muted">
            Presented keys are never stored. A key whose hash could not be imported is migrated at
            its first call if lazy migration is on.
          </p>
        )
        : <Button onClick={() => onKey(key_id)}>All differences of this key</Button>}
    </Drawer>
  );
}

const columnsOf = (
  plans: ReadonlyMap<string, PlanFacts>,
  apis: ReadonlyMap<string, string>,
): Column<Difference>[] => [
  {
    title: "Key",
    class: "moving-col-key",
    cell: (one) => lines(called(one), one.developer_name || one.developer_id || "Unknown"),
  },
  {
    title: "API",
    class: "moving-col-plans",
    cell: ({ api_id, plan_id, gateway }) =>
      lines(
        api_id === null ? "Any API" : apis.get(api_id) ?? api_id,
        plan_id === null
          ? say`at ${gateway === "other" ? "a gateway without a name" : gateway}`
          : plans.get(plan_id)?.name ?? plan_id,
      ),
  },
  { title: "Old gateway", class: "moving-col-there", cell: () => <Pill tone="good">Allowed</Pill> },
  {
    title: "In Keydesk",
    class: "moving-col-here",
    cell: ({ in_keydesk: here }) => <Pill tone="bad">{reasonTitles[here]}</Pill>,
  },
  { title: "When", class: "moving-col-at is-end", cell: ({ at }) => <Time at={at} inRow /> },
];

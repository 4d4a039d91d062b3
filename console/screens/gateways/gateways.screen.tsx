import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import {
  type CheckingGateway,
  type Gateway,
  readGateways,
  type SyncedGateway,
} from "../../api/gateways.ts";
import { grouped } from "../../api/numbers.ts";
import { queries, useQuery } from "../../api/queries.ts";
import { may, renewed } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { CheckingPill, GatewayPill } from "../../parts/gateways/gateway-words.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { MIGRATION, MigrationTabs } from "./migration/migration-tabs.tsx";
import { idOf, keepRow, useListPlace } from "../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../parts/list-table.tsx";
import { Page } from "../../parts/page.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useList } from "../../parts/use-list.ts";
import { listed, say } from "../../said.ts";
import { CheckingDrawer } from "./checking-drawer.tsx";
import { GatewayDrawer } from "./gateway-drawer.tsx";
import { connectionNames, kindNames } from "./kind-names.ts";
import styles from "./gateways.css?url";

/** Its styles, on their way. */
export const styled = readStyles(styles);

const Migration = lazily(async () => {
  const migration = await import("./migration/migration.tsx");
  await migration.styled;
  return migration;
}, () => toast({ text: "This could not be loaded. Reload the page.", kind: "bad" }));
const AddGateway = lazily(() => import("./add-gateway.tsx"), ({ onClose }) => onClose());

/** How old states are at the most. */
const EVERY_MS = 3000;

/** Gateways, and how far the move from an old one is. */
export default function GatewaysScreen() {
  const [path] = useLocation();
  const isMoving = may("portal:read") && path.startsWith(MIGRATION);
  return isMoving ? <Migration /> : <Gateways />;
}

/** All gateways, by how they are connected, and whether each works as it should. */
function Gateways() {
  const [turn, setTurn] = useState(0);
  const [adds, setAdds] = useState(false);
  const read = useQuery({
    queryKey: ["gateways"],
    queryFn: readGateways,
    refetchInterval: EVERY_MS,
  });
  const list = useList<Gateway>(
    `gateways ${turn}`,
    idOf,
    async () => ({ data: await readGateways(), next_cursor: null }),
  );
  list.version.value;
  const seen = useRef<string>(undefined);
  const place = useListPlace("Gateways", "/gateways", list);
  const { openId, current, hrefOf } = place;
  useEffect(() => {
    if (!read.data) return;
    for (const one of read.data) keepRow(list, one);
    // One that was ending goes by itself.
    const ids = read.data.map(idOf).join();
    if (seen.current !== undefined && seen.current !== ids) setTurn((one) => one + 1);
    seen.current = ids;
  }, [read.data]);
  const changed = () => {
    setTurn((one) => one + 1);
    void queries.invalidateQueries({ queryKey: ["gateways"] });
  };
  const removed = () => {
    place.open(undefined);
    changed();
    void renewed();
  };
  const opened = openId === undefined ? undefined : list.at(list.indexOf(openId));
  const writes = may("admin");
  useShortcuts("Gateways", [{
    keys: ["n"],
    label: "Add a gateway",
    run: () => setAdds(true),
    when: () => writes,
  }]);
  const add = (
    <Button kind="primary" shortcut="N" onClick={() => setAdds(true)}>Add a gateway</Button>
  );
  return (
    <Page
      title="Gateways"
      tabs={<MigrationTabs />}
      tools={writes && add}
      drawer={openId !== undefined && (opened?.connection === "checks"
        ? (
          <CheckingDrawer
            key={openId}
            of={opened}
            onChanged={changed}
            onRemoved={removed}
            onClose={place.close}
          />
        )
        : (
          <GatewayDrawer
            key={openId}
            id={openId}
            of={opened}
            isRead={read.data !== undefined}
            onChanged={changed}
            onRemoved={removed}
            onClose={place.close}
          />
        ))}
    >
      <ListTable
        label="Gateways"
        list={list}
        columns={columns}
        hrefOf={hrefOf}
        nameOf={({ name }) => name}
        current={current}
        empty={
          <Empty
            title="No gateway is added"
            action={writes && <Button onClick={() => setAdds(true)}>Add a gateway</Button>}
          >
            A gateway asks Keydesk about each call, or keys are written into it. Until it is added,
            its calls count as of a gateway without a name.
          </Empty>
        }
      />
      {adds && (
        <AddGateway
          onSaved={(id) => {
            changed();
            // The first one that keys are brought to begins a migration, which is a tab then.
            void renewed();
            if (id !== undefined) place.open(id);
          }}
          onClose={() => {
            setAdds(false);
            changed();
          }}
        />
      )}
    </Page>
  );
}

const columns: readonly Column<Gateway>[] = [
  {
    title: "Gateway",
    class: "gateway-col-name",
    cell: (one) => lines(one.name, addressOf(one) || kindNames[one.kind]),
  },
  {
    title: "Connection",
    class: "gateway-col-way",
    cell: ({ connection, kind }) => lines(connectionNames[connection], kindNames[kind]),
  },
  {
    title: "Calls or keys",
    class: "gateway-col-keys",
    cell: (one) => one.connection === "checks" ? <Calls of={one} /> : <Keys of={one} />,
  },
  {
    title: "State",
    class: "gateway-col-state",
    cell: (one) =>
      one.connection === "checks" ? <CheckingPill of={one} /> : (
        <>
          <GatewayPill of={one} />
          <span class="line-2">
            {one.findings.length === 0
              ? ""
              : one.findings.length === 1
              ? "1 finding"
              : say`${one.findings.length} findings`}
          </span>
        </>
      ),
  },
];

function addressOf(one: Gateway): string {
  return one.connection === "synced" ? one.url.replace(/^https?:\/\/|\/$/g, "") : "";
}

function Calls({ of: { calls_a_minute, last_call_at } }: { of: CheckingGateway }) {
  return (
    <>
      <span class="line-1">{say`${grouped(calls_a_minute)} calls a minute`}</span>
      <span class="line-2">
        {last_call_at === null ? "no call yet" : (
          <>
            last call <Time at={last_call_at} inRow />
          </>
        )}
      </span>
    </>
  );
}

function Keys({ of: { counts, waits_since } }: { of: SyncedGateway }) {
  return (
    <>
      <span class="line-1">{say`${grouped(counts.delivered)} delivered`}</span>
      <span class="line-2">
        {listed(problems(counts)) || "none waits"}
        {waits_since !== null && (
          <>
            , oldest <Time at={waits_since} inRow />
          </>
        )}
      </span>
    </>
  );
}

function problems({ stuck, diverged, waiting }: SyncedGateway["counts"]): string[] {
  return [
    ...stuck > 0 ? [say`${grouped(stuck)} stuck`] : [],
    ...diverged > 0 ? [say`${grouped(diverged)} differ`] : [],
    ...waiting > 0 ? [say`${grouped(waiting)} wait`] : [],
  ];
}

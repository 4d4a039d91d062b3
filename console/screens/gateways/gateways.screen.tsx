import { useEffect, useRef, useState } from "preact/hooks";
import { type Gateway, readGateways } from "../../api/gateways.ts";
import { grouped } from "../../api/numbers.ts";
import { queries, useQuery } from "../../api/queries.ts";
import { may, renewed } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { GatewayPill } from "../../parts/gateways/gateway-words.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { idOf, keepRow, useListPlace } from "../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../parts/list-table.tsx";
import { Page } from "../../parts/page.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useList } from "../../parts/use-list.ts";
import { listed, say } from "../../said.ts";
import { GatewayDrawer } from "./gateway-drawer.tsx";
import styles from "./gateways.css?url";

/** Its styles, on their way. */
export const styled = readStyles(styles);

const GatewayForm = lazily(() => import("./gateway-form.tsx"), ({ onClose }) => onClose());

/** How old states are at the most. */
const EVERY_MS = 3000;

/** The gateways that hold keys of their own, and whether each key is there as it should be. */
export default function GatewaysScreen() {
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
  const writes = may("admin") && may("approve");
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
      tools={writes && add}
      drawer={openId !== undefined && (
        <GatewayDrawer
          key={openId}
          id={openId}
          of={list.at(list.indexOf(openId))}
          isRead={read.data !== undefined}
          onChanged={changed}
          onRemoved={() => {
            place.open(undefined);
            changed();
            void renewed();
          }}
          onClose={place.close}
        />
      )}
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
            title="No gateway holds keys of its own"
            action={writes && <Button onClick={() => setAdds(true)}>Add a gateway</Button>}
          >
            A gateway of the original can keep its door: every key is brought there, read back, and
            ended there too. A proxy that asks Keydesk about each call is a door.
          </Empty>
        }
      />
      {adds && (
        <GatewayForm
          onSaved={({ id }) => {
            changed();
            // The first one begins a move, which the side bar then names.
            void renewed();
            place.open(id);
          }}
          onClose={() => setAdds(false)}
        />
      )}
    </Page>
  );
}

const columns: readonly Column<Gateway>[] = [
  {
    title: "Gateway",
    class: "gateway-col-name",
    cell: ({ name, url, map }) =>
      lines(name, map ? "by hashes of keys" : url.replace(/^https?:\/\/|\/$/g, "")),
  },
  {
    title: "Keys",
    class: "gateway-col-keys",
    cell: ({ counts, waits_since }) => (
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
    ),
  },
  {
    title: "State",
    class: "gateway-col-state",
    cell: (one) => (
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

function problems({ stuck, diverged, waiting }: Gateway["counts"]): string[] {
  return [
    ...stuck > 0 ? [say`${grouped(stuck)} stuck`] : [],
    ...diverged > 0 ? [say`${grouped(diverged)} differ`] : [],
    ...waiting > 0 ? [say`${grouped(waiting)} wait`] : [],
  ];
}

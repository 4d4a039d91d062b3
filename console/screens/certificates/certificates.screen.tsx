import { useState } from "preact/hooks";
import { api } from "../../api/client.ts";
import { exportCertificates, listCertificates } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { may, mayYet } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { ExportButton } from "../../parts/export-button.tsx";
import { FilterChip, FilterLine, NothingMatches } from "../../parts/filter-line.tsx";
import { useFilters } from "../../parts/filters.ts";
import { useListPlace } from "../../parts/list-place.ts";
import { ListTools, titleWith, useLook } from "../../parts/list-look.tsx";
import type { Look } from "../../parts/list-tools/look.ts";
import { Page } from "../../parts/page.tsx";
import { readStyles } from "../../parts/read-styles.ts";
import { SearchBox } from "../../parts/search-box.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { rowAfter, selectionKeys, useBulkSelection, useJobs } from "../../parts/bulk-selection.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Empty } from "../../parts/states.tsx";
import { tabKeys, Tabs } from "../../parts/tabs.tsx";
import { toast } from "../../parts/toasts.tsx";
import { limitOf, useList } from "../../parts/use-list.ts";
import { useWanted } from "../../parts/wanted.ts";
import { say } from "../../said.ts";
import type { BulkAct } from "./bulk-dialog.tsx";
import { CertificateDrawer } from "./certificate-drawer.tsx";
import {
  authorities,
  cleared,
  filterNames,
  type Filters,
  isNarrowed,
  jobFilterOf,
  orders,
  queryOf,
  statuses,
  type Tab,
  tabOf,
  tabs,
} from "./certificate-filters.ts";
import { CertificateTable } from "./certificate-table.tsx";
import { type CertificateRow, keyOf, toRow } from "./certificate.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { ExpiryPanel } from "./expiry-panel.tsx";
import { monthName } from "./month-bars.tsx";
import { type Successor, UploadDialog } from "./upload-dialog.tsx";
import { useFileDrop } from "./use-file-drop.ts";
import styles from "./certificates-alone.css?url";

const bulkBar = () => import("./bulk-bar.tsx");
const BulkBar = lazily(bulkBar);
const BulkDialog = lazily(() => import("./bulk-dialog.tsx"), ({ onClose }) => onClose());

/** Its styles, on their way. */
export const styled = readStyles(styles);

/** Certificates: which end when, every detail of one, adding and deleting. */
export default function CertificatesScreen() {
  const [filters, setFilters] = useFilters(filterNames);
  const [look, setLook] = useLook();
  const [turn, setTurn] = useState(0);
  const [upload, setUpload] = useState<
    { files: readonly File[]; text: string; successor?: Successor }
  >();
  const [doomed, setDoomed] = useState<{ id: string; name: string }>();
  const name = `${JSON.stringify(filters)} ${turn}`;
  const list = useList<CertificateRow>(name, keyOf, async (at) => {
    const query = { ...queryOf(filters), limit: limitOf(at), cursor: at };
    const { data, next_cursor } = await api.call(listCertificates, { query });
    return { data: data.map(toRow), next_cursor };
  });
  list.version.value;
  const { openId, current, open, close, hrefOf, point } = useListPlace(
    "Certificates",
    "/certificates",
    list,
  );
  const row = current === undefined ? undefined : list.at(list.indexOf(current));
  const writes = may("certs:write");
  const selection = useBulkSelection(list, name);
  const jobs = useJobs<BulkAct, CertificateRow>(selection, () => {
    setTurn((one) => one + 1);
    void queries.invalidateQueries({ queryKey: ["certificates"] });
    void queries.invalidateQueries({ queryKey: ["alerts"] });
  });
  const filter = jobFilterOf(filters);

  const choose = (tab: Tab) => setFilters({ key: tab === "all" ? "" : tab });
  const add = (files: readonly File[] = [], text = "") => setUpload({ files, text });
  const isDragging = useFileDrop(writes && upload === undefined, add);
  useShortcuts("Keeping", [
    ...selectionKeys(selection, {
      current,
      may: writes,
      mayAll: list.length > 0,
      selectMatching: () =>
        bulkBar().then(({ selectMatching }) => selectMatching(filter, selection)),
    }),
    { keys: ["u"], label: "Add certificates", run: () => add(), when: () => writes },
    {
      keys: ["d"],
      label: "Delete",
      run: () => row && setDoomed({ id: row.id, name: row.name }),
      when: () => writes && row !== undefined,
    },
    ...tabKeys(tabs, choose),
  ]);
  useWanted("/certificates", (act) => act === "add" ? add() : false);
  return (
    <Page
      title={titleWith("Certificates", look)}
      tabs={<Tabs label="Private key" value={tabOf(filters)} tabs={tabs} onChange={choose} />}
      tools={
        <>
          <SearchBox
            label="Search names, issuers, ids"
            value={filters.q}
            list={list}
            onSearch={(q) => setFilters({ q }, true)}
            onOpen={open}
          />
          {writes && <Button shortcut="U" onClick={() => add()}>Add</Button>}
        </>
      }
      filters={<CertificateFilters filters={filters} onChange={setFilters} onLook={setLook} />}
      bar={selection.ids.size > 0 && (
        <BulkBar filter={filter} selection={selection} onAct={jobs.ask} />
      )}
      drawer={openId === undefined ? jobs.drawer : (
        <CertificateDrawer
          id={openId}
          row={row}
          onSucceed={writes
            ? (successor) => setUpload({ files: [], text: "", successor })
            : undefined}
          onDelete={writes ? setDoomed : undefined}
          onClose={close}
        />
      )}
    >
      <ExpiryPanel filters={filters} onChange={(ends) => setFilters({ ends })} onOpen={open} />
      <CertificateTable
        list={list}
        current={current}
        hrefOf={hrefOf}
        look={look}
        selection={mayYet("certs:write") ? selection : undefined}
        empty={isNarrowed(filters) || filters.key !== ""
          ? (
            <NothingMatches onClear={() => setFilters(cleared)}>
              No certificate fits this search and these filters.
            </NothingMatches>
          )
          : (
            <Empty
              title="No certificates yet"
              action={writes && (
                <Button kind="primary" onClick={() => add()}>Add certificates</Button>
              )}
            >
              Drop PEM or PKCS#12 files anywhere on this page to see when each certificate expires.
            </Empty>
          )}
      />
      {jobs.asked && <BulkDialog {...jobs.asked} />}
      {isDragging && <p class="drop-hint">Drop to add certificates</p>}
      {upload && (
        <UploadDialog
          {...upload}
          onAdded={() => {
            setTurn((one) => one + 1);
            void queries.invalidateQueries({ queryKey: ["certificates"] });
          }}
          onOpen={(id) => {
            setUpload(undefined);
            open(id);
          }}
          onClose={() => setUpload(undefined)}
        />
      )}
      {doomed && (
        <DeleteDialog
          of={doomed}
          onDeleted={() => {
            const next = rowAfter(list, [doomed.id]);
            list.remove(doomed.id);
            void queries.invalidateQueries({
              queryKey: ["certificates"],
              // Of itself there is nothing to read any more.
              predicate: ({ queryKey }) => queryKey[2] !== doomed.id,
            });
            point(next);
            if (openId === doomed.id) open(next);
            toast({ text: say`${doomed.name} is deleted.` });
          }}
          onClose={() => setDoomed(undefined)}
        />
      )}
    </Page>
  );
}

function CertificateFilters({ filters, onChange, onLook }: {
  filters: Filters;
  onChange: (changes: Partial<Filters>) => void;
  onLook: (look: Look) => void;
}) {
  const isMonth = /^\d{4}-\d\d$/.test(filters.ends);
  return (
    <FilterLine
      filters={filters}
      onChange={onChange}
      cleared={isNarrowed(filters) && cleared}
      of={[
        { of: "status", label: "Status", options: statuses },
        { of: "ca", label: "Authorities", options: authorities },
        { of: "sort", label: "Order", options: orders },
        isMonth && (
          <FilterChip
            label={`Expires in ${monthName(filters.ends)}; show all`}
            onClear={() => onChange({ ends: "" })}
          >
            Expires in {monthName(filters.ends)}
          </FilterChip>
        ),
        ...(["owner", "tag"] as const).filter((name) => filters[name] !== "").map((name) => (
          <FilterChip
            key={name}
            label={say`${name} ${filters[name]}; show all`}
            onClear={() => onChange({ [name]: "" })}
          >
            {filters[name]}
          </FilterChip>
        )),
      ]}
    >
      <ListTools list="certificates" onLook={onLook} />
      <ExportButton of={exportCertificates.path} query={queryOf(filters)} />
    </FilterLine>
  );
}

import type { ComponentChildren } from "preact";
import type { PagedList } from "../../api/paged-list.ts";
import { type Column, ListTable } from "../../parts/list-table.tsx";
import { Pill, Tag } from "../../parts/pill.tsx";
import { exactTime } from "../../parts/time.tsx";
import { type CertificateRow, keyOf, leftOf, partOver, shortId, urgencyOf } from "./certificate.ts";

/** The list of certificates. */
export function CertificateTable({ list, current, hrefOf, empty }: {
  list: PagedList<CertificateRow>;
  current: string | undefined;
  hrefOf: (id: string) => string;
  empty: ComponentChildren;
}) {
  return (
    <ListTable
      label="Certificates"
      list={list}
      columns={columns}
      keyOf={keyOf}
      hrefOf={(row) => hrefOf(row.id)}
      nameOf={(row) => row.name}
      current={current}
      empty={empty}
    />
  );
}

const columns: Column<CertificateRow>[] = [
  {
    title: "Name",
    class: "cert-col-name",
    cell: (row) => (
      <>
        <span class="line-1">{row.name}</span>
        <span class="line-2">{row.names || row.issuer}</span>
      </>
    ),
  },
  { title: "Issuer", class: "cert-col-issuer", cell: (row) => row.issuer },
  { title: "Validity", class: "cert-col-validity", cell: (row) => <Validity row={row} /> },
  { title: "Kind", class: "cert-col-kind", cell: (row) => <Kind row={row} /> },
  {
    title: "ID",
    class: "cert-col-id is-end",
    cell: (row) => <code title={row.id}>{shortId(row.id)}</code>,
  },
];

/** What it is besides a certificate. */
export function Kind({ row }: { row: CertificateRow }) {
  return (
    <span class="kinds">
      {row.hasPrivate && <Tag>private key</Tag>}
      {row.isAuthority && <Tag>CA</Tag>}
      {row.isRenewed && <Tag>renewed</Tag>}
    </span>
  );
}

/** The time that is left in words, and how much of it is over as a bar. */
export function Validity({ row }: { row: CertificateRow }) {
  const over = partOver(row);
  const urgency = urgencyOf(row);
  return (
    <span
      class={`validity is-${urgency}`}
      title={over === undefined ? undefined : `${exactTime(row.from)} – ${exactTime(row.to)}`}
    >
      <Pill tone={urgency}>{leftOf(row)}</Pill>
      {over !== undefined && (
        <span class="validity-bar">
          <span style={{ width: `${over * 100}%` }} />
        </span>
      )}
    </span>
  );
}

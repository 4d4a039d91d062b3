import type { ComponentChildren } from "preact";
import { type Column, lines, ListTable, type TableProps } from "../../parts/list-table.tsx";
import { Pill, Tag } from "../../parts/pill.tsx";
import { utcTime } from "../../parts/time.tsx";
import { type CertificateRow, leftOf, partOver, urgencyOf } from "./certificate.ts";

/** The list of certificates. */
export function CertificateTable(props: TableProps<CertificateRow> & { empty: ComponentChildren }) {
  const nameOf = ({ name }: CertificateRow) => name;
  return <ListTable label="Certificates" columns={columns} nameOf={nameOf} {...props} />;
}

const columns: Column<CertificateRow>[] = [
  {
    title: "Name",
    class: "cert-col-name",
    cell: (row) => lines(row.name, row.names === row.name ? row.issuer : row.names || row.issuer),
  },
  {
    title: "Owner",
    class: "cert-col-owner",
    cell: (row) => row.owner || <span class="muted">No owner</span>,
  },
  { title: "Tags", class: "cert-col-kind", cell: (row) => <Kind row={row} /> },
  { title: "Validity", class: "cert-col-validity", cell: (row) => <Validity row={row} /> },
];

/** Its kind besides a certificate, and its tags. */
export function Kind({ row }: { row: CertificateRow }) {
  return (
    <span class="kinds">
      {row.hasPrivate && <Tag>private key</Tag>}
      {row.isAuthority && <Tag>CA</Tag>}
      {row.isRenewed && <Tag>renewed</Tag>}
      {row.tags.map((tag) => <Tag key={tag}>{tag}</Tag>)}
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
      title={over === undefined ? undefined : `${utcTime(row.from)} – ${utcTime(row.to)}`}
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

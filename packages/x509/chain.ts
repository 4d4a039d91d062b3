import type { CertificateRecord, DistinguishedName } from "./certificate.ts";

/**
 * `records` in order: the leaf, then from its issuer upwards, then what belongs to nothing as it
 * came. The leaf is the one of `candidates` that issues none of `records`; among several one that
 * is no authority goes first, then the order given; where all issue one another, the first.
 * Empty when there is no candidate.
 */
export function arrange(
  records: CertificateRecord[],
  candidates: CertificateRecord[],
): CertificateRecord[] {
  const links = records.map(linkOf);
  const issuing = new Set(
    links.flatMap((child) => links.filter((parent) => issues(parent, child))),
  );
  const ends = links.filter((link) => candidates.includes(link.record) && !issuing.has(link));
  const leaf = ends.find((link) => !link.record.is_ca) ?? ends[0] ??
    links.find((link) => candidates.includes(link.record));
  if (!leaf) return [];
  const ordered = linkedFrom(leaf, links);
  const left = links.filter((link) => !ordered.includes(link));
  return [...ordered, ...left].map((link) => link.record);
}

/** `leaf`, and from its issuer upwards what of `records` belongs to its chain; nothing else. */
export function chainFrom(leaf: CertificateRecord, records: CertificateRecord[]) {
  const links = records.map(linkOf);
  const first = links.find(({ record }) => record === leaf);
  return first ? linkedFrom(first, links).map((link) => link.record) : [];
}

interface Link {
  record: CertificateRecord;
  subject: string;
  issuer: string;
}

function linkOf(record: CertificateRecord): Link {
  return { record, subject: textOf(record.subject), issuer: textOf(record.issuer) };
}

function linkedFrom(leaf: Link, links: Link[]): Link[] {
  const left = new Set(links);
  const ordered: Link[] = [];
  for (let next: Link | undefined = leaf; next;) {
    const child: Link = next;
    left.delete(child);
    ordered.push(child);
    next = [...left].find((parent) => issues(parent, child));
  }
  return ordered;
}

/** By name, and by key id where both sides say one: an authority may have had several keys. */
function issues(parent: Link, child: Link): boolean {
  const { subject_key_id: id } = parent.record;
  const { authority_key_id: wanted } = child.record;
  return parent !== child && parent.subject === child.issuer && parent.subject !== "[]" &&
    (id === "" || wanted === "" || id === wanted);
}

function textOf(name: DistinguishedName): string {
  return JSON.stringify(name.Names);
}

import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { api } from "../../api/client.ts";
import { getCertificate, listIssuedCertificates } from "../../api/endpoints.ts";
import { useCall, useQuery } from "../../api/queries.ts";
import { utcDayOf } from "../../parts/time.tsx";
import { type CertificateDetail, nameOf, shortId } from "./certificate.ts";

type Relative = CertificateDetail["chain"][number];

/** Issuers that are followed upwards, at the most. */
const MOST_ABOVE = 6;
/** Certificates of the same issuer that are counted, at the most. */
const MOST_BESIDE = 100;

/**
 * From the root down to a certificate: its issuers by the chain that came with it, else by name.
 */
export function ChainTree({ of: certificate }: { of: CertificateDetail }) {
  const { id } = certificate;
  const above = useQuery({
    queryKey: ["certificates", "above", id],
    queryFn: () => issuersAbove(certificate),
    gcTime: 30_000,
  }).data ?? [];
  const issuer = above.at(-1);
  const beside = useCall(["certificates", "beside", issuer?.id ?? ""], listIssuedCertificates, {
    params: { id: issuer?.id ?? "" },
    query: { limit: MOST_BESIDE },
  }, { enabled: issuer?.stored === true, gcTime: 30_000 }).data;
  if (above.length === 0) return null;
  const others = beside?.data.filter((one) => one.id !== id).length ?? 0;
  const more = beside?.next_cursor ? " or more" : "";
  return (
    <>
      <h3 class="group-title">Chain</h3>
      <Branch of={above}>
        <ul class="tree">
          <li class="tree-here" aria-current="true">
            <b class="line-1">{nameOf(certificate)}</b>
            <span class="line-2">until {utcDayOf(certificate.not_after)}</span>
          </li>
          {issuer && others > 0 && (
            <li>
              <Link class="line-1 text-link" href={hrefOf(issuer.id)}>
                {others}
                {more} {others === 1 ? "other" : "others"} by {issuer.name || "this issuer"}
              </Link>
            </li>
          )}
        </ul>
      </Branch>
    </>
  );
}

function Branch({ of: [top, ...below], children }: {
  of: readonly Relative[];
  children: ComponentChildren;
}) {
  if (!top) return <>{children}</>;
  const name = top.name || shortId(top.id);
  return (
    <ul class="tree">
      <li>
        {top.stored
          ? <Link class="line-1 text-link" href={hrefOf(top.id)}>{name}</Link>
          : <span class="line-1">{name}</span>}
        <span class="line-2">
          until {utcDayOf(top.not_after)}
          {!top.stored && " · not in this list"}
        </span>
        <Branch of={below}>{children}</Branch>
      </li>
    </ul>
  );
}

/**
 * The root first. By name alone where no chain came along, as far up as authorities of the list go.
 */
async function issuersAbove(certificate: CertificateDetail): Promise<Relative[]> {
  const above = [...certificate.chain];
  let next = above.length === 0 ? certificate.issuers : await issuersOf(above.at(-1));
  while (above.length < MOST_ABOVE) {
    const known = new Set([certificate.id, ...above.map(({ id }) => id)]);
    const issuer = next.find(({ id }) => !known.has(id));
    if (!issuer) break;
    above.push(issuer);
    next = await issuersOf(issuer);
  }
  return above.reverse();
}

async function issuersOf(one: Relative | undefined): Promise<readonly Relative[]> {
  if (!one?.stored) return [];
  // Deleted meanwhile: the chain ends there.
  return await api.call(getCertificate, { params: { id: one.id } })
    .then(({ issuers }) => issuers, () => []);
}

function hrefOf(id: string): string {
  return `/certificates/${encodeURIComponent(id)}`;
}

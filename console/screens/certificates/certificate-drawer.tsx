import { Link } from "wouter-preact";
import { getCertificate, listIssuedCertificates } from "../../api/endpoints.ts";
import { grouped } from "../../api/numbers.ts";
import { useCall } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { CopyField, CopyId } from "../../parts/copy.tsx";
import { lazily } from "../../parts/lazily.tsx";
import { Drawer, Fact, Facts, UnreadDrawer } from "../../parts/drawer.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Loading, Problem } from "../../parts/states.tsx";
import { MessageHistory } from "../../parts/message-history.tsx";
import { exactTime, utcDayOf, utcTime } from "../../parts/time.tsx";
import { useWanted } from "../../parts/wanted.ts";
import { listed, say } from "../../said.ts";
import { ChainTree } from "./chain-tree.tsx";
import { Kind, Validity } from "./certificate-table.tsx";
import {
  type Certificate,
  type CertificateDetail,
  type CertificateRow,
  DAY_MS,
  nameOf,
  toRow,
} from "./certificate.ts";
import type { Successor } from "./upload-dialog.tsx";
import { UsedBy } from "./uses.tsx";

const AlertPanel = lazily(() => import("../../parts/alert-panel.tsx"));
const Care = lazily(() => import("./care.tsx"));

/** A certificate in full. `row` is what the list knows of it: shown until the rest is read. */
export function CertificateDrawer({ id, row, onSucceed, onDelete, onClose }: {
  id: string;
  row: CertificateRow | undefined;
  /** Adds the one that renews or replaces it. */
  onSucceed: ((successor: Successor) => void) | undefined;
  onDelete: ((certificate: { id: string; name: string }) => void) | undefined;
  onClose: () => void;
}) {
  const read = useCall(["certificates", "one", id], getCertificate, { params: { id } }, {
    gcTime: 30_000,
  });
  const certificate = read.data;
  const shown = certificate ? toRow(certificate) : row;
  const succeed = (act: Successor["act"]) =>
    shown && onSucceed?.({ of: { id, name: shown.name }, act });
  // Opened by its address it may stand in no list.
  useShortcuts("This certificate", [
    {
      keys: ["d"],
      label: "",
      run: () => shown && onDelete?.({ id, name: shown.name }),
      when: () => shown !== undefined && onDelete !== undefined,
    },
    {
      keys: ["r"],
      label: "Renew",
      run: () => succeed("renew"),
      when: () => shown !== undefined && onSucceed !== undefined,
    },
  ]);
  useWanted("/certificates", (act, of) => {
    if (act !== "renew" || of !== id || !shown) return false;
    succeed("renew");
  });
  if (!shown) return <UnreadDrawer of={id} title="Certificate" read={read} onClose={onClose} />;
  const path = `/v1/certificates/${encodeURIComponent(id)}/pem`;
  return (
    <Drawer
      of={id}
      title={shown.name}
      onClose={onClose}
      footer={
        <>
          {onSucceed && shown.daysLeft !== null && (
            <>
              <Button shortcut="R" onClick={() => succeed("renew")}>Renew</Button>
              <Button onClick={() => succeed("replace")}>Replace</Button>
            </>
          )}
          <a class="button is-quiet" href={path} download>Download</a>
          {certificate && certificate.chain.length > 0 && (
            <a class="button is-quiet" href={`${path}?chain=true`} download>With chain</a>
          )}
          {onDelete && (
            <Button
              kind="danger"
              shortcut="D"
              onClick={() => onDelete({ id, name: shown.name })}
            >
              Delete
            </Button>
          )}
        </>
      }
    >
      <div class="cert-lead">
        <Validity row={shown} />
        <Kind row={shown} />
      </div>
      {certificate && <Warnings of={certificate} />}
      <Facts>
        {(shown.daysLeft !== null || shown.status === "invalid") && (
          <>
            <Fact name="From">{utcTime(shown.from)}</Fact>
            <Fact name="To">{utcTime(shown.to)}</Fact>
          </>
        )}
        <Fact name="Issuer">{shown.issuer}</Fact>
      </Facts>
      {read.error !== null && !certificate && (
        <Problem
          error={read.error}
          onRetry={() => void read.refetch()}
        />
      )}
      {certificate && <Care of={certificate} mayChange={onDelete !== undefined} />}
      {certificate
        ? <Rest of={certificate} mayMute={onDelete !== undefined} />
        : read.error === null && <Loading lines={6} />}
    </Drawer>
  );
}

function Rest({ of: certificate, mayMute }: { of: CertificateDetail; mayMute: boolean }) {
  const others = [
    ...certificate.dns_names,
    ...certificate.ip_addresses,
    ...certificate.email_addresses,
    ...certificate.uris,
  ];
  return (
    <>
      <Names title="Names" names={others} />
      <ChainTree of={certificate} />
      {certificate.is_ca && <Issued id={certificate.id} />}
      <UsedBy id={certificate.id} />
      <Facts title="Subject">
        <NameFacts of={certificate.subject} />
      </Facts>
      <Facts title="Key and signature">
        <Fact name="Key">
          {certificate.key_algorithm}
          {certificate.key_size > 0 && say` ${certificate.key_size}`}
        </Fact>
        <Fact name="Private key">
          {certificate.has_private ? "stored encrypted" : "not stored"}
        </Fact>
        <Fact name="Signature">{certificate.signature_algorithm}</Fact>
        <Fact name="Path length">{certificate.path_length}</Fact>
        <Fact name="Serial">
          {certificate.serial_number && <code>{certificate.serial_number}</code>}
        </Fact>
        <Fact name="Added">{exactTime(certificate.date_created)}</Fact>
      </Facts>
      <MessageHistory of={certificate.id} />
      <h3 class="group-title">SHA-256 fingerprint</h3>
      <CopyId id={certificate.fingerprint} label="fingerprint" />
      <h3 class="group-title">Id</h3>
      <CopyId id={certificate.id} label="certificate id" />
      <details class="pem">
        <summary class="group-title">PEM</summary>
        <CopyField label="Certificate" text={certificate.pem} lines />
      </details>
      <AlertPanel of={{ object: "certificate", id: certificate.id }} mayMute={mayMute} />
    </>
  );
}

const FEW = 12;

/** All names; many of them behind a click. */
function Names({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return null;
  const list = (some: readonly string[]) => (
    <ul class="cert-names">
      {some.map((name, index) => (
        <li key={index}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
  return (
    <>
      <h3 class="group-title">{title}</h3>
      {list(names.slice(0, FEW))}
      {names.length > FEW && (
        <details class="pem">
          <summary class="text-link">{names.length - FEW} more</summary>
          {list(names.slice(FEW))}
        </details>
      )}
    </>
  );
}

function NameFacts({ of: name }: { of: Certificate["subject"] }) {
  const joined = (values: readonly string[]) => listed(values);
  return (
    <>
      <Fact name="Common name">{name.CommonName}</Fact>
      <Fact name="Organisation">{joined(name.Organization)}</Fact>
      <Fact name="Unit">{joined(name.OrganizationalUnit)}</Fact>
      <Fact name="Place" of={joined([...name.Locality, ...name.Province, ...name.Country])} />
    </>
  );
}

const SHOWN = 5;

/** The certificates that name this authority as their issuer. */
function Issued({ id }: { id: string }) {
  const issued = useIssued(id);
  if (!issued || issued.data.length === 0) return null;
  return (
    <>
      <h3 class="group-title">Issued certificates</h3>
      <ol class="chain">
        {issued.data.map((one) => (
          <li key={one.id}>
            <Link class="line-1 text-link" href={`/certificates/${encodeURIComponent(one.id)}`}>
              {nameOf(one)}
            </Link>
            <span class="line-2">until {utcDayOf(one.not_after)}</span>
          </li>
        ))}
      </ol>
      {issued.next_cursor !== null && <p class="muted">and more</p>}
    </>
  );
}

/** The first few certificates that depend on one; undefined until they are read. */
export function useIssued(id: string) {
  return useCall(["certificates", "issued", id], listIssuedCertificates, {
    params: { id },
    query: { limit: SHOWN },
  }, { gcTime: 30_000 }).data;
}

/** The longest life that browsers take of a server's certificate, in days. */
const LONGEST = 398;

/** The weaknesses of a certificate, worst first, each with its rule. */
function Warnings({ of: certificate }: { of: CertificateDetail }) {
  const warnings = warningsOf(certificate);
  if (warnings.length === 0) return null;
  return (
    <ul class="hints" aria-label="Warnings">
      {warnings.map(({ title, rule }) => (
        <li key={title}>
          <b>{title}</b>
          <div>{rule}</div>
        </li>
      ))}
    </ul>
  );
}

function warningsOf(certificate: CertificateDetail): { title: string; rule: string }[] {
  const { signature_algorithm: signature, key_algorithm: key, key_size: bits } = certificate;
  const warnings = [];
  // The signature of a root is not checked by any client.
  const hash = isRoot(certificate) ? undefined : /MD[25]|SHA-?1(?!\d)/i.exec(signature)?.[0];
  if (hash !== undefined) {
    warnings.push({
      title: say`Signed with ${hash.toUpperCase().replace(/^SHA-?1/, "SHA-1")}`,
      rule: "Signatures with it can be forged. Rule: SHA-256 or better.",
    });
  }
  const least = /^RSA/i.test(key) ? 2048 : /^EC/i.test(key) ? 256 : 0;
  if (bits > 0 && bits < least) {
    warnings.push({
      title: say`Short key: ${key} ${bits}`,
      rule: "Rule: RSA of 2048 bits or more, EC of 256 or more.",
    });
  }
  const days = Math.round(
    (Date.parse(certificate.not_after) - Date.parse(certificate.not_before)) / DAY_MS,
  );
  if (isServer(certificate) && days > LONGEST) {
    warnings.push({
      title: `Lives for ${grouped(days)} days`,
      rule: `Browsers refuse public server certificates that live longer than ${LONGEST} days.`,
    });
  }
  return warnings;
}

function isServer({ is_ca, dns_names, ip_addresses }: CertificateDetail): boolean {
  return !is_ca && dns_names.length + ip_addresses.length > 0;
}

function isRoot({ is_ca, subject, issuer }: CertificateDetail): boolean {
  return is_ca && JSON.stringify(subject.Names) === JSON.stringify(issuer.Names);
}

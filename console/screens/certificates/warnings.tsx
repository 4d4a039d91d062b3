import type { CertificateDetail } from "./certificate.ts";
import { DAY_MS } from "./certificate.ts";
import { grouped } from "../../api/numbers.ts";
import { say } from "../../said.ts";

/** The longest life that browsers take of a server's certificate, in days. */
const LONGEST = 398;

/** What is weak about a certificate, worst first, each with the rule that says so. */
export function Warnings({ of: certificate }: { of: CertificateDetail }) {
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
  // Nobody goes by the signature of a root.
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

import { Buffer } from "node:buffer";
import { isPublicKey } from "../../features/certificates/certificate.ts";
import { calledBy } from "../../features/certificates/certificate-title.ts";
import { validMembers } from "../../../packages/x509/chain-members.ts";
import { toPem } from "../../../packages/x509/pem.ts";
import { inForm, type KeyForm } from "../../../packages/x509/post-quantum.ts";
import { type RefusalThere, refusalThere } from "../../../packages/x509/refused-there.ts";
import { archiveRowsOf } from "../archive/archive-rows.store.ts";
import type { ArchiveRow, ArchiveRows } from "../archive/archive-tables.ts";
import type { Exporting } from "./exporting.ts";
import type { Loss } from "./missing.ts";
import { type OpenRow, openRow, openRows } from "./open-rows.ts";
import { type Shaped, text } from "./original-shapes.ts";

/** The certificates of an organisation as a gateway's records, each with its rows. */
export async function* certificateRecords(
  by: Exporting,
): AsyncGenerator<{ record: Shaped; rows: ArchiveRows }, void, void> {
  const { organisation, organisation: { org_id }, withSecrets, losses, now, keyForm } = by;
  for await (const page of openRows(organisation, "certificates", withSecrets)) {
    const values = page.map(({ row }) => String(row.fingerprint));
    const of = { table: "certificate_files", column: "fingerprint", values } as const;
    const files = new Map<string, OpenRow>();
    for (const stored of await archiveRowsOf(organisation.db, org_id, of)) {
      const file = openRow(organisation, "certificate_files", stored, withSecrets);
      if (file.isSealed && !withSecrets) losses.add("private_keys");
      files.set(String(file.row.fingerprint), file);
    }
    for (const { row } of page) {
      const file = files.get(String(row.fingerprint));
      if (!file) continue;
      const there = certificateThere(row, file.row, { now, hasKey: file.isSealed, keyForm });
      const id = `${org_id}${row.fingerprint}`;
      const named = `${nameOf(row)} ${id}`.trimStart();
      if (there.isCut) losses.add("expired_chains");
      if (there.refusal) losses.addOne(REFUSED[there.refusal], named);
      if (there.isOtherForm) losses.addOne("key_forms", named);
      const record = { key: `cert-raw-${id}`, value: there.pem };
      yield { record, rows: { certificates: [row], certificate_files: [file.row] } };
    }
  }
}

const REFUSED = {
  expired: "expired_certificates",
  curve: "refused_curves",
  key_kind: "refused_key_kinds",
  public_key: "unread_public_keys",
} as const satisfies Readonly<Record<RefusalThere, Loss>>;

function nameOf(row: ArchiveRow): string {
  return calledBy({
    head: text(row, "head"),
    tail: text(row, "tail"),
    details: text(row, "details"),
  });
}

/** A certificate as it goes, and what its reader has to know. */
interface CertificateThere {
  pem: string;
  /** Something of its chain is over. */
  isCut: boolean;
  /** Why the gateway refuses it; undefined: it takes it. */
  refusal: RefusalThere | undefined;
  /** Its private key could not be made in the form that was asked for. */
  isOtherForm: boolean;
}

/**
 * A certificate as a gateway's record: PEM of the leaf, what is still valid of its chain, and its
 * private key. Whether that is left out, since no secrets travel, does not decide what is refused:
 * `hasKey` says that there is one.
 */
function certificateThere(
  row: ArchiveRow,
  file: ArchiveRow,
  { now, hasKey, keyForm }: { now: number; hasKey: boolean; keyForm?: KeyForm | undefined },
): CertificateThere {
  const leaf = text(file, "certificate");
  const isKey = isPublicKey({ not_after: text(row, "not_after") });
  const whole = text(file, "chain").split("\n").filter((one) => one !== "");
  const chain = isKey ? [] : validMembers(text(file, "chain"), now);
  const members = [leaf, ...chain];
  const refusal = refusalThere({ members, hasKey, isPublicKey: isKey }, now);
  if (isKey) return { pem: toPem(leaf, "PUBLIC KEY"), isCut: false, refusal, isOtherForm: false };
  const privateKey = text(file, "private_key");
  const made = privateKey !== "" && keyForm ? formOf(privateKey, keyForm) : privateKey;
  const key = made ?? privateKey;
  const pem = [
    ...members.map((one) => toPem(one)),
    key === "" ? "" : toPem(key, "PRIVATE KEY"),
  ].join("");
  return { pem, isCut: chain.length < whole.length, refusal, isOtherForm: made === undefined };
}

/** A private key, base64 of PKCS#8, in a form; undefined where it can't be made. */
function formOf(key: string, form: KeyForm): string | undefined {
  const made = inForm(new Uint8Array(Buffer.from(key, "base64")), form);
  return made && Buffer.from(made).toString("base64");
}

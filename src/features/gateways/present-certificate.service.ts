import type { ServiceContext } from "../../calls/context.ts";
import { findCertificate, findWholeFile } from "../certificates/certificates.store.ts";
import { fingerprintOf, isPublicKey } from "../certificates/certificate.ts";
import { validMembers } from "../certificates/reading/chain-members.ts";
import { toPem } from "../certificates/reading/pem.ts";
import type { GatewayRow, Wanted } from "./gateway.ts";
import type { Present, PresentContext } from "./present-key.service.ts";

/**
 * A certificate as it is now, for a gateway: with its chain, and with its private key where that
 * can be opened. A bare public key stands at no gateway.
 */
export async function presentCertificate(
  { storage: { reader }, sealer, clock }: PresentContext & Pick<ServiceContext, "clock">,
  { org_id, state }: GatewayRow,
  { key_id: id }: { key_id: string },
): Promise<Present> {
  const fingerprint = fingerprintOf(org_id, id) ?? "";
  const found = await findCertificate(reader, { org_id, fingerprint });
  const file = found && await findWholeFile(reader, { org_id, fingerprint });
  const isThere = found !== undefined && file !== undefined && !isPublicKey(found) &&
    state !== "ending";
  const place = { table: "certificate_files", org_id, id: fingerprint, column: "private_key" };
  const sealed = file?.private_key ?? null;
  const private_key = sealed !== null && sealer.canOpen(place, sealed)
    ? sealer.open(place, sealed)
    : undefined;
  const chain = file ? validMembers(file.chain, clock.now()) : [];
  const pem = [
    ...file ? [file.certificate, ...chain].map((one) => toPem(one)) : [],
    ...private_key === undefined ? [] : [toPem(private_key, "PRIVATE KEY")],
  ].join("");
  return {
    key: {
      key_id: id,
      kind: "certificate",
      developer_id: "",
      name: "",
      remote_id: id,
      hash: "",
      secret: isThere ? { key: pem, password: "", redirect_uri: "" } : undefined,
    },
    wanted: isThere ? STANDS : { is: "absent" },
    unfit: "",
    isImported: false,
  };
}

/** What is wanted of a certificate that stands there. */
const STANDS: Wanted = { is: "open", plans: [], expires: 0, limits: null };

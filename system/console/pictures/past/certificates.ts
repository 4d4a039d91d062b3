/** Certificates that end one after another. */
import { world } from "../fixed-world.ts";
import { Buffer } from "node:buffer";
import { createHash, createPrivateKey } from "node:crypto";
import { issue, type Issued, type Wanted } from "../../../../packages/x509/test/support/issue.ts";
import { demoData } from "../../../../src/maintenance/seed/demo.ts";
import { type Caller, DAY_MS, type Desk, HOUR_MS, NOW } from "../picture-desk.ts";

/** Uploads those of the demo; a busy desk has one more, which ends within days. */
export async function uploadCertificates(
  desk: Desk,
  jana: Caller,
  kind: "calm" | "busy",
): Promise<void> {
  const root = signed("root", {
    subject: { O: "Riverline", CN: "Riverline Root CA" },
    days: 3650,
    authority: true,
    keyIds: true,
  });
  const partners = signed("partners", {
    subject: { O: "Riverline", CN: "Riverline Partner CA" },
    days: 1825,
    authority: 0,
    issuer: root,
    keyIds: true,
  });
  const of = (cn: string, days: number, more: Partial<Wanted> = {}) =>
    signed(cn, {
      subject: { O: "Riverline", CN: cn },
      days,
      names: [{ dNSName: cn }],
      issuer: partners,
      authority: false,
      keyIds: true,
      ...more,
    });
  // Days from now in which each ends; uploaded some months before.
  const ends = [...demoData.certificates];
  if (kind === "busy") {
    const owner = "platform@riverline.example";
    ends.splice(1, 0, { cn: "edge.riverline.example", ends_in_days: 4, owner, tags: ["edge"] });
  }
  world.now = NOW - 170 * DAY_MS;
  await desk.call("POST", "/v1/certificates", root.certificate + partners.certificate, jana);
  for (const { cn, ends_in_days, owner, tags } of ends) {
    world.now += 3 * HOUR_MS + 7 * 60_000;
    const { certificate: pem } = of(cn, ends_in_days + (NOW - world.now) / DAY_MS);
    const { results } = await desk.call("POST", "/v1/certificates", pem, jana);
    const { id } = results[0];
    if (owner || tags.length > 0) {
      await desk.call("PUT", `/v1/certificates/${id}`, { owner, tags }, jana);
    }
  }
}

/** Signed with a key that follows from its name: the same each time, and no secret anywhere. */
function signed(name: string, wanted: Wanted): Issued {
  const seed = createHash("sha256").update(name).digest();
  const der = new Uint8Array([...PKCS8_ED25519, ...seed]);
  const key = createPrivateKey({ key: Buffer.from(der), format: "der", type: "pkcs8" })
    .export({ format: "pem", type: "pkcs8" }).toString();
  return issue({ key, ...wanted });
}

/** RFC 8410 §7: what comes before the seed. */
const PKCS8_ED25519 = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];

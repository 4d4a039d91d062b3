import type { EventNames } from "../../changes/event-names.ts";
import { calledCertificate } from "../../contract/called-certificate.ts";
import { parseBasics, parseDetails, type StoredTexts } from "./stored-certificate.ts";

/** What a certificate is called in the audit log. */
export function certificateNames(texts: StoredTexts): EventNames {
  return { object: calledBy(texts) };
}

/** The same of what is stored. */
export function calledBy(texts: StoredTexts): string {
  return calledCertificate({ ...parseBasics(texts), ...parseDetails(texts) });
}

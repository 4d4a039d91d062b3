import type { EventNames } from "../../changes/event-names.ts";
import { calledCertificate } from "../../contract/called-certificate.ts";
import { parseBasics, parseDetails, type StoredTexts } from "./stored-certificate.ts";

/** The names of a certificate for the audit log. */
export function certificateNames(texts: StoredTexts): EventNames {
  return { object: calledBy(texts) };
}

/** The name of a stored certificate. */
export function calledBy(texts: StoredTexts): string {
  return calledCertificate({ ...parseBasics(texts), ...parseDetails(texts) });
}

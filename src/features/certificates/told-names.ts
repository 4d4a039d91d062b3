import type { EventNames } from "../../changes/event-names.ts";
import { parseBasics, parseDetails, type StoredTexts } from "./stored-certificate.ts";

/** What a certificate is called in the trail: by its common name, else another name, else who it was issued to. */
export function certificateNames(texts: StoredTexts): EventNames {
  const { subject_cn, dns_names } = parseBasics(texts);
  const { subject } = parseDetails(texts);
  const owner = [...subject.OrganizationalUnit, ...subject.Organization].join(", ");
  return { object: subject_cn || dns_names[0] || owner };
}

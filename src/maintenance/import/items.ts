import type { EntryRow } from "../../features/plans/catalogue/catalogue.store.ts";
import type { PortalDocument } from "../../features/plans/catalogue/documents.store.ts";
import type { CertificateEntry } from "../../features/certificates/certificate-entry.ts";
import type { Developer } from "../../features/developers/developer.ts";
import type {
  KeyRequestColumns,
  KeyRequestSecrets,
} from "../../features/key-requests/draft-key-request.ts";
import type { Wrapping } from "../../features/keys/chosen-keys.ts";
import type { ImportedKey } from "../../features/keys/import-line.ts";
import type { Plan } from "../../features/plans/plan.ts";
import type { ArchiveRows } from "../archive/archive-tables.ts";
import type { Finding } from "./findings.ts";
import type { Kind } from "./source.ts";

/** The common members of an object to import. */
interface Common {
  id: string;
  /** SHA-256 of the object there, hex. */
  there: string;
}

export type PlanItem = Common & { kind: "plan"; plan: Plan; date_created: string };
export type ConfigurationItem = Common & { kind: "configuration"; document: string };
export type CatalogueItem = Common & { kind: "catalogue"; email: string; entries: EntryRow[] };
export type DocumentItem = Common & {
  kind: "documentation";
  document: PortalDocument;
  date_created: string;
};
export type CertificateItem = Common & { kind: "certificate"; entry: CertificateEntry };
export type DeveloperItem = Common & {
  kind: "developer";
  developer: Developer;
  /** A bcrypt hash; null: none came along. */
  password_hash: string | null;
  /** Members that the source does not know: what is here of them stays. */
  unknown: ("sso_key" | "nonce")[];
};
/** A key, or an OAuth client. */
export type KeyItem = Common & {
  kind: "key" | "client";
  key: ImportedKey;
  /** The used part of its quota's period; null: none is known. `from`: the start of the period. */
  quota: { from: string; used: number } | null;
  /**
   * How its text was wrapped there if a person chose it: of keys of which a session said that they
   * are no user names.
   */
  wrapping?: Wrapping;
  /** True: a developer's map names it, and its session did not come along. */
  isOnlyNamed?: boolean;
};
export type RequestItem = Common & {
  kind: "request";
  columns: KeyRequestColumns;
  secrets: KeyRequestSecrets | null;
  /** Decided there, and so never to be approved again. */
  decided: boolean;
};

/** An object out of an export of Keydesk, of whichever kind: the rows that it had there. */
export type ArchiveItem = Common & { kind: "own"; of: Kind; rows: ArchiveRows };

/** An object that is ready to be taken in: what JSON can carry, secrets among it. */
export type Item =
  | PlanItem
  | ConfigurationItem
  | CatalogueItem
  | DocumentItem
  | CertificateItem
  | DeveloperItem
  | KeyItem
  | RequestItem
  | ArchiveItem;

/** The kind of an object. */
export function kindOf(item: Item): Kind {
  return item.kind === "own" ? item.of : item.kind;
}

/** The objects of a document: several if it has several, none if it can't be imported. */
export interface Reading {
  items: Item[];
  findings: Finding[];
  /** Names of members that Keydesk does not keep. */
  dropped: string[];
  /** True: it belongs to another organisation. */
  isForeign?: boolean;
  /** The source's name, where several are read together. */
  from?: string;
  /** True: another source had it first, which counts. */
  isPassedOver?: boolean;
}

/** Of one kind. */
type ItemOf<K extends Kind> = Extract<Item, { kind: K }>;

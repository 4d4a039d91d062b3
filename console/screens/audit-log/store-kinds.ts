import type { Kind } from "./kind.ts";

/** Kinds of the store itself. */
export const storeKinds: Readonly<Record<string, Kind>> = {
  temporary_access: {
    plural: "Temporary access",
    one: "Temporary access",
    did: {
      asked: "requested temporary access",
      unanswered: "ended a request for temporary access",
      started: "began temporary access",
      ended: "ended temporary access",
    },
    place: (id) => `/audit-log?temporary_access=${encodeURIComponent(id)}`,
  },
  temporary_access_rule: {
    plural: "Rules of temporary access",
    one: "Rule of temporary access",
    did: {
      updated: "set a rule of temporary access",
      removed: "removed a rule of temporary access",
    },
    place: () => "/settings?show=temporary-access",
  },
  checksums: {
    plural: "Checksums",
    one: "Checksums",
    idLabel: "Rows concerned",
    did: { accepted: "accepted rows as they are" },
  },
  audit_log_key: {
    plural: "Keys of the audit log",
    one: "Key of the audit log",
    did: {},
    also: ["audit_log.key_changed"],
  },
  audit_log: {
    plural: "Audit logs",
    one: "Audit log",
    did: {},
    also: ["audit_log.accepted"],
  },
};

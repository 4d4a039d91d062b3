import type { Kind } from "./kind.ts";

/** What the trail tells of the store itself. */
export const storeKinds: Readonly<Record<string, Kind>> = {
  elevation: {
    plural: "Temporary access",
    one: "Temporary access",
    did: {
      asked: "requested temporary access",
      unanswered: "ended a request for temporary access",
      started: "began temporary access",
      ended: "ended temporary access",
    },
    place: (id) => `/activity?temporary_access=${encodeURIComponent(id)}`,
  },
  elevation_rule: {
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
    told: "Of which rows",
    did: { accepted: "accepted rows as they are" },
  },
  trail_key: {
    plural: "Keys of the trail",
    one: "Key of the trail",
    did: {},
    also: ["trail.key_changed"],
  },
  trail_log: {
    plural: "Logs of the trail",
    one: "Log of the trail",
    did: {},
    also: ["trail.accepted"],
  },
};

import type { Kind } from "./kind.ts";

/** What the trail tells of the store itself. */
export const storeKinds: Readonly<Record<string, Kind>> = {
  elevation: {
    plural: "Elevations",
    one: "Elevation",
    did: {
      asked: "asked for an elevation",
      unanswered: "ended an elevation that never began",
      started: "began an elevation",
      ended: "ended an elevation",
    },
    place: (id) => `/activity?elevation=${encodeURIComponent(id)}`,
  },
  elevation_rule: {
    plural: "Rules of elevations",
    one: "Rule of elevations",
    did: { updated: "set a rule of elevations", removed: "removed a rule of elevations" },
    place: () => "/settings?show=elevations",
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

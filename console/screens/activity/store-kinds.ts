import type { Kind } from "./kind.ts";

/** What the trail tells of the store itself. */
export const storeKinds: Readonly<Record<string, Kind>> = {
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

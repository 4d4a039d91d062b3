import type { Kind } from "./kind.ts";

/** What the trail tells of gateways that hold keys of their own. */
export const gatewayKind: Kind = {
  plural: "Gateways",
  one: "Gateway",
  did: {
    created: "added a gateway",
    updated: "changed a gateway",
    deleted: "removed a gateway",
    paused: "paused a gateway",
    resumed: "resumed a gateway",
    hurried: "had keys tried at a gateway at once",
    reconciled: "had the keys of a gateway compared",
  },
};

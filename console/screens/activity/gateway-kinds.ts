import type { Kind } from "./kind.ts";

/** What the trail tells of gateways that hold keys of their own. */
export const gatewayKind: Kind = {
  plural: "Gateways",
  one: "Gateway",
  did: {
    created: "added a gateway",
    updated: "changed a gateway",
    moved: "changed where a gateway is, or what is brought there",
    confirmed: "said yes to a gateway",
    deleted: "removed a gateway",
    ending: "had the keys of a gateway ended, and it removed after that",
    paused: "paused a gateway",
    resumed: "resumed a gateway",
    hurried: "had keys tried at a gateway at once",
    reconciled: "had the keys of a gateway compared",
    learning: "had keys learned from a gateway",
    learning_ended: "had keys learned from a gateway no more",
    key_not_learned: "learned nothing by a name that another key has at a gateway",
    key_not_followed: "noticed a change at a gateway that is not done here",
    losses_await: "had keys that would lose access wait for a person’s yes",
    losses_confirmed: "said yes to keys losing access as a gateway says",
  },
};

/** What the audit log has of gateways that check each call. */
export const checkingGatewayKind: Kind = {
  plural: "Gateways",
  one: "Gateway",
  did: {
    created: "added a gateway",
    updated: "changed a gateway",
    deleted: "removed a gateway",
    silent: "noticed that a gateway is silent",
    calling: "noticed that a gateway calls again",
  },
};

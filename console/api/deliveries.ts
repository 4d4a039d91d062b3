import type { z } from "zod";
import type {
  delivery,
  deliveryWithAttempts,
} from "../../src/features/notifications/deliveries.contract.ts";
import { api } from "./client.ts";
import { countDeliveries, replayDelivery } from "./endpoints.ts";
import { queries, useCall } from "./queries.ts";
import { may } from "./session.ts";

/** A message for a channel. */
export type Delivery = z.output<typeof delivery>;

/** A delivery with its tries. */
export type DeliveryDetail = z.output<typeof deliveryWithAttempts>;

const EVERY_MS = 10_000;

/**
 * The number of failed deliveries; undefined while unknown, and for people without the permission.
 */
export function useDeadLetters() {
  return useCall(["deliveries", "counts"], countDeliveries, {}, {
    refetchInterval: EVERY_MS,
    enabled: may("admin:read"),
  }).data;
}

/** Sends a message again; gives it as it is then. */
export async function sendAgain(id: string): Promise<Delivery> {
  const sent = await api.call(replayDelivery, { params: { id } });
  void queries.invalidateQueries({ queryKey: ["deliveries"] });
  return sent;
}

import { atDesk } from "./at-desk.ts";
import type { DeskOptions } from "./desk-options.ts";
import { forOne } from "./each.ts";
import { planOf } from "./named.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** Calls in each period of so many seconds. */
interface Limit {
  calls: number;
  seconds: number;
}

/** What `keydesk requests offer` is called with. */
interface OfferOptions {
  rate?: Limit;
  quota?: Limit;
  plan?: string[];
  address?: string[];
  expiresAt?: string;
  reviewAt?: string;
  message?: string;
  reason?: string;
  json?: boolean;
}

/** `keydesk requests offer`. */
export async function offerInstead(id: string, options: OfferOptions & DeskOptions): Promise<void> {
  const { rate, quota, address: addresses, expiresAt: expires_at, reviewAt: review_at } = options;
  const { message, reason, plan, json } = options;
  await atDesk(options, async ({ client }) => {
    const plans = plan && await Promise.all(plan.map((one) => planOf(client, one)));
    const body = {
      message,
      reason,
      conditions: { rate, quota, plans, addresses, expires_at, review_at },
    };
    const call = () => client.offerForKeyRequest({ id, body }, { idempotencyKey: true });
    const offered = await forOne("key request", id, call);
    if (json) await print(`${JSON.stringify(offered)}\n`);
    else {
      terminal().err(
        `Of key request ${id} less is offered. It can be accepted until ${offered.offer?.expires_at}.`,
      );
    }
  });
}

/** `keydesk requests withdraw-offer`. */
export async function takeOfferBack(
  id: string,
  options: { json?: boolean } & DeskOptions,
): Promise<void> {
  await atDesk(options, async ({ client }) => {
    const request = await forOne("key request", id, () => client.withdrawOffer({ id }));
    if (options.json) await print(`${JSON.stringify(request)}\n`);
    else terminal().err(`The offer for key request ${id} is withdrawn.`);
  });
}

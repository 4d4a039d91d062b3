import type { Generated } from "kysely";

/** Who is told of changes, and what became of each message. Part of the schema, as schema.ts has it. */
export interface DeliveryTables {
  outbox_events: {
    org_id: string;
    id: string;
    at: string;
    topic: string;
    object_id: string;
    /** The ids of the call that made it; "" where nobody called, and in rows of earlier code. */
    request_id: string;
    caller_request_id: string;
    /** Who made the change, as the trail has it; "" in rows of earlier code. */
    actor: string;
    /** The order in which messages of an object were made; null where nobody was to be told. */
    position: Generated<number | null>;
    /** 1 once its deliveries stand; null: they do not yet, or never will. */
    fanned: Generated<number | null>;
    /** JSON text of what it says beyond its ids; null: nothing. */
    detail: Generated<string | null>;
  };
  /** One row for each organisation that ever had a target. */
  outbox_heads: {
    org_id: string;
    /** How many targets it has. */
    targets: number;
    /** No position that is given from here on is below it. */
    floor: number;
  };
  /** Who is told of changes. */
  delivery_targets: {
    org_id: string;
    id: string;
    kind: "webhook" | "mail";
    name: string;
    /** JSON texts: what its kind needs, and the patterns of topics. */
    config: string;
    topics: string;
    /** Sealed JSON of the secrets that sign; null where it was lost with its sealing key. */
    secrets: string | null;
    /** Until when the secret before the last rotation signs too. */
    old_secret_until: string | null;
    state: "active" | "paused";
    /** Why it is paused, "" while it is not; and since when its state is what it is. */
    state_reason: string;
    state_changed_at: string;
    /** The position behind which it is told of messages. */
    starts_behind: number;
    /** Since when nothing succeeded, and how many tries failed since then; null: the last one succeeded. */
    failing_since: string | null;
    failures: number;
    created_at: string;
  };
  /** A message for a target. Its id is its event's and its target's, so it is the same however often it is made. */
  deliveries: {
    org_id: string;
    id: string;
    target_id: string;
    event_id: string;
    topic: string;
    object_id: string;
    at: string;
    position: number;
    state: "waiting" | "delivered" | "dead" | "skipped";
    /** Whom a mail is for, as recipient.ts writes it, never an address; "": the target is told by itself. */
    recipient: Generated<string>;
    /** 1 while it stands in the line of its object: it waits, or it is dead and no later message has said so. */
    line: number;
    /** 1: another one of its line goes first. */
    blocked: number;
    /** When it is tried next, or while `holder` tries it, when that one's right ends; null: not by itself. */
    due_at: string | null;
    holder: string;
    /** How often it was tried since it was made or replayed, and in all. */
    tries: number;
    attempts: number;
    first_try_at: string | null;
    ended_at: string | null;
  };
  delivery_attempts: {
    org_id: string;
    delivery_id: string;
    n: number;
    at: string;
    /** 0: there was no answer. */
    status: number;
    duration_ms: number;
    answer: string;
    error: string;
  };
  /** Tokens of claims whose links wait to be mailed, sealed; null where one was lost with its sealing key. */
  claim_links: {
    org_id: string;
    id: string;
    request_id: string;
    link: string | null;
    expires_at: string;
  };
  /** When the newest mails went to an address, of which the hash stands here. */
  mail_counts: { org_id: string; address: string; sent: string; expires_at: string };
  /** One row, id 1: which node fans out, and until when. */
  delivery_lease: { id: number; holder: string; until: string };
}

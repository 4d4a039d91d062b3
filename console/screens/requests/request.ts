import type { z } from "zod";
import type {
  keyRequestDetail,
  v1KeyRequest,
} from "../../../src/features/key-requests/v1.contract.ts";
import type { EmailStanding } from "../../parts/email.tsx";
import { askedPlans } from "../../api/plans.ts";
import { developerName, whyOf } from "../../parts/request-words.ts";
import type { Tone } from "../../parts/pill.tsx";

/** One request with everything. */
export type RequestDetail = z.output<typeof keyRequestDetail>;
type V1Request = z.output<typeof v1KeyRequest>;

/** The decision about a request. */
export type RequestState = V1Request["state"];

type OfferState = NonNullable<V1Request["offer"]>["state"];

/** A request in the list: the fields to show and decide it. */
export interface RequestRow {
  readonly id: string;
  readonly state: RequestState;
  /** The state of its offer, while it is pending; undefined: there is none. */
  readonly offer: OfferState | undefined;
  readonly revision: string;
  readonly askedAt: string;
  readonly developerId: string;
  readonly developer: string;
  readonly email: string;
  readonly emailStanding: EmailStanding;
  /** The plans that are asked for. */
  readonly planIds: readonly string[];
  /**
   * The catalogue's name for what is asked for; empty where the portal named none. `useTitles` has
   * the words to show.
   */
  readonly entry: string;
  readonly authType: string;
  readonly why: string;
  /** True: an existing key gets other plans; no credential is made. */
  readonly changesKey: boolean;
  /** Until when that key is to live, where no more is asked for; null: other plans. */
  readonly askedEnd: string | null;
  /** The name of its assignee; "": none. */
  readonly assignee: string;
  /** The steps of its policy, and how many each still needs; none: one approver decides. */
  readonly steps: readonly { readonly name: string; readonly missing: number }[];
  /** When it ends by itself; null: it does not. */
  readonly expiresAt: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
}

/** The row of a request. */
export function toRow(request: V1Request): RequestRow {
  const { portal_developer: developer, catalogue_entry: entry } = request;
  return {
    id: request.id,
    state: request.state,
    offer: request.state === "pending" ? request.offer?.state : undefined,
    revision: request.revision,
    askedAt: request.date_created,
    developerId: request.by_user,
    developer: developerName(developer.fields, developer.email || request.by_user),
    email: developer.email,
    emailStanding: {
      state: request.developer_email_state,
      changed_at: request.developer_email_changed_at,
    },
    planIds: askedPlans(request),
    entry: entry.name,
    authType: entry.auth_type ?? "",
    why: whyOf(request.fields),
    changesKey: request.key !== "",
    askedEnd: request.requested_end,
    assignee: request.assignee?.name ?? "",
    steps: request.approval?.steps.map(({ name, missing }) => ({ name, missing })) ?? [],
    expiresAt: request.expires_at,
    decidedBy: request.decided_by_name,
    decidedAt: request.decided_at,
  };
}

/** Whether a row says something else than its request does by now. */
export function isOther(row: RequestRow, request: V1Request): boolean {
  return row.revision !== request.revision || row.assignee !== toRow(request).assignee;
}

/** How each state is shown. */
export const states: Record<RequestState, { tone: Tone; text: string }> = {
  pending: { tone: "waiting", text: "Pending" },
  issued: { tone: "good", text: "Approved" },
  declined: { tone: "quiet", text: "Declined" },
};

/** The state of an offer. */
export const offers: Record<OfferState, string> = {
  waiting: "Offered",
  turned_down: "Turned down",
  answered: "Answered",
  expired: "Not accepted in time",
};

/** How a row's request is shown: a pending one by what was offered. */
export function stateView({ state, offer }: RequestRow): { tone: Tone; text: string } {
  return offer ? { tone: "waiting", text: offers[offer] } : states[state];
}

/** An auth type in words. */
export function authName(authType: string): string {
  const names: Record<string, string> = {
    authToken: "API key",
    basic: "Basic auth",
    oauth: "OAuth 2.0",
    keyless: "No key",
    "": "API key",
  };
  return names[authType] ?? authType;
}

import type { z } from "zod";
import type {
  getMigration,
  listMigrationDifferences,
} from "../../../../src/features/migration/shadow-mode/migration-report.operations.ts";
import type {
  migrationKey,
  migrationPlan,
} from "../../../../src/features/migration/shadow-mode/migration-report.contract.ts";
import { grouped } from "../../../api/numbers.ts";
import { reasonTitles } from "../../../parts/denied-calls/reason-titles.ts";
import { listed, say } from "../../../said.ts";

/** How far a move is. */
export type MigrationReport = z.output<typeof getMigration.response>;
/** How far a plan is. */
export type PlanOfReport = z.output<typeof migrationPlan>;
/** A key that stands in the way, or was never seen. */
export type KeyOfReport = z.output<typeof migrationKey>;
/** A call that was let in there alone. */
export type Difference = z.output<typeof listMigrationDifferences.response>["data"][number];

/** "1 key", "1,204 keys". */
export const counted = (count: number, word: string): string =>
  say`${grouped(count)} ${word}${count === 1 ? "" : "s"}`;

/** The verb behind so many. */
export const beOf = (count: number): string => count === 1 ? "was" : "were";

/** Whether yesterday was observed, in part at least: what was decided there is not known else. */
export const sawYesterday = ({ since, days }: Pick<MigrationReport, "since" | "days">): boolean =>
  since !== null && since <= (days.at(-1)?.date ?? "");

/** "97.3%": rounded down, so that only all is 100%; "" where nothing was decided. */
export function shareOf(
  { in_keydesk: here, at_gateway: there }: { in_keydesk: number; at_gateway: number },
): string {
  if (here + there === 0) return "";
  const tenths = Math.floor(here / (here + there) * 1000);
  return `${tenths % 10 === 0 ? tenths / 10 : (tenths / 10).toFixed(1)}%`;
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** "24 Oct": a day of UTC. */
export const dayOf = (date: string): string => day.format(Date.parse(date));

const DAY_MS = 24 * 60 * 60 * 1000;

/** How many whole days there are until one; at least one. */
export const daysUntil = (date: string, now: number): number =>
  Math.max(1, Math.ceil((Date.parse(date) - now) / DAY_MS));

/** A switch is undone by one click for so long. */
const UNDO_MS = 7 * DAY_MS;

/** Whether a plan's switch is undone by one click still. */
export function canUndo({ decided, decided_at }: PlanOfReport, now: number): boolean {
  return decided === "keydesk" && decided_at !== null && now - Date.parse(decided_at) < UNDO_MS;
}

/** "Ended: 12, Over the rate: 3": what was let in there and would have been refused here. */
export const differencesOf = (all: PlanOfReport["allowed_at_gateway_only"]): string =>
  listed(all.map(({ reason, calls }) => say`${reasonTitles[reason]}: ${grouped(calls)}`));

/** May the old gateway be switched off? `why`: what hinders it, or what is no proof. */
export interface Answer {
  readonly tone: "good" | "waiting" | "quiet";
  readonly title: string;
  readonly why: readonly string[];
}

/** The answer, by all that the report tells. */
export function answerOf(report: MigrationReport): Answer {
  const { since, reports, plans, more_plans, safe_plans, unknown, keys } = report;
  if (since === null) {
    return {
      tone: "quiet",
      title: "It is not known yet whether the old gateway can be switched off",
      why: [
        "No call at the gateway was seen in shadow mode so far: its plugin observe.js has to ask about each.",
      ],
    };
  }
  const differing =
    plans.filter(({ allowed_at_gateway_only }) => allowed_at_gateway_only.length > 0).length;
  const all = plans.length + more_plans;
  const hinders = [
    ...reports ? [] : [
      "The gateway never says that it let a call in: is the second hook of its plugin set?",
    ],
    ...keys.at_gateway_yesterday > 0
      ? [say`${counted(keys.at_gateway_yesterday, "key")} called it yesterday.`]
      : [],
    ...differing > 0
      ? [say`It allows calls of ${counted(differing, "plan")} that Keydesk would deny.`]
      : [],
    ...unknown.opened > 0
      ? [
        say`It allowed ${
          counted(unknown.opened, "call")
        } in 7 days with keys that Keydesk does not know.`,
      ]
      : [],
    ...safe_plans < all
      ? [
        say`${grouped(safe_plans)} of ${counted(all, "plan")} ${
          safe_plans === 1 ? "is" : "are"
        } safe, which takes 14 whole days without a call at the gateway, and no different answer.`,
      ]
      : [],
  ];
  if (all > 0 && hinders.length === 0) {
    return {
      tone: "good",
      title: "Yes, the old gateway can be switched off",
      why: keys.never_seen === 0 ? [] : [
        say`${counted(keys.never_seen, "key")} ${
          beOf(keys.never_seen)
        } never seen at either, which proves nothing.`,
      ],
    };
  }
  return {
    tone: "waiting",
    title: "Not yet: the old gateway can’t be switched off",
    why: all === 0 ? [...hinders, "No plan has keys."] : hinders,
  };
}

import type { SomeKeyLabels } from "../../features/keys/key-labels.ts";
import { type Attempt, newAttempt } from "../../features/keys/credential.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { type DemoDeveloperName, developerId } from "./demo-developers.ts";
import { DAY_MS } from "./demo-ids.ts";
import { type DemoPlanName, demoPlans, planId } from "./demo-plans.ts";

/** One key of the demo that nobody asked for: it was issued by hand. */
export interface DemoKey {
  developer: DemoDeveloperName;
  plan: DemoPlanName;
  developer_id: string;
  plan_id: string;
  labels: SomeKeyLabels;
  attempt: Attempt;
  /** Milliseconds: when it was issued. */
  issuedAt: number;
  /** When it ends; null: never. */
  expires_at: string | null;
  /** Calls of a usual day. */
  calls: number;
}

/** Days from now in which each ends; null: never. Without calls: one that nobody uses. */
// deno-fmt-ignore
const issuedByHand: readonly (readonly [DemoDeveloperName, DemoPlanName, ends: number | null, calls: number])[] = [
  ["amara", "fares", 141, 1_900],
  ["bjorn", "professional", 55, 61_000],
  ["hana", "free", -21, 320],
  ["chiara", "professional", 130, 52_000],
  ["elif", "free", 9, 540],
  ["dmitri", "professional", 62, 44_000],
  ["femke", "professional", 23, 8_600],
  ["gaurav", "fares", 290, 5_200],
  ["ines", "free", 25, 410],
  ["keira", "professional", 360, 7_300],
  ["jonas", "free", null, 0],
  ["femke", "free", 480, 0],
];

/** The first was issued so many days ago, the others one after the other. */
const FIRST_DAYS_AGO = 156;
const BETWEEN_MS = 2 * DAY_MS + 5 * 60 * 60 * 1000;

/** The keys that were issued by hand. */
export function keysOf(now: number): DemoKey[] {
  return issuedByHand.map(([developer, plan, ends, calls], index) => ({
    developer,
    plan,
    developer_id: developerId(developer, now),
    plan_id: planId(plan, now),
    labels: labelsOf(developer, plan),
    attempt: newAttempt({ name: "legacy" }),
    issuedAt: now - FIRST_DAYS_AGO * DAY_MS + index * BETWEEN_MS,
    expires_at: ends === null ? null : toTimestamp(now + ends * DAY_MS + 60 * 60 * 1000),
    calls,
  }));
}

/** What a developer's keys are called, and under what they are filed. */
const apps: { [D in DemoDeveloperName]?: readonly [name: string, ...tags: string[]] } = {
  amara: ["Counter screens", "shop", "display"],
  bjorn: ["Nordlys fair pass", "partner"],
  chiara: ["Lobby boards", "display"],
  dmitri: ["Hallway displays", "display", "partner"],
  elif: ["Cityhopper app", "mobile", "partner"],
  femke: ["Village signs", "display"],
  gaurav: ["Larkfield shop", "shop", "partner"],
  hana: ["Delay study", "research"],
  ines: ["Tram countdown", "press"],
  keira: ["Departures read aloud", "mobile"],
};

/** The labels of a key; none of a developer whose keys have no name. */
function labelsOf(developer: DemoDeveloperName, plan: DemoPlanName): SomeKeyLabels {
  const [name, ...tags] = apps[developer] ?? [];
  if (name === undefined) return {};
  const isTest = /free|sandbox/i.test(demoPlans[plan].name);
  return {
    name: isTest ? `${name}, trial` : name,
    environment: isTest ? "test" : "production",
    tags,
  };
}

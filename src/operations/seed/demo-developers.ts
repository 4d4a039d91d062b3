import type { Developer } from "../../features/developers/developer.ts";
import { developer } from "../../features/developers/developers.contract.ts";
import { toTimestamp } from "../../kernel/clock.ts";
import { DAY_MS, demoId } from "./demo-ids.ts";

interface DemoDeveloper {
  name: string;
  company: string;
  email: string;
  registeredDaysAgo: number;
  lastLoginDaysAgo: number;
  inactive?: boolean;
}

/** By short name. The addresses end in `.example`, which nobody can own. */
export const demoDevelopers = {
  amara: person("Amara Okafor", "Kettle & Quay", "amara@kettlequay.example", 210, 1),
  bjorn: person("Bjørn Halvorsen", "Nordlys Mobility", "bjorn.halvorsen@nordlys.example", 188, 0),
  chiara: person("Chiara Bellandi", "Tabellone", "chiara@tabellone.example", 171, 2),
  dmitri: person("Dmitri Antonov", "Hearth Displays", "d.antonov@hearth.example", 160, 3),
  elif: person("Elif Yıldız", "Cityhopper", "elif.yildiz@cityhopper.example", 142, 0),
  femke: person("Femke de Wit", "Halte Vrij Foundation", "femke@haltevrij.example", 120, 6),
  gaurav: person("Gaurav Menon", "Larkfield Travel", "gaurav.menon@larkfield.example", 96, 1),
  hana: person("Hana Kobayashi", "Two Rivers University", "h.kobayashi@tworivers.example", 88, 4),
  ines: person("Inês Carvalho", "Bairro Labs", "ines@bairrolabs.example", 71, 0),
  jonas: person("Jonas Lindqvist", "Spårvagn Studio", "jonas@sparvagn.example", 64, 9),
  keira: person("Keira Walsh", "Walsh Accessibility", "keira@walsh-access.example", 47, 2),
  leon: person(
    "Léon Marchetti",
    "Grand Hotel Riverside",
    "leon@grand-riverside.example",
    45,
    33,
    true,
  ),
} as const;

/** The short name of one of these developers. */
export type DemoDeveloperName = keyof typeof demoDevelopers;

/** The id of a developer. */
export function developerId(name: DemoDeveloperName, now: number): string {
  return demoId(`developer ${name}`, now - demoDevelopers[name].registeredDaysAgo * DAY_MS);
}

/** All developers as they are before any key was issued. */
export function developersOf(org_id: string, now: number): Developer[] {
  // as: Object.keys forgets that the keys are the names.
  return (Object.keys(demoDevelopers) as DemoDeveloperName[]).map((name) => {
    const { email, inactive, company, ...one } = demoDevelopers[name];
    const registered = toTimestamp(now - one.registeredDaysAgo * DAY_MS);
    return developer.input.parse({
      id: developerId(name, now),
      email,
      date_created: registered,
      inactive,
      org_id,
      fields: { name: one.name, company },
      password_updated: registered,
      last_login_date: toTimestamp(now - one.lastLoginDaysAgo * DAY_MS - 40 * 60 * 1000),
    });
  });
}

function person(
  name: string,
  company: string,
  email: string,
  registeredDaysAgo: number,
  lastLoginDaysAgo: number,
  inactive = false,
): DemoDeveloper {
  return { name, company, email, registeredDaysAgo, lastLoginDaysAgo, inactive };
}

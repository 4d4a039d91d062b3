import type { DemoDeveloperName } from "./demo-developers.ts";
import type { DemoPlanName } from "./demo-plans.ts";

/** One key request of the demo. */
export interface DemoRequestText {
  developer: DemoDeveloperName;
  plan: DemoPlanName;
  daysAgo: number;
  state: "pending" | "issued" | "declined";
  /** What the developer wrote. */
  use_case: string;
  expected_calls: string;
  /** Of an OAuth plan: the app, and where its users come back to. */
  app?: string;
  redirect_uri?: string;
}

/** Newest first, as an inbox shows them. A table: one request a line. */
// deno-fmt-ignore
export const demoRequests: readonly DemoRequestText[] = [
  ask("ines", "sandbox", 0, "pending", "Let commuters buy the ticket that our planner has just found", "2,000 a day", "Bairro planner", "https://planner.bairrolabs.example/callback"),
  ask("elif", "professional", 0, "pending", "Departures on the start screen of the Cityhopper app, 40,000 active users", "45,000 a day"),
  ask("amara", "free", 0, "pending", "A screen above the counter of our cafe at the quay, so that guests don't miss the ferry", "1 a minute"),
  ask("bjorn", "live", 1, "pending", "Day tickets for the visitors of three trade fairs this autumn", "15,000 a month", "Nordlys fair pass", "https://fairpass.nordlys.example/oauth/return"),
  ask("gaurav", "fares", 1, "pending", "Show the price of the transfer next to the price of the flight", "6,000 a day"),
  ask("keira", "professional", 1, "pending", "Read departures aloud for blind passengers; we need the disruption texts", "8,000 a day"),
  ask("chiara", "professional", 2, "pending", "Second key for our new office boards, so that the old ones can be retired one by one", "12,000 a day"),
  ask("hana", "free", 2, "pending", "Summer course on data journalism, 30 students, one shared key for six weeks", "500 a day"),
  ask("ines", "free", 2, "pending", "Prototype of a widget that counts down to the last tram", "300 a day"),
  ask("elif", "sandbox", 3, "pending", "Try the purchase in our iOS beta before we apply for the live plan", "800 a day", "Cityhopper beta", "cityhopper-beta://oauth"),
  ask("dmitri", "professional", 3, "pending", "Hallway displays in 220 apartment houses; each asks every 30 seconds in the morning", "190,000 a day"),
  ask("gaurav", "live", 4, "pending", "Season tickets for the staff of our corporate customers", "4,000 a month", "Larkfield Business", "https://business.larkfield.example/connect/riverline"),
  ask("femke", "free", 4, "declined", "Same as my request of last week, sent twice by mistake", "100 a day"),
  ask("keira", "sandbox", 5, "pending", "Purchase with a screen reader: we test whether each step can be done without looking", "50 a day", "Walsh a11y audit", "https://audit.walsh-access.example/return"),
  ask("jonas", "fares", 5, "pending", "Compare the fares of our board game with the real ones", "20 a day"),
  ask("bjorn", "professional", 6, "issued", "Departures in the back office of our bike rental, to move bikes where trains are late", "20,000 a day"),
  ask("amara", "sandbox", 6, "pending", "Sell a ferry ticket together with breakfast", "40 a day", "Kettle & Quay shop", "https://shop.kettlequay.example/riverline"),
  ask("hana", "professional", 7, "pending", "Two years of delays for a doctoral thesis on how passengers choose their route", "30,000 a day"),
  ask("elif", "fares", 7, "issued", "Prices for the trip planner; the partner agreement was signed on the 3rd", "25,000 a day"),
  ask("ines", "professional", 8, "pending", "Move from the free plan: the widget is in two newspapers now", "60,000 a day"),
  ask("chiara", "free", 9, "issued", "Kitchen display at the office, built on a Friday afternoon", "1 a minute"),
  ask("leon", "sandbox", 10, "declined", "Tickets for hotel guests at the reception", "30 a day", "Riverside concierge", "http://10.0.0.12/return"),
  ask("gaurav", "professional", 10, "issued", "Warn travellers when the airport train is late, two hours before take-off", "18,000 a day"),
  ask("dmitri", "free", 11, "issued", "Test device on the desk of our support team", "1 a minute"),
  ask("femke", "professional", 12, "pending", "Free countdown signs for villages whose stop has no display", "9,000 a day"),
  ask("bjorn", "sandbox", 12, "issued", "Sandbox for the fair pass; the live request follows after the review", "1,000 a day", "Nordlys fair pass", "https://fairpass.nordlys.example/oauth/return"),
  ask("keira", "free", 13, "issued", "Spike for reading departures aloud", "200 a day"),
  ask("elif", "live", 14, "issued", "Tickets inside Cityhopper for Android; reviewed in the sandbox on the 12th", "90,000 a month", "Cityhopper for Android", "https://cityhopper.example/auth/riverline"),
  ask("jonas", "professional", 15, "declined", "Background sound of our studio follows the trams", "Unlimited, please"),
  ask("amara", "professional", 16, "pending", "Screens in all five of our cafes, one key each would be best", "7,500 a day"),
  ask("hana", "fares", 16, "declined", "Fares for a seminar on tariff zones", "10 a day"),
  ask("gaurav", "sandbox", 17, "issued", "Connect season tickets to the booking of a business trip", "600 a day", "Larkfield Business", "https://business.larkfield.example/connect/riverline"),
  ask("ines", "free", 18, "issued", "Hack weekend: which stop is reached soonest from where I stand", "2,000 for two days"),
  ask("chiara", "professional", 19, "issued", "Boards in the lobbies of 60 office buildings", "80,000 a day"),
  ask("dmitri", "fares", 20, "pending", "Show the price of a ride to the centre below the departures", "4,000 a day"),
  ask("femke", "free", 21, "issued", "One solar-powered sign as a trial in the village of Oudebrug", "1 a minute"),
  ask("bjorn", "fares", 22, "issued", "Bundle of bike and train: we need the price of the train's part", "11,000 a day"),
  ask("elif", "sandbox", 23, "issued", "Sandbox for Cityhopper for Android", "3,000 a day", "Cityhopper for Android", "https://cityhopper.example/auth/riverline"),
  ask("leon", "free", 24, "issued", "Departures on the screen beside the lift", "1 a minute"),
  ask("keira", "fares", 25, "pending", "Read the price aloud before the ticket is bought", "500 a day"),
  ask("jonas", "free", 26, "issued", "Model tramway that drives when the real one does", "4 a minute"),
  ask("hana", "free", 27, "issued", "Lecture on queues: live numbers on the wall", "300 a day"),
  ask("gaurav", "free", 28, "issued", "Feasibility study before we take the professional plan", "1,000 a day"),
  ask("amara", "fares", 29, "declined", "Print the price of the way home on the receipt", "400 a day"),
  ask("dmitri", "professional", 30, "issued", "Pilot with twelve hallway displays", "10,000 a day"),
  ask("chiara", "sandbox", 31, "issued", "Ticket machine for conference centres, first version", "200 a day", "Tabellone kiosk", "https://kiosk.tabellone.example/oauth"),
  ask("elif", "professional", 32, "issued", "Departures in the Cityhopper app for the coastal region", "30,000 a day"),
  ask("bjorn", "free", 33, "issued", "First look at the data before our board decides", "200 a day"),
  ask("ines", "fares", 34, "declined", "Fare calculator for a blog post; no partner agreement yet", "100 a day"),
  ask("leon", "professional", 35, "issued", "Departures on the television of each of our 140 rooms", "16,000 a day"),
];

function ask(
  developer: DemoDeveloperName,
  plan: DemoPlanName,
  daysAgo: number,
  state: DemoRequestText["state"],
  use_case: string,
  expected_calls: string,
  app?: string,
  redirect_uri?: string,
): DemoRequestText {
  return { developer, plan, daysAgo, state, use_case, expected_calls, app, redirect_uri };
}

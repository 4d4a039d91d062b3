/** What can't be asked about use. */
import { movableClock } from "../../../support/keys.ts";
import { invalid, testRefusals } from "../../../support/refusals.ts";

const clock = movableClock("2026-03-01T22:10:00Z");

const ONE =
  "key: expected one of key, plan, developer, api and gateway; beside key also plan and " +
  "api, beside gateway also api";

const queries: [query: string, error: string][] = [
  ["plan=a&api=b", ONE],
  ["key=a&developer=b", ONE],
  ["key=a&gateway=b", ONE],
  ["gateway=a&plan=b", ONE],
  ["from=2026-02-30", "from: expected a day such as 2026-01-31"],
  ["to=1.3.2026", "to: expected a day such as 2026-01-31"],
  ["by=week", "by: expected day or hour"],
  ["from=2026-03-02", "the last day is before the first"],
  ["from=2025-01-01", "425 days are too many: counts by day are kept for 400 days"],
  ["by=hour&from=2026-01-25", "36 days are too many: counts by hour are kept for 35 days"],
  ["to=0000-01-05", "the first day is before the year 1"],
  ["to=0001-01-05", "the first day is before the year 1"],
  ["key=", "key: must not be empty"],
  ["to=2026-03-01&to=2026-02-30", 'the parameter "to" must not come more than once'],
  ["other=1", 'unknown parameter "other"'],
];

const days = "expected days such as 31/1/2026";
const many = Array.from({ length: 1001 }, (_, i) => `k${i}`).join(",");
const byDay = "425 days are too many: counts by day are kept for 400 days";
const paths: [path: string, error: string][] = [
  ["k/31/2/2026/1/3/2026", days],
  ["k/1/2/26/1/3/2026", days],
  ["k/x/2/2026/1/3/2026", days],
  ["k/%00/2/2026/1/3/2026", days],
  ["k/2/3/2026/1/3/2026", "the last day is before the first"],
  ["k/1/1/2025/1/3/2026", byDay],
  ["k/1/1/2025/1/3/2026?res=month", byDay],
  [
    "k/1/2/2026/8/3/2026?res=hour",
    "36 days are too many: counts by hour are kept for 35 days",
  ],
  [`aggregate/${many}/1/3/2026/1/3/2026`, "expected 1000 keys at most"],
  ["k/1/3/2026/1/3/2026?res=week", "res: expected day, hour or month"],
  [
    "k/1/3/2026/1/3/2026?p=x",
    "p: expected an integer: a page from 1, or 0 and below for everything",
  ],
];

testRefusals("usage", () => {
  const rows = [
    ...queries.map(([query, error]) => invalid(query, ["GET", `/v1/usage?${query}`], error)),
    ...paths.map(([path, error]) =>
      invalid(path.slice(0, 40), ["GET", `/api/activity/keys/${path}`], error)
    ),
  ];
  return Promise.resolve({ rows });
}, { clock });

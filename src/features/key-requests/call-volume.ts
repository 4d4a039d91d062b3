/** How much somebody means to call, as they said it. */
interface Volume {
  readonly said: string;
  readonly calls: number;
  readonly seconds: number;
}

/**
 * What a plan gives: `rate` calls in `per` seconds, `quota` calls in `renewal` seconds; no limit
 * where it is 0 or -1.
 */
export interface Limits {
  readonly rate: number;
  readonly per: number;
  readonly quota: number;
  readonly renewal: number;
}

/** Longer answers tell a story. */
const LONGEST = 60;
const DAY = 86_400;

const SPANS: readonly (readonly [RegExp, number])[] = [
  [/^s/i, 1],
  [/^mi/i, 60],
  [/^h/i, 3600],
  [/^da/i, DAY],
  [/^w/i, 7 * DAY],
  [/^mo/i, 30 * DAY],
  [/^y/i, 365 * DAY],
];
const CALLS = "(?:(?:API )?(?:calls?|requests?|hits?)\\s*)?";
const AMOUNT = "(\\d[\\d.,']*)\\s*(k|m|thousand|million)?\\s*" + CALLS;
const EVERY = "(?:a|an|per|in|each|every|/)\\s*(\\d+)?\\s*";
const UNIT = "(seconds?|secs?|s|minutes?|mins?|hours?|h|days?|weeks?|months?|years?)\\b";
const WHOLE = new RegExp(`^\\D{0,20}${AMOUNT}${EVERY}${UNIT}`, "i");
const BARE = new RegExp(`^${AMOUNT}$`, "i");
const ASKED = new RegExp(`\\b${EVERY}${UNIT}`, "i");
const OF_CALLS = /\b(calls?|requests?|hits|traffic|volume|load|rate|quota)\b/i;

/**
 * What the answers of a request say of it, where one says so in numbers: "45,000 a day"; else
 * undefined.
 */
export function volumeOf(fields: Readonly<Record<string, string>>): Volume | undefined {
  for (const [name, value] of Object.entries(fields)) {
    const question = name.replaceAll(/[_-]+/g, " ").replaceAll(/([a-z])([A-Z])/g, "$1 $2");
    const answer = value.replaceAll(/(\d)[\s\u00a0\u202f](?=\d{3}\b)/g, "$1").trim();
    if (answer.length > LONGEST || !OF_CALLS.test(`${question} ${answer}`)) continue;
    const whole = WHOLE.exec(answer);
    const bare = whole ?? BARE.exec(answer);
    const span = whole ? whole.slice(3) : ASKED.exec(question)?.slice(1);
    if (!bare || !span) continue;
    const [, amount = "", factor = ""] = bare;
    const [count = "1", unit = ""] = span;
    const seconds = Number(count) * (SPANS.find(([word]) => word.test(unit))?.[1] ?? 0);
    const calls = numberOf(amount) * factorOf(factor);
    if (seconds > 0 && calls > 0) return { said: value.trim(), calls, seconds };
  }
  return undefined;
}

/**
 * Whether that is more than a plan gives. What is said of a day or more is held against the quota,
 * less against the rate.
 */
export function isMore({ calls, seconds }: Volume, plan: Limits): boolean {
  const { rate, per, quota, renewal } = plan;
  if (seconds >= DAY && quota > 0) {
    return renewal > 0 ? calls * renewal > quota * seconds : calls > quota;
  }
  return rate > 0 && calls * per > rate * seconds;
}

/** "1.500" and "1,500" are the same number; "1.5" is not. */
function numberOf(text: string): number {
  const plain = text.replaceAll("'", "").replace(/[.,]+$/, "");
  return Number(
    /^\d{1,3}([.,]\d{3})+$/.test(plain) ? plain.replaceAll(/[.,]/g, "") : plain.replace(",", "."),
  );
}

function factorOf(word: string): number {
  return word === "" ? 1 : /^(k|t)/i.test(word) ? 1000 : 1_000_000;
}

import type { Random } from "../../../support/random.ts";

/** Texts on which parsers, databases and templates have stumbled. */
const oddTexts = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00x",
  "x\ud83d",
  "\ufeff",
  "\uffff",
  "\u2028",
  "\u202e",
  "e\u0301",
  "\u00e9",
  "İ",
  "ß",
  "😀",
  "𝒳",
  "\u{10ffff}",
  "\r\nX-A: b",
  "\t",
  "\u007f",
  "\u0085",
  "'",
  "''; drop table key_requests; --",
  '"',
  "\\",
  "%00",
  "%s",
  "${1}",
  "{{1}}",
  "<b>",
  "../../..",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "toJSON",
  "null",
  "true",
  "0",
  "-1",
  "1e999",
  "NaN",
  "[object Object]",
  "approve",
  "~",
  "}",
  "],",
  "\n",
  "a\tb",
];

const oddDates = [
  "2026-02-30T00:00:00Z",
  "2024-02-29T23:59:59.999999999Z",
  "2026-01-01T00:00:00+23:59",
  "0000-01-01T00:00:00Z",
  "0000-01-01T00:00:00+01:00",
  "9999-12-31T23:59:59-00:01",
  "2026-01-01T00:00:60Z",
  "2026-01-01t00:00:00z",
  "2026-01-01",
  "2026-01-01T00:00:00.Z",
  "2026-06-30T12:00:00.120+02:00",
  "2026-06-30T12:00:00-11:30",
  "-2026-01-01T00:00:00Z",
  "now",
];

const oddNumbers = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e-7, 1e308, 5e-324];

/** Numbers that JSON can write and JavaScript can't hold; they go in as text, through a marker. */
const rawNumbers = ["1e999", "-1e999", "12345678901234567890123", "0.1e-400", "-0", "1E+2"];
const MARK = "@raw:";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A place in a JSON value: its holder, and the name or position in there. */
type Place = { holder: Json[]; at: number } | { holder: { [name: string]: Json }; at: string };

/** The body's JSON text, in bytes, after some random damage. */
export function mutatedBytes(random: Random, sample: unknown): Uint8Array<ArrayBuffer> {
  // as: a sample is made of JSON alone.
  const body = structuredClone(sample) as Json;
  for (let left = random.below(4); left > 0; left--) mutateValue(random, body);
  const text = JSON.stringify(body).replaceAll(/"@raw:([^"]*)"/g, "$1");
  const bytes = new TextEncoder().encode(random.chance(0.12) ? damageText(random, text) : text);
  if (random.chance(0.05)) flipBit(random, bytes);
  return bytes;
}

function mutateValue(random: Random, body: Json): void {
  const places = placesIn(body);
  if (places.length === 0) return;
  const place = random.pick(places);
  switch (random.below(9)) {
    case 0:
      return remove(place);
    case 1:
      return put(place, null);
    case 2:
      return put(place, nested(random));
    case 3:
      return put(place, "x".repeat(random.pick([255, 256, 320, 321, 1024, 1025, 5000])));
    case 4:
      return addOdd(random, place);
    case 5:
      return duplicate(random, place);
    case 6:
      return put(place, random.pick(oddDates));
    default:
      return put(place, oddValue(random));
  }
}

function oddValue(random: Random): Json {
  const odd: Json[] = [true, false, [], {}, [""], [null], [[]], { a: "b" }, { "": "" }];
  switch (random.below(5)) {
    case 0:
      return random.pick(odd);
    case 1:
      return random.pick(oddNumbers);
    case 2:
      return MARK + random.pick(rawNumbers);
    default:
      return random.pick(oddTexts);
  }
}

function nested(random: Random): Json {
  let value: Json = oddValue(random);
  for (let depth = random.pick([1, 5, 25, 31, 32, 33, 60]); depth > 0; depth--) {
    value = random.chance(0.5) ? [value] : { a: value };
  }
  return value;
}

/** A further member or item, of a name or value that nobody expects. */
function addOdd(random: Random, { holder }: Place): void {
  if (Array.isArray(holder)) holder.push(oddValue(random));
  else define(holder, random.pick(oddTexts), oddValue(random));
}

/** The same once more: an item behind the others, a member's value under another member's name. */
function duplicate(random: Random, place: Place): void {
  if (Array.isArray(place.holder)) {
    const item = place.holder[Number(place.at)] ?? null;
    const times = random.pick([1, 2, 40]);
    for (let i = 0; i < times; i++) place.holder.push(structuredClone(item));
    return;
  }
  const names = Object.keys(place.holder);
  const value = place.holder[random.pick(names)] ?? null;
  define(place.holder, random.pick(names), structuredClone(value));
}

function damageText(random: Random, text: string): string {
  const at = random.below(text.length);
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(at);
    case 2:
      return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at + 1);
    case 3:
      return text.slice(0, at) + random.pick([...',:{}[]"\\0', "\\u0000", "\\ud800"]) +
        text.slice(at);
    default: {
      const end = at + random.below(40);
      return text.slice(0, end) + text.slice(at, end) + text.slice(end);
    }
  }
}

function flipBit(random: Random, bytes: Uint8Array): void {
  const at = random.below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
}

function put(place: Place, value: Json): void {
  if (Array.isArray(place.holder)) place.holder[Number(place.at)] = value;
  else define(place.holder, String(place.at), value);
}

function remove(place: Place): void {
  if (Array.isArray(place.holder)) place.holder.splice(Number(place.at), 1);
  else delete place.holder[place.at];
}

/** Makes a member of any name, `__proto__` too. */
function define(holder: { [name: string]: Json }, name: string, value: Json): void {
  Object.defineProperty(holder, name, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

function placesIn(value: Json, found: Place[] = []): Place[] {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      found.push({ holder: value, at });
      placesIn(item, found);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [at, member] of Object.entries(value)) {
      found.push({ holder: value, at });
      placesIn(member, found);
    }
  }
  return found;
}

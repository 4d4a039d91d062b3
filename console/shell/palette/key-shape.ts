/** The shape of a text: a whole key or another secret, a part of a key, or just words. */
export type Shape = "key" | "half" | "words";

/** The signs between a key and the words that were copied along with it. */
const AROUND = /[\s"'`,;:()<>[\]{}]+|=(?=\w)/;

const OURS = /^kd_[a-z0-9]{1,12}_/;
const WHOLE = /^(kd_[a-z0-9]{1,12}_)([0-9A-Za-z]{43})_[0-9A-Za-z]{6}$/;
/** Ids of things (24, or less while they are typed), of certificates (88). */
const ID = /^([0-9a-f]{1,24}|[0-9a-f]{88})$/i;

/**
 * The key in a text, such as `Authorization: Bearer …` or a line of a log, else a part of one;
 * undefined: none.
 */
export function keyIn(text: string): string | undefined {
  const parts = text.split(AROUND);
  return (["key", "half"] as const).map((shape) => parts.find((one) => shapeOf(one) === shape))
    .find((one) => one !== undefined);
}

/**
 * The shape of one word. Whatever may be a key counts as one: what is taken for a key and
 * is none does no harm, as only a hash of it is looked for.
 */
export function shapeOf(text: string): Shape {
  if (OURS.test(text)) return WHOLE.test(text) ? "key" : "half";
  if (/^eyJ[\w+/=.-]{6,}$/.test(text)) {
    return text.includes(".") || innerOf(text) !== undefined ? "key" : "half";
  }
  if (text.length < 20 || ID.test(text) || !/^[\w+/=-]+$/.test(text)) return "words";
  return isRandom(text) ? "key" : "words";
}

/** True for what may be the id of something too, such as a UUID or a hash. */
export function mayBeId(text: string): boolean {
  return shapeOf(text) === "words" || !/^(kd_|eyJ)/.test(text);
}

/** The mask of a key: its ends as in lists, of a short one nothing. */
export function maskOf(text: string): string {
  const [, form = "", random = innerOf(text) || text] = WHOLE.exec(text) ?? [];
  const dots = "•".repeat(24);
  return random.length < 24 ? dots : `${form}${random.slice(0, 4)}${dots}${random.slice(-4)}`;
}

/** The id inside a legacy key, an object in base64; undefined: it is none. */
function innerOf(text: string): string | undefined {
  try {
    const { id } = JSON.parse(atob(text));
    return typeof id === "string" ? id : "";
  } catch {
    return undefined;
  }
}

/** Words and years with dashes between them are a name; letters and digits mixed are not. */
function isRandom(text: string): boolean {
  const parts = text.split(/[^0-9A-Za-z]+/);
  const mixed = parts.filter((part) => /\d/.test(part) && /[a-z]/i.test(part)).join("");
  return mixed.length >= 16 || parts.some((part) => part.length >= 32);
}

/**
 * An organisation's colour as pages can show it: WCAG 2.2 asks for 4.5:1 between a text and what is
 * behind it (1.4.3), and for 3:1 of bars and lines (1.4.11). The server draws by it, and the
 * console shows it before it is saved.
 */

/** The least contrast of texts, and of what is no text. */
const LEAST = { text: 4.5, mark: 3 } as const;

/** The backgrounds of texts and bars: pages, cards, and areas sunk into a card. */
export const papers = {
  light: { page: "#fcfcfd", card: "#ffffff", sunken: "#f3f4f6" },
  dark: { page: "#0d0e12", card: "#15171c", sunken: "#1d2027" },
} as const;

/** A colour where it stands, each `#rrggbb`. */
export interface Accent {
  /** Buttons, bars and links on light papers. */
  readonly light: string;
  /** Buttons and bars on dark ones. */
  readonly dark: string;
  /** Links on dark ones. */
  readonly darkLink: string;
}

/** A colour `#rrggbb`, darkened until white on it can be read; "" stays. */
export function readable(colour: string): string {
  return colour === "" ? "" : until(colour, darker, (one) => contrastOf(one, "#ffffff"));
}

/**
 * The accent of a colour `#rrggbb`: darkened until white on it and itself on light papers can be
 * read, then lightened again until bars are visible on dark papers, and further for links there. A
 * colour and its `readable` form have the same accent.
 */
export function accentOf(colour: string): Accent {
  const { card, sunken } = papers.dark;
  const light = until(readable(colour), darker, (one) => contrastOf(one, papers.light.page));
  const dark = until(light, lighter, (one) => contrastOf(one, sunken), LEAST.mark);
  return { light, dark, darkLink: until(dark, lighter, (one) => contrastOf(one, card)) };
}

/** One thing that an accent is looked at for. */
interface AccentCheck {
  readonly of: "button, light" | "button, dark" | "links, light" | "links, dark" | "bars, dark";
  readonly colour: string;
  readonly on: string;
  readonly least: number;
}

/** Whatever an accent must hold. */
export function checksOf({ light, dark, darkLink }: Accent): readonly AccentCheck[] {
  const { text, mark } = LEAST;
  return [
    { of: "button, light", colour: light, on: "#ffffff", least: text },
    { of: "button, dark", colour: dark, on: "#ffffff", least: text },
    { of: "links, light", colour: light, on: papers.light.page, least: text },
    { of: "links, dark", colour: darkLink, on: papers.dark.card, least: text },
    { of: "bars, dark", colour: dark, on: papers.dark.sunken, least: mark },
  ];
}

/** How two colours `#rrggbb` stand against each other, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(partsOf(one)), luminance(partsOf(other))]
    .sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function until(
  colour: string,
  step: (part: number) => number,
  contrast: (colour: string) => number,
  least: number = LEAST.text,
): string {
  let now = colour;
  while (contrast(now) < least) now = written(partsOf(now).map(step));
  return now;
}

const darker = (part: number) => Math.floor(part * 0.95);
const lighter = (part: number) => Math.ceil(part + (255 - part) * 0.02);

function partsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

function written(parts: readonly number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** How bright a colour is: WCAG's relative luminance. */
function luminance(rgb: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

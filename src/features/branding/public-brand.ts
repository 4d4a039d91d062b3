import type { Connection } from "../../storage/storage.ts";
import { findOrganisation, organisationsBelow } from "../access/organisations.store.ts";
import { findBranding } from "./branding.store.ts";
import { type Branding, readBranding } from "./branding.ts";

/**
 * The brand of an organisation as people outside see it: its own name where none is set, and a
 * colour for buttons.
 */
export async function publicBrand(db: Connection, org_id: string): Promise<Branding> {
  const brand = readBranding(await findBranding(db, { org_id }));
  const name = brand.name || ((await findOrganisation(db, { org_id }))?.name ?? "");
  return { ...brand, name, colour: readable(brand.colour) };
}

/**
 * The brand of the page where one signs in: that of the only organisation, where it has set one.
 * With more of them nobody can know whose page it is, so all members are empty.
 */
export async function signInBrand(db: Connection): Promise<Branding> {
  const [only, another] = await organisationsBelow(db, { below: AFTER_ALL_IDS }, 2);
  if (!only || another) return readBranding(undefined);
  const document = await findBranding(db, { org_id: only.id });
  return document === undefined ? readBranding(undefined) : await publicBrand(db, only.id);
}

/** Ids are hexadecimal digits. */
const AFTER_ALL_IDS = "g";

/** WCAG 2.2, 1.4.3: the least contrast of a text with what is behind it. */
const CONTRAST = 4.5;

/** A colour `#rrggbb`, darkened until white on it can be read; "" stays. */
export function readable(colour: string): string {
  if (colour === "") return "";
  let rgb = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  while (1.05 / (luminance(rgb) + 0.05) < CONTRAST) {
    rgb = rgb.map((part) => Math.floor(part * 0.95));
  }
  return `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** How bright a colour is: WCAG's relative luminance. */
function luminance(rgb: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

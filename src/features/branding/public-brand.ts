import { readable } from "../../contract/accent.ts";
import type { Connection } from "../../storage/storage.ts";
import { findOrganisation, organisationsBelow } from "../people/organisations.store.ts";
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
 * With more of them no one can know whose page it is, so all members are empty.
 */
export async function signInBrand(db: Connection): Promise<Branding> {
  const [only, another] = await organisationsBelow(db, { below: AFTER_ALL_IDS }, 2);
  if (!only || another) return readBranding(undefined);
  const document = await findBranding(db, { org_id: only.id });
  return document === undefined ? readBranding(undefined) : await publicBrand(db, only.id);
}

/** Ids are hexadecimal digits. */
const AFTER_ALL_IDS = "g";

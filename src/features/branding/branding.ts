import type { z } from "zod";
import type { branding } from "./branding.contract.ts";

/** The branding of an organisation. */
export type Branding = z.output<typeof branding>;

/** The brand of an organisation that set none; a test compares the contract's defaults. */
const noBranding: Branding = {
  name: "",
  logo: "",
  colour: "",
  support: "",
  documentation: "",
  base_url: "",
  key_header: "Authorization",
};

/** A brand of the store's text; what an older row lacks has its default. */
export function readBranding(document: string | undefined): Branding {
  // as: replaceBranding writes it.
  return { ...noBranding, ...JSON.parse(document ?? "{}") as Partial<Branding> };
}

import { z } from "zod";
import { nameText } from "../../contract/labels.ts";

/** Bytes of a logo as it is sent: base64 in a `data:` URL. */
const LOGO_BYTES = 64 * 1024;

const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

const COLOUR = /^#[0-9a-f]{6}$/;

const LOGO = /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

const emptyOr = (fits: (text: string) => boolean) => (text: string) => text === "" || fits(text);

/** A link that one may give to strangers, or nothing. */
export const publicLink = (most = 1000) =>
  z.string().trim().max(most).refine(emptyOr(isHttps), {
    error: "expected an https:// URL without a user name, or nothing",
  });
const link = (most?: number) => publicLink(most).default("");

function isHttps(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === "https:" && username === "" && password === "";
}

/** The branding of an organisation. Empty members are not shown. */
export const branding = z.object({
  name: nameText().default("").meta({ description: "Empty: the organisation's own name." }),
  logo: z.string().max(LOGO_BYTES).default("").refine(emptyOr((text) => LOGO.test(text)), {
    error: "expected a data: URL of a PNG, JPEG or WebP picture in base64, or nothing",
  }).meta({ description: "A square picture as a `data:` URL, at most 64 KiB." }),
  colour: z.string().default("").refine(emptyOr((text) => COLOUR.test(text)), {
    error: "expected a colour such as #0f6b5c, or nothing",
  }).meta({ description: "Of buttons. Darkened where white on it could not be read." }),
  support: z.string().trim().max(254).default("").refine(
    emptyOr((text) => z.email().safeParse(text).success),
    { error: "expected an e-mail address, or nothing" },
  ).meta({ description: "Whom people write to when something is wrong." }),
  documentation: link().meta({ description: "The address of the documentation of your APIs." }),
  base_url: link().meta({ description: "The address of your gateway; example calls use it." }),
  key_header: z.string().regex(HEADER, { error: "expected the name of a header" })
    .default("Authorization").meta({ description: "The header that your gateway takes keys in." }),
}).meta({ id: "Branding" });

/** The branding on the sign-in page. */
export const signInBranding = z.strictObject({
  name: z.string(),
  logo: z.string(),
  colour: z.string(),
  support: z.string(),
}).meta({ id: "SignInBranding" });

/** The data of the sign-in page. */
export const signInPage = z.strictObject({
  ...signInBranding.shape,
  command: z.string().describe(
    "The words that start Keydesk on its server, such as `npx keydesk`.",
  ),
}).meta({ id: "SignInPage" });

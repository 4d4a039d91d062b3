import { changeBy } from "../../calls/change-by.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { operation } from "../../http/operation.ts";
import { commandName } from "../../kernel/command-name.ts";
import { branding, signInPage } from "./branding.contract.ts";
import { findBranding } from "./branding.store.ts";
import { replaceBranding } from "./branding.transactions.ts";
import { readBranding } from "./branding.ts";
import { signInBrand } from "./public-brand.ts";

const tag = "Branding";

/** The brand for a person who is not signed in. */
export const getSignInBranding = operation({
  id: "getSignInBranding",
  method: "GET",
  path: "/v1/branding/sign-in",
  tag,
  summary: "Read the brand of the page where one signs in",
  description:
    "Empty members, but for `command`, if the server has several organisations, or its one has set no branding.",
  permission: "public",
  response: signInPage,
  errors: [],
  async serve({ storage: { reader } }) {
    const { name, logo, colour, support } = await signInBrand(reader);
    return { name, logo, colour, support, command: commandName() };
  },
});

/** The brand. */
export const getBranding = operation({
  id: "getBranding",
  method: "GET",
  path: "/v1/branding",
  tag,
  summary: "Read what the organisation shows of itself to people outside",
  description:
    "The page of a one-time link, mails and the sign-in of a server with one organisation show it. Empty members are not shown.",
  permission: ["admin:read"],
  response: branding,
  errors: [],
  serve: async (ctx) =>
    readBranding(await findBranding(ctx.storage.reader, { org_id: ctx.principal.org_id })),
});

/** Another brand. */
export const putBranding = operation({
  id: "putBranding",
  method: "PUT",
  path: "/v1/branding",
  tag,
  summary: "Replace what the organisation shows of itself; what is left out is not shown",
  description: "Open pages show it after they are loaded again.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: branding,
  response: branding,
  errors: [...bodyErrors, "managed_by_file"],
  example: {
    name: "Coastal Data",
    colour: "#0f6b5c",
    support: "developers@example.org",
    base_url: "https://api.example.org",
  },
  async serve(ctx, { body: branding }) {
    return await changeBy(ctx, replaceBranding, { branding });
  },
});

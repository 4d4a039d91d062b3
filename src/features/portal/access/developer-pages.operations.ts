import { bodyErrors } from "../../../contract/endpoint.ts";
import { operation } from "../../../http/operation.ts";
import {
  developerPages,
  developerPagesSettings,
  developerPagesView,
} from "./developer-pages.contract.ts";
import * as service from "./developer-pages.service.ts";

const tag = "Developer's pages";

/** The settings. */
export const getDeveloperPages = operation({
  id: "getDeveloperPages",
  method: "GET",
  path: "/v1/developer-pages",
  tag,
  summary: "Read what the developer's pages of the organisation are set to",
  description: "By default they are off.",
  permission: ["admin:read"],
  response: developerPagesSettings,
  errors: [],
  serve: (ctx) => service.get(ctx),
});

/** Other settings. */
export const putDeveloperPages = operation({
  id: "putDeveloperPages",
  method: "PUT",
  path: "/v1/developer-pages",
  tag,
  summary: "Replace what the developer's pages are set to; what is left out has its default",
  description:
    "Takes effect at once on every node. Switched off, developers' sessions and tokens are invalid; switched on again, those that have not expired are valid. A host that another organisation has is 409.",
  permission: ["admin"],
  needsFreshSignIn: true,
  body: developerPages,
  response: developerPagesSettings,
  errors: [...bodyErrors, "host_taken", "managed_by_file"],
  example: { enabled: true, sign_up: "open" },
  serve: (ctx, { body }) => service.replace(ctx, body),
});

/** Reads the sign-in page's content. */
export const getMyPages = operation({
  id: "getMyPages",
  method: "GET",
  path: "/v1/my/pages",
  tag,
  summary: "Read the organisation of these pages and the ways to sign in, without being signed in",
  description:
    "Found by the host that the call names. If the pages are off it is 404. The answer never reveals whether an address is known.",
  permission: "public",
  response: developerPagesView,
  errors: ["not_found"],
  serve: (ctx, { headers }) => service.serialize(ctx, headers),
});

import { bind } from "../http/mount.ts";
import { StaticFiles } from "../http/static-files.ts";
import { HeadedAnswer, WrittenText } from "../lib/headed-answer.ts";
import * as contract from "./reference.contract.ts";
import { page, pageFiles } from "./reference-page.ts";

const files = new StaticFiles(pageFiles);

/**
 * Everything from this server, no script and no style inline. Pictures stand in the style sheet. Scripts that would
 * write HTML must hand it to DOMPurify first.
 */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The reference as a page. */
export const referenceRoutes = [
  bind(contract.referencePage, async (_ctx, { path }) => {
    const html = page(await files.served(), path.endsWith("/"));
    return new HeadedAnswer(new WrittenText(html), {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
    });
  }),
  bind(
    contract.referenceFile,
    (_ctx, { params, headers }) => files.answer(params.file, headers.get("accept-encoding")),
  ),
];

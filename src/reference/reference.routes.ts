import { bind } from "../http/routes.ts";
import { StaticFiles } from "../http/static-files.ts";
import { Answer } from "../kernel/answer.ts";
import { ServedDocuments } from "./documents.ts";
import { page, pageFiles } from "./reference-page.ts";
import * as contract from "./reference.contract.ts";

const files = new StaticFiles(pageFiles);
const documents = new ServedDocuments();

/**
 * Everything from this server, no script and no style inline, no HTML out of texts. Pictures stand
 * in the style sheet.
 */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

/** The reference as a page, and the documents that it is made from. */
export const referenceRoutes = [
  bind(contract.referencePage, async (_ctx, { path }) => {
    const html = page(await files.served(), path.endsWith("/"));
    return new Answer(html, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
    });
  }),
  bind(
    contract.referenceFile,
    (_ctx, { params, headers }) => files.answer(params.file, headers.get("accept-encoding")),
  ),
  bind(contract.openapi, (_ctx, { headers }) => documents.answer("openapi.json", headers)),
  bind(contract.openapi31, (_ctx, { headers }) => documents.answer("openapi-3.1.json", headers)),
];

import { bind } from "../http/routes.ts";
import { StaticFiles } from "../http/static-files.ts";
import { Answer, FixedAnswer } from "../kernel/answer.ts";
import { version } from "../kernel/version.ts";
import type { Edition } from "./openapi.ts";
import { page, pageFiles } from "./reference-page.ts";
import * as contract from "./reference.contract.ts";

const files = new StaticFiles(pageFiles);

/** Everything from this server, no script and no style inline, no HTML out of texts. Pictures stand in the style sheet. */
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
  bind(contract.openapi, () => documentOf("3.2")),
  bind(contract.openapi31, () => documentOf("3.1")),
];

const documents = new Map<Edition, FixedAnswer>();

/** Written when it is first asked for, and its tools are loaded then: the page must not need every contract. */
async function documentOf(edition: Edition): Promise<FixedAnswer> {
  const known = documents.get(edition);
  if (known) return known;
  const { toOpenApi } = await import("./openapi.ts");
  const { endpoints } = await import("./registry.ts");
  const document = new FixedAnswer(JSON.stringify(toOpenApi(endpoints, version, edition)));
  documents.set(edition, document);
  return document;
}

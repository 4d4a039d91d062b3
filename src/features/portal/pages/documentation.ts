import type { TextKey } from "./texts.ts";
import type { z } from "zod";
import type { myApiDocumentation } from "../my/apis.contract.ts";
import { renderedMarkdown } from "../my/documents/reading.ts";
import { type Html, html, trusted } from "./html.ts";
import type { PageCall } from "./page.ts";
import { pill } from "./plan-words.ts";

type Documentation = z.output<typeof myApiDocumentation>;
type Operation = Documentation["operations"][number];

/** The content of an API's documentation: its operations, or what was written of it. */
export async function documentationOf(
  { t, site }: Pick<PageCall, "t" | "site">,
  read: Documentation,
  /** The form of an operation, where it can be tried. */
  form?: Form,
): Promise<Html> {
  switch (read.kind) {
    case "none":
      return html`<p>${t.say("docs.none")}</p>`;
    case "unreadable":
      return html`
        <p class="said wait">${t.say("docs.unreadable", {
          organisation: site.organisation.name,
        })}</p>
      `;
    case "link":
      return html`
        <p>${t.say("docs.link")} <a class="ltr" rel="nofollow noopener noreferrer"
            href="${read.text}">${read.text}</a></p>
      `;
    case "text":
      return await markdown(read.text);
    case "operations":
      return html`${paragraphs(read.text)}${operationsOf(t, read, form)}`;
  }
}

type Form = (one: Operation, at: number) => Html;

function operationsOf(
  t: PageCall["t"],
  { operations, left_out }: Documentation,
  form: Form | undefined,
): Html {
  const groups = Map.groupBy(operations, ({ group }) => group);
  return html`
    <p class="note">${t.say("docs.count", { n: operations.length })}</p>
    ${[...groups].map(([group, found]) =>
      html`
        <section class="card">
          ${group !== "" && html`
            <h3>${group}</h3>
          `}${found.map((one) => operation(t, one, operations.indexOf(one), form))}
        </section>
      `
    )}
    ${left_out > 0 && html`<p>${t.say("docs.left", { n: left_out })}</p>`}
  `;
}

function operation(
  t: PageCall["t"],
  one: Operation,
  at: number,
  form: Form | undefined,
): Html {
  const { method, path, summary, description, deprecated, parameters, answers } = one;
  return html`
    <details class="operation" id="operation-${at}">
      <summary><code class="method">${method}</code> <code>${path}</code> <span>${summary}</span> ${deprecated &&
        pill("wait", t.say("docs.deprecated"))}</summary>
      ${paragraphs(description)}
      ${parameters.length > 0 && html`
        <table>
          <caption>${t.say("docs.parameters")}</caption>
          <tbody>${parameters.map((parameter) => parameterRow(t, parameter))}</tbody>
        </table>
      `}
      ${answers.length > 0 && html`
        <table>
          <caption>${t.say("docs.answers")}</caption>
          <tbody>${answers.map((answer) =>
            html`
              <tr>
                <th scope="row"><code>${answer.status}</code></th>
                <td>${answer.description}</td>
              </tr>
            `
          )}</tbody>
        </table>
      `}
      ${form?.(one, at)}
    </details>
  `;
}

function parameterRow(t: PageCall["t"], one: Operation["parameters"][number]): Html {
  const place = PLACES.get(one.in);
  return html`
    <tr>
      <th scope="row"><code>${one.name}</code><br><span class="note">${[
        one.type,
        place === undefined ? one.in : t.say(place),
      ].filter((part) => part !== "").join(", ")}</span></th>
      <td>${paragraphs(one.description)}${one.required &&
        html`
          <span class="must">${t.say("docs.required")}</span>
        `}</td>
    </tr>
  `;
}

const PLACES: ReadonlyMap<string, TextKey> = new Map([
  ["path", "docs.in.path"],
  ["query", "docs.in.query"],
  ["header", "docs.in.header"],
  ["cookie", "docs.in.cookie"],
  ["body", "docs.in.body"],
]);

/** A text that may be Markdown; one that can't be rendered is as it was written. */
export async function markdown(text: string): Promise<Html> {
  const rendered = await renderedMarkdown(text);
  return html`
    <div class="markdown">${rendered === undefined ? paragraphs(text) : trusted(rendered)}</div>
  `;
}

/** A text in its paragraphs, as it was written. */
function paragraphs(text: string): Html {
  const parts = text.split(/\n\s*\n/).map((part) => part.trim()).filter((part) => part !== "");
  return html`${parts.map((part) => html`<p>${part}</p>`)}`;
}

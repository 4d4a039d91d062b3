import { h } from "preact";

/**
 * A text of the document: paragraphs, with code between backticks. test/reference/texts.test.ts
 * holds that texts have no other marks.
 */
export function Texts({ source }) {
  if (typeof source !== "string" || source === "") return null;
  return h("div", { className: "markdown" }, source.split("\n\n").map(paragraph));
}

function paragraph(text) {
  return h("p", null, text.split("`").map((part, i) => i % 2 === 1 ? h("code", null, part) : part));
}

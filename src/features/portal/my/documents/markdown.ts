import MarkdownIt from "markdown-it";

/** Nested deeper, it is text. */
const DEEPEST = 20;

const markdown = new MarkdownIt("commonmark", {
  // Whatever looks like HTML is shown as it was written.
  html: false,
  maxNesting: DEEPEST,
}).enable(["table", "strikethrough"]).disable("image");

/** Nothing but these is followed: what else an address may begin with is a text. */
markdown.validateLink = (address) => /^(https?:\/\/|mailto:|#)/i.test(address.trim());

const link = markdown.renderer.rules.link_open;
markdown.renderer.rules.link_open = (tokens, at, options, env, self) => {
  tokens[at]?.attrSet("rel", "nofollow noopener noreferrer");
  return link ? link(tokens, at, options, env, self) : self.renderToken(tokens, at, options);
};

/**
 * Below the page's own heading, each one step deeper at most than the one that it is below, however
 * many its writer left out.
 */
markdown.core.ruler.push("headings", ({ tokens }) => {
  /** The levels as written of the headings that the next one is below. */
  const above: number[] = [];
  for (const token of tokens) {
    if (token.type !== "heading_open" && token.type !== "heading_close") continue;
    if (token.type === "heading_open") {
      const level = Number(token.tag.slice(1));
      while ((above.at(-1) ?? 0) >= level) above.pop();
      above.push(level);
    }
    token.tag = `h${Math.min(6, above.length + 1)}`;
  }
});

/** Characters of HTML: a text can name one long address again and again. */
const LONGEST_HTML = 2_000_000;

/**
 * Markdown (CommonMark, with tables) as HTML that has no script, no style, no image and no form:
 * the library writes its own elements alone, and HTML of the text stays text. Links lead to web and
 * mail addresses only. Throws where it becomes far longer than it was written.
 */
export function renderMarkdown(text: string): string {
  const made = markdown.render(text);
  if (made.length > LONGEST_HTML) throw new RangeError("longer than HTML may be");
  return made;
}

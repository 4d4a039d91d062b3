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

/** Below the page's own heading, and below that of the section. */
for (const side of ["heading_open", "heading_close"] as const) {
  markdown.renderer.rules[side] = (tokens, at, options, _env, self) => {
    const token = tokens[at];
    if (token) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`;
    return self.renderToken(tokens, at, options);
  };
}

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

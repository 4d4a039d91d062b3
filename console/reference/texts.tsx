/**
 * A text of the document: paragraphs, with code between backticks. test/reference/texts.test.ts
 * holds that texts have no other marks.
 */
export function Texts({ source }: { source: string | undefined }) {
  if (!source) return null;
  return (
    <div class="texts">
      {source.split("\n\n").map((text) => <p key={text}>{inline(text)}</p>)}
    </div>
  );
}

/** One paragraph's words and code. */
export function inline(text: string) {
  return text.split("`").map((part, i) => i % 2 === 1 ? <code key={i}>{part}</code> : part);
}

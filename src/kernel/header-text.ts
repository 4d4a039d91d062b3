/**
 * `text` as it may stand in a header's value, also as one item of a list that is separated by
 * commas: whatever is not a letter, a digit or one of `_ . ~ @ : + = -` is percent-encoded UTF-8
 * (RFC 3986, 2.1), so that decoding percent-encoding gives it back exactly.
 */
export function headerText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(OTHERS, encodeURIComponent);
}

const PLAIN = /^[A-Za-z0-9_.~@:+=-]*$/;
const OTHERS = /[^A-Za-z0-9_.~@:+=-]+/g;

import ts from "typescript";

/** A place where a text is put together out of parts. */
export interface Composed {
  readonly line: number;
  readonly text: string;
  readonly node: ts.Node;
}

/**
 * Where a file of the console puts a sentence together by itself out of what may be foreign: a
 * template, words added with `+`, texts joined. What numbers and words of the program alone are put
 * into is none of it. `say` and `listed` of console/said.ts are the way to do it.
 */
export function composedSentences(path: string, text: string): Composed[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: Composed[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isJsxAttribute(node) && UNREAD.test(node.name.getText())) return;
    if (isSentence(node) && !isUnread(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push({ line: line + 1, text: node.getText().replaceAll(/\s+/g, " "), node });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Attributes whose value nobody reads: names, places and forms. */
const UNREAD =
  /^(class|id|key|href|to|d|[xyr][12]?|c[xy]|width|height|style|name|list|aria-(labelledby|describedby|controls|activedescendant))$/;

function isSentence(node: ts.Node): boolean {
  if (ts.isTemplateExpression(node)) return isSentenceTemplate(node);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const sides = [node.left, node.right];
    return sides.some((side) => ts.isStringLiteralLike(side) && isWords(side.text)) &&
      !sides.every(isOurs);
  }
  const between = ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) &&
    node.expression.name.text === "join" && node.arguments[0];
  return between && ts.isStringLiteralLike(between) ? isWords(between.text) : false;
}

function isSentenceTemplate(node: ts.TemplateExpression): boolean {
  if (ts.isTaggedTemplateExpression(node.parent)) return false;
  const words = [node.head, ...node.templateSpans.map(({ literal }) => literal)];
  const isOfWords = words.some(({ text }) => isWords(text)) ||
    words.slice(1, -1).some(({ text }) => text === "");
  return isOfWords && !node.templateSpans.every(({ expression }) => isOurs(expression));
}

/** What stands between words, or is some. */
function isWords(text: string): boolean {
  return /[ “”]/.test(text);
}

/** Whether a part is surely a number, a time or words of the program. */
function isOurs(node: ts.Expression): boolean {
  if (ts.isParenthesizedExpression(node)) return isOurs(node.expression);
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.every(({ expression }) => isOurs(expression));
  }
  if (ts.isConditionalExpression(node)) return isOurs(node.whenTrue) && isOurs(node.whenFalse);
  if (ts.isBinaryExpression(node)) {
    if (ts.isNumericLiteral(node.right)) return true;
    return ARITHMETIC.has(node.operatorToken.kind) || isOurs(node.left) && isOurs(node.right);
  }
  if (ts.isCallExpression(node)) return OUR_WORDS.test(node.expression.getText());
  return ts.isStringLiteralLike(node) || ts.isNumericLiteral(node) ||
    ts.isTaggedTemplateExpression(node) || NUMBERS.test(node.getText());
}

const ARITHMETIC = new Set([
  ts.SyntaxKind.MinusToken,
  ts.SyntaxKind.AsteriskToken,
  ts.SyntaxKind.SlashToken,
]);

/** What tells numbers, times and spans. */
const OUR_WORDS =
  /^(say|listed|grouped|countOf|told|numeral|shortNumber|short|ordinal|amountOf|spanOf|lengthOf|exactTime|relativeTime|clockTime|soon|dayOf|hadTurn|utcDayOf|utcTime|monthName|dateOf|date\.format|Math\.\w+|.+\.(toLocaleString|toFixed))$/;

const NUMBERS =
  /^([\w.]+\.(length|count)|count|days|length|n|ms|at|amount|attempts|sum|unit|dead|later|old|dropped|failures|approved|percent|number|status|channels|many|MOST|LONGEST|FIRST_PAGE)$/;

/** What stands in addresses, selectors and names of queries. */
const FOR_PROGRAMS = /\b(JSON\.stringify|encodeURIComponent|CSS\.escape|location\.|turn\b)/;

/** A text that is looked into, or says something to the program alone. */
function isUnread(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isTemplateExpression(node) && FOR_PROGRAMS.test(node.getText())) return true;
  if (ts.isPropertyAccessExpression(parent) && parent.name.text !== "join") return true;
  if (ts.isNewExpression(parent)) return true;
  if (ts.isCallExpression(parent) && /\.(startsWith|includes)$/.test(parent.expression.getText())) {
    return true;
  }
  return ts.isPropertyAssignment(parent) && /if-match|href/.test(parent.name.getText());
}

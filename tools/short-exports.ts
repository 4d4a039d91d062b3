/**
 * The script with its last lines, which define an export each, as one statement: a getter for each
 * name, as before.
 */
export function withShortExports(script: string): string {
  return script.replace(LAST_EXPORTS, (definitions) => {
    const getters = [...definitions.matchAll(new RegExp(EXPORT, "g"))]
      .map(([, name, value]) => `${name}: () => ${value},`);
    // Parameters of a function, which hide no export from the getters.
    return [
      "Object.entries({",
      ...getters,
      "}).forEach(([name, get]) => Object.defineProperty(exports, name, { enumerable: true, get }));",
    ].join("\n");
  });
}

/** An export as rolldown defines it. */
const EXPORT = String.raw`Object\.defineProperty\(exports, ("\w+"), \{
\s*enumerable: true,
\s*get: function\(\) \{
\s*return ([\w$.]+);
\s*\}
\}\);\s*`;
const LAST_EXPORTS = new RegExp(`(?:${EXPORT})+$`);

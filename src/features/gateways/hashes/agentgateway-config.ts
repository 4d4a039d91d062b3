/** In whose place the entries stand, as far to the right as this stands. */
const PLACE = /^([ ]*)# keys of Keydesk[ ]*$/m;

/**
 * The configuration of an agentgateway: a template of the operator's with an entry for each key in
 * the place of its line `# keys of Keydesk`. Throws where there is no such line.
 */
export async function* configOf(
  template: string,
  entries: AsyncIterable<(readonly [hash: string, entry: string])[]>,
): AsyncGenerator<string, void, void> {
  const place = PLACE.exec(template);
  if (!place) throw new Error("its template has no line `# keys of Keydesk`");
  yield template.slice(0, place.index);
  let isEmpty = true;
  for await (const group of entries) {
    for (const [hash, entry] of group) {
      isEmpty = false;
      const [, rate = "", per = "", developer = "", plans = ""] = entry.split(":");
      const metadata = {
        rate: Number(rate),
        per: Number(per),
        developer: decodeURIComponent(developer),
        plans: decodeURIComponent(plans).split(","),
      };
      // JSON is YAML.
      yield `${place[1]}- ${JSON.stringify({ keyHash: `sha256:${hash}`, metadata })}\n`;
    }
  }
  if (isEmpty) yield `${place[1]}[]\n`;
  yield template.slice(place.index + place[0].length).replace(/^\n/, "");
}

import { join } from "node:path";

/**
 * A small curl for machines without one: knows -s, -H, -X and -d, which is what our documentation
 * uses.
 */
const standIn = `#!/usr/bin/env node
const { readFileSync } = require("node:fs");
const { request } = require("node:http");
const headers = {};
let url, method, body;
const words = process.argv.slice(2);
while (words.length > 0) {
  const word = words.shift();
  if (word === "-s") continue;
  else if (word === "-X") method = words.shift();
  else if (word === "-d") body = words.shift();
  else if (word === "-H") {
    const [, name, value] = /^([^:]*):(.*)$/.exec(words.shift());
    headers[name] = value.trim();
  } else if (word.startsWith("-")) throw new Error("no such option: " + word);
  else url = word;
}
if (body?.startsWith("@")) body = readFileSync(body.slice(1));
if (body !== undefined) {
  headers["content-type"] = "application/x-www-form-urlencoded";
  headers["content-length"] = Buffer.byteLength(body);
}
const call = request(url, { method: method ?? (body === undefined ? "GET" : "POST"), headers });
call.on("response", (answer) => answer.pipe(process.stdout));
call.on("error", (error) => { console.error(error.message); process.exit(7); });
call.end(body);
`;

/**
 * Makes sure that a shell finds a curl: the machine's own, else the stand-in, which is put into
 * `folder`.
 */
export async function pathWithCurl(folder: string): Promise<string> {
  const file = join(folder, "curl");
  await Deno.writeTextFile(file, standIn, { mode: 0o755 });
  return `${Deno.env.get("PATH") ?? ""}:${folder}`;
}

/** The whole text of an installed package's licence. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The text of the licence and of the notices that stand in a package's folder; where it has none,
 * or a file that only names the licence, the part of its README, and where that is none too the
 * licence's own words with the author whom its package.json names. Throws where there is neither.
 */
export function licenceText(folder: string, licence: string): string {
  const files = readdirSync(folder);
  const texts = files.filter((file) => /^(licen[cs]e|notice|copying)([.-]|$)/i.test(file)).sort()
    .map((file) => read(folder, file));
  if (texts.some(isWhole)) return texts.join("\n\n");
  const readme = files.find((file) => /^readme\.md$/i.test(file));
  const [, part = ""] = /\n#+ *licen[cs]e\s*\n([^]*)/i.exec(readme ? read(folder, readme) : "") ??
    [];
  if (isWhole(part)) return part.trim();
  const known = licence.split(/ OR |[()]/).find((one) => one in WORDS);
  if (known === undefined) throw new Error(`${folder}: there is no text of the licence ${licence}`);
  const { author = "its authors" } = JSON.parse(read(folder, "package.json"));
  const name = (typeof author === "string" ? author : author.name).replace(/\s*[<(].*$/, "");
  return [...texts, `Copyright (c) ${name}`, WORDS[known]].join("\n\n");
}

/** Whether it grants something, and not only names what does. */
function isWhole(text: string): boolean {
  return /hereby\s+grant|Permission to use|Redistribution and use|TERMS AND CONDITIONS|public domain/
    .test(text);
}

function read(folder: string, file: string): string {
  return readFileSync(join(folder, file), "utf8").trim();
}

const WORDS: Readonly<Record<string, string>> = {
  MIT:
    `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
  Unlicense: `This is free and unencumbered software released into the public domain.

Anyone is free to copy, modify, publish, use, compile, sell, or distribute this software, either in
source code form or as a compiled binary, for any purpose, commercial or non-commercial, and by any
means.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.

For more information, please refer to <https://unlicense.org>`,
};

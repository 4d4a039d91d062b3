import { escaped } from "./mail-words.ts";

/** A mail's body, in words alone: both of its forms are made of it. */
export interface MailBody {
  language: string;
  /** The sender's name. */
  organisation: string;
  /** Of the button: `#rrggbb`, white can be read on it; "": ours. */
  colour: string;
  heading: string;
  greeting: string;
  /** Paragraphs by empty lines. */
  text: string;
  /** To be entered elsewhere: it is alone on its line, to be read and copied at once. */
  code: string;
  /** The items of the list, each with its link, or "". */
  items: readonly { text: string; url: string }[];
  button: { label: string; url: string } | null;
  /** The text before the address of the link. */
  linkNote: string;
  copyLink: string;
  rows: readonly (readonly [label: string, value: string])[];
  notes: readonly string[];
  signOff: string;
  why: string;
}

/** The body as plain text. */
export function plainBody(body: MailBody): string {
  const { button, items, rows } = body;
  const parts = [
    body.greeting,
    body.text.trim(),
    body.code,
    items.map(({ text, url }) => `- ${text}${url === "" ? "" : `\n  ${url}`}`).join("\n"),
    button ? `${button.label}:\n${button.url}` : "",
    button ? body.linkNote : "",
    rows.map(([label, value]) => `${label}: ${value.replaceAll(/\r\n?|\n/g, "\n  ")}`).join("\n"),
    ...body.notes,
    body.signOff.trim(),
    `-- \n${body.organisation}. ${body.why}`,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The body as a page: no script, nothing from outside, and every value escaped. */
export function htmlBody(body: MailBody): string {
  const { button, items, rows } = body;
  const parts = [
    `<p class="org">${escaped(body.organisation)}</p>`,
    `<h1>${escaped(body.heading)}</h1>`,
    paragraph(body.greeting),
    ...body.text.trim().split(/\r?\n\s*\n/).map(paragraph),
    body.code === "" ? "" : `<p class="code">${escaped(body.code)}</p>`,
    items.length === 0 ? "" : `<ul>${items.map(item).join("")}</ul>`,
    button
      ? `<p><a class="button" href="${escaped(button.url)}">${escaped(button.label)}</a></p>`
      : "",
    button
      ? `<p class="small">${
        escaped([body.linkNote, body.copyLink].filter(Boolean).join(" "))
      }<br>` +
        `<code>${escaped(button.url)}</code></p>`
      : "",
    rows.length === 0 ? "" : `<table>${rows.map(row).join("")}</table>`,
    ...body.notes.map((note) => `<p class="small">${escaped(note)}</p>`),
    paragraph(body.signOff),
  ];
  return `<!doctype html>
<html lang="${escaped(body.language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(body.heading)}</title>
<style>${STYLE}${
    body.colour === ""
      ? ""
      : ` .button { background: ${body.colour} !important; } .card { border-top: 4px solid ${body.colour} !important; }`
  }</style>
</head>
<body>
<div class="card">
${parts.filter((part) => part !== "").join("\n")}
</div>
<p class="why">${escaped(`${body.organisation}. ${body.why}`)}</p>
</body>
</html>
`;
}

function paragraph(text: string): string {
  if (text.trim() === "") return "";
  return `<p>${inLines(text.trim())}</p>`;
}

/** A text with the line breaks that its writer made. */
function inLines(text: string): string {
  return escaped(text).replaceAll(/\r\n?|\n/g, "<br>");
}

function item({ text, url }: { text: string; url: string }): string {
  return `<li>${
    url === "" ? escaped(text) : `<a href="${escaped(url)}">${escaped(text)}</a>`
  }</li>`;
}

function row([label, value]: readonly [string, string]): string {
  return `<tr><th>${escaped(label)}</th><td>${inLines(value)}</td></tr>`;
}

const STYLE = `
body { margin: 0; padding: 24px 12px; background: #f3f4f6; color: #16181d;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
.card { max-width: 476px; margin: 0 auto; padding: 24px 32px; background: #fff;
  border: 1px solid #dfe2e8; border-radius: 12px; overflow-wrap: anywhere; }
h1 { margin: 16px 0; font-size: 21px; line-height: 1.3; }
.org { margin: 0; font-weight: 600; }
.button { display: inline-block; padding: 10px 20px; border-radius: 6px; background: #0b6b5a;
  color: #fff; font-weight: 600; text-decoration: none; }
.code { margin: 24px 0; font: 600 34px/1.2 ui-monospace, Menlo, Consolas, monospace;
  letter-spacing: 0.15em; }
.small, .why { font-size: 13px; color: #555b66; }
.why { max-width: 540px; margin: 16px auto 0; text-align: center; }
table { width: 100%; border-collapse: collapse; margin: 16px 0; }
th, td { padding: 8px 0; border-top: 1px solid #dfe2e8; text-align: left; vertical-align: top; }
th { width: 30%; font-weight: 400; color: #555b66; }
@media (prefers-color-scheme: dark) {
  body { background: #0f1014; color: #e8eaf0; }
  .card { background: #1a1d25; border-color: #2b2f3a; }
  th, td { border-color: #2b2f3a; }
  th, .small, .why { color: #a4abb8; }
  .button { background: #0f7a68; }
  a { color: #5eead4; }
  a.button { color: #fff; }
}
`.trim();

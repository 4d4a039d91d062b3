import { type Html, html } from "./html.ts";

/** The name of the key in a program's environment. */
export const VARIABLE = "API_KEY";

/**
 * A first call in four languages, with the key in a variable, never in the line. The address and
 * the header's name are put in as each language writes a text, so nothing in them is run.
 */
export function snippets(address: string, header: string): { name: string; code: string }[] {
  const [url, name] = [JSON.stringify(address), JSON.stringify(header)];
  return [
    { name: "curl", code: `curl -H ${shell(`${header}: `)}"$${VARIABLE}" ${shell(address)}` },
    {
      name: "JavaScript",
      code: `const answer = await fetch(${url}, {
  headers: { ${name}: process.env.${VARIABLE} },
});
console.log(answer.status, await answer.text());`,
    },
    {
      name: "Python",
      code: `import os, urllib.request

request = urllib.request.Request(${url}, headers={${name}: os.environ["${VARIABLE}"]})
with urllib.request.urlopen(request) as answer:
    print(answer.status, answer.read().decode())`,
    },
    {
      name: "Go",
      code: `package main

import (
\t"fmt"
\t"io"
\t"net/http"
\t"os"
)

func main() {
\trequest, err := http.NewRequest("GET", ${url}, nil)
\tif err != nil {
\t\tpanic(err)
\t}
\trequest.Header.Set(${name}, os.Getenv("${VARIABLE}"))
\tanswer, err := http.DefaultClient.Do(request)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer answer.Body.Close()
\tbody, _ := io.ReadAll(answer.Body)
\tfmt.Println(answer.StatusCode, string(body))
}`,
    },
  ];
}

/** A text as one word of a shell. */
function shell(text: string): string {
  return /^[\w:/.,=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The calls, of which one is open at a time. */
export function snippetList(address: string, header: string, copy: (id: string) => Html): Html {
  return html`${
    snippets(address, header).map(({ name, code }, at) =>
      html`
        <details name="snippet" ${at === 0 && html`
          open
        `}>
          <summary translate="no">${name}</summary>
          <pre tabindex="0"><code id="call-${at}">${code}</code></pre>
          ${copy(`call-${at}`)}
        </details>
      `
    )
  }`;
}

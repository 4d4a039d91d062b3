import type { Call } from "./call.ts";

/**
 * The languages of the samples. Each takes the server's address from `DESK` and the access token
 * from `CREDENTIAL`, so that neither is in a program.
 */
export const LANGUAGES: Readonly<Record<string, (call: Call) => string>> = {
  curl,
  JavaScript: javaScript,
  Python: python,
  Go: go,
};

function curl(call: Call): string {
  const target = call.target.replaceAll(/["$`\\]/g, "\\$&");
  const words = [`curl -X ${call.method} "$DESK${target}"`];
  const { credential, body } = call;
  if (credential) words.push(`-H "${credential.header}: ${credential.before}$CREDENTIAL"`);
  for (const [name, value] of Object.entries(call.headers)) {
    words.push(`-H ${shellWord(`${name}: ${value}`)}`);
  }
  if (body instanceof File) words.push(`--data-binary @${shellWord(body.name)}`);
  else if (body !== undefined) words.push(`--data-binary ${shellWord(body)}`);
  return words.join(" \\\n  ");
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function javaScript(call: Call): string {
  const { credential, body } = call;
  const isFile = body instanceof File;
  const token = "process.env.CREDENTIAL";
  const fields = [
    ...credential
      ? [[credential.header, credential.before ? `\`${credential.before}\${${token}}\`` : token]]
      : [],
    ...Object.entries(call.headers).map(([name, value]) => [name, JSON.stringify(value)]),
  ].map(([name = "", value]) => `    ${JSON.stringify(name)}: ${value},`);
  const target = call.target.replaceAll(/[`$\\]/g, "\\$&");
  return [
    ...isFile ? ['import { readFile } from "node:fs/promises";', ""] : [],
    `const answer = await fetch(\`\${process.env.DESK}${target}\`, {`,
    `  method: ${JSON.stringify(call.method)},`,
    ...fields.length > 0 ? ["  headers: {", ...fields, "  },"] : [],
    ...isFile
      ? [`  body: await readFile(${JSON.stringify(body.name)}),`]
      : body === undefined
      ? []
      : [`  body: ${javaScriptBody(body)},`],
    "});",
    "console.log(answer.status, await answer.text());",
  ].join("\n");
}

/** JSON as an object of the language; whatever else as a text. */
function javaScriptBody(body: string): string {
  const value = parsed(body);
  if (value === undefined) return JSON.stringify(body);
  return `JSON.stringify(${JSON.stringify(value, null, 2).replaceAll("\n", "\n  ")})`;
}

function python(call: Call): string {
  const { credential, body } = call;
  const token = 'os.environ["CREDENTIAL"]';
  const fields = [
    ...credential
      ? [[
        credential.header,
        credential.before ? `${JSON.stringify(credential.before)} + ${token}` : token,
      ]]
      : [],
    ...Object.entries(call.headers).map(([name, value]) => [name, JSON.stringify(value)]),
  ].map(([name = "", value]) => `        ${JSON.stringify(name)}: ${value},`);
  const value = typeof body === "string" ? parsed(body) : undefined;
  const data = body instanceof File
    ? `open(${JSON.stringify(body.name)}, "rb").read()`
    : value === undefined
    ? `${JSON.stringify(body)}.encode()`
    : `json.dumps(${pythonValue(value, "    ")}).encode()`;
  return [
    ...value === undefined ? [] : ["import json"],
    "import os",
    "import urllib.request",
    "",
    "request = urllib.request.Request(",
    `    os.environ["DESK"] + ${JSON.stringify(call.target)},`,
    `    method=${JSON.stringify(call.method)},`,
    ...fields.length > 0 ? ["    headers={", ...fields, "    },"] : [],
    ...body === undefined ? [] : [`    data=${data},`],
    ")",
    "with urllib.request.urlopen(request) as answer:",
    "    print(answer.status, answer.read().decode())",
  ].join("\n");
}

/** A value of JSON as the language writes it. */
function pythonValue(value: unknown, indent: string): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const deeper = `${indent}    `;
  const lines = Array.isArray(value)
    ? value.map((one) => pythonValue(one, deeper))
    : Object.entries(value).map(([name, one]) =>
      `${JSON.stringify(name)}: ${pythonValue(one, deeper)}`
    );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (lines.length === 0) return `${open}${close}`;
  return `${open}\n${lines.map((line) => `${deeper}${line},\n`).join("")}${indent}${close}`;
}

function go(call: Call): string {
  const { credential, body } = call;
  const isFile = body instanceof File;
  const fields = [
    ...credential
      ? [[
        credential.header,
        (credential.before ? `${JSON.stringify(credential.before)}+` : "") +
        'os.Getenv("CREDENTIAL")',
      ]]
      : [],
    ...Object.entries(call.headers).map(([name, value]) => [name, JSON.stringify(value)]),
  ];
  const isText = body !== undefined && !isFile;
  const failed = ["\tif err != nil {", "\t\tpanic(err)", "\t}"];
  return [
    "package main",
    "",
    "import (",
    '\t"fmt"',
    '\t"io"',
    '\t"net/http"',
    '\t"os"',
    ...isText ? ['\t"strings"'] : [],
    ")",
    "",
    "func main() {",
    ...isFile ? [`\tbody, err := os.Open(${JSON.stringify(body.name)})`, ...failed] : [],
    ...isText ? [`\tbody := strings.NewReader(${goText(body)})`] : [],
    `\trequest, err := http.NewRequest(${JSON.stringify(call.method)}, ` +
    `os.Getenv("DESK")+${JSON.stringify(call.target)}, ${body === undefined ? "nil" : "body"})`,
    ...failed,
    ...fields.map(([name, value]) => `\trequest.Header.Set(${JSON.stringify(name)}, ${value})`),
    "\tanswer, err := http.DefaultClient.Do(request)",
    ...failed,
    "\tdefer answer.Body.Close()",
    "\ttext, err := io.ReadAll(answer.Body)",
    ...failed,
    "\tfmt.Println(answer.StatusCode, string(text))",
    "}",
  ].join("\n");
}

/** As it is where the language takes it so: between backticks there are no escapes. */
function goText(text: string): string {
  return /[`\r]/.test(text) ? JSON.stringify(text) : `\`${text}\``;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

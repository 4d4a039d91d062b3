/** What the original's gateway offers to plugins of its engine, and what holds them to ES5. */
import ts from "typescript";

/** The code as the compiler writes it for an edition of the language. */
export function transpiled(source: string, target: ts.ScriptTarget): string {
  const compilerOptions = { target, module: ts.ModuleKind.None, alwaysStrict: false };
  return ts.transpileModule(source, { compilerOptions }).outputText;
}

/** What uses something that ES5's library has not. */
export function problemsOf(source: string): string[] {
  const given =
    "declare const TykJS: any; declare function TykMakeHttpRequest(call: string): string;" +
    "declare function b64dec(text: string): string;";
  const files = new Map([["plugin.js", source], ["given.d.ts", given]]);
  const options = {
    allowJs: true,
    checkJs: true,
    noEmit: true,
    strict: false,
    types: [],
    lib: ["lib.es5.d.ts"],
  };
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    const text = files.get(name);
    return text === undefined
      ? getSourceFile(name, version)
      : ts.createSourceFile(name, text, version);
  };
  const program = ts.createProgram({ rootNames: [...files.keys()], options, host });
  const checked = program.getSourceFile("plugin.js");
  return ts.getPreEmitDiagnostics(program, checked)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}

/** A request as a plugin sees and changes it. */
export interface MiniRequest {
  Headers: Record<string, string[]>;
  SetHeaders: Record<string, string>;
  DeleteHeaders: string[];
  Body: string;
  IgnoreBody: boolean;
  ReturnOverrides: {
    ResponseCode?: number;
    ResponseError?: string;
    ResponseHeaders?: Record<string, string>;
  };
}

/** Waits for the answer, as the gateway's function does. */
export function overTheWire(text: string): string | undefined {
  const { Method, Domain, Resource, Headers, Body } = JSON.parse(text);
  const script = `const [url, init] = JSON.parse(Deno.args[0]);
    const response = await fetch(url, init);
    console.log(JSON.stringify({ Code: response.status, Body: await response.text() }));`;
  const call = JSON.stringify([Domain + Resource, {
    method: Method,
    headers: Headers,
    body: Body,
  }]);
  const { stdout, code } = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--ext=ts", script, call],
    stderr: "null",
  }).outputSync();
  return code === 0 ? new TextDecoder().decode(stdout) : undefined;
}

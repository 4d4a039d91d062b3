import { fileProblem, OperatorError } from "./operator-error.ts";
import { terminal } from "./terminal.ts";

/** The secret in a file, or of standard input where that is "-"; undefined: no file is named. */
export async function secretIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const text = file === "-"
      ? await new Response(terminal().input).text()
      : await Deno.readTextFile(file);
    const secret = text.replace(/\r?\n$/, "");
    if (secret === "") throw new OperatorError(`${file}: holds no secret`);
    return secret;
  } catch (error) {
    const problem = fileProblem(error);
    throw problem === undefined ? error : new OperatorError(`${file}: ${problem}`);
  }
}

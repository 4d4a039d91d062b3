import { fileProblem, OperatorError, reasonOf } from "./operator-error.ts";

/** True where something is at the path. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw new OperatorError(`${path}: ${fileProblem(error) ?? reasonOf(error)}`, { cause: error });
  }
}

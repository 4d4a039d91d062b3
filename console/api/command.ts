import { signal } from "../signal.ts";

const told = signal("keydesk");
let asked: Promise<string> | undefined;

/** How commands are called on the server, once it has said so; the plain name where it does not. */
export function askCommand(): Promise<string> {
  return asked ??= read().then((name) => told.value = name, () => told.value);
}

/** The same while a component renders: the plain name until the server has said it. */
export function serverCommand(): string {
  void askCommand();
  return told.value;
}

async function read(): Promise<string> {
  const answer = await fetch("/console/command");
  // A server of earlier code answers with its page.
  const isText = answer.headers.get("content-type")?.startsWith("text/plain");
  return answer.ok && isText ? await answer.text() : told.value;
}

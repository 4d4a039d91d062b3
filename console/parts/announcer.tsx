import { signal } from "../signal.ts";

const said = signal({ text: "", turn: 0 });

/** Says something to people who hear the page: the result of what they did, or news. Short. */
export function announce(text: string): void {
  said.value = { text, turn: said.value.turn + 1 };
}

/** The live region; stands once, in the shell. */
export function Announcer() {
  const { text, turn } = said.value;
  // Two elements by turns: the same text twice is news twice.
  return (
    <div class="unseen" role="status" aria-live="polite">
      <span>{turn % 2 === 0 ? text : ""}</span>
      <span>{turn % 2 === 1 ? text : ""}</span>
    </div>
  );
}

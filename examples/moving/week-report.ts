/** What a week's rehearsal came to, for people. */
import type { Week } from "./week.ts";

/** A page of text: each day by the meter, what became of keys, and each promise. */
export function reportOfWeek(week: Week): string {
  const { days, forms, questions, promises, meter } = week;
  const ofDays = days.map((
    { date, here, there, differed, learned, neverSeen, what },
  ) => [date, here, there, differed, learned, neverSeen, what]);
  const ofForms = forms.map(({ form, holders, imported, home }) => [form, holders, imported, home]);
  return [
    table(["day", "here", "there", "differed", "learned", "never seen", "what happened"], ofDays),
    table(["keys by", "holders", "imported", "right without the gateway"], ofForms),
    `keydesk import migration-report, when the week is over:\n\n${meter.trimEnd()}`,
    `The gateway was asked ${questions} questions about keys that nobody knew.`,
    promises.map(({ promise, isKept, seen }) =>
      `${isKept ? "kept" : "BROKEN"}: ${promise}: ${seen}.`
    )
      .join("\n"),
  ].join("\n\n");
}

function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

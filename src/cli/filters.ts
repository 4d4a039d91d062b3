/** Filters of lists as options of commands. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Client } from "../client/keydesk-client.ts";
import { type Filter, type Filters, type FilterValues, valuesOf } from "../contract/filters.ts";
import { parseTimestamp } from "../kernel/timestamps.ts";
import { developerOf, planOf } from "./named.ts";

/** The given filter options, by their names in camel case. */
export type FilterOptions = Readonly<Record<string, unknown>>;

/**
 * Adds an option for each filter that has one and that the command does not have yet; `only`: for
 * these.
 */
export function withFilters<F extends Filters>(
  command: Command,
  filters: F,
  only: readonly (keyof F)[] = Object.keys(filters),
): Command {
  for (const name of only) {
    const option = filters[name] && optionOf(filters[name]);
    if (option && !command.options.some(({ long }) => long === option.long)) {
      command.addOption(option);
    }
  }
  return command;
}

function optionOf(filter: Filter): Option | undefined {
  if (!filter.option) return undefined;
  const option = new Option(...filter.option);
  if (filter.takes === "choice") return option.isBoolean() ? option : option.choices(filter.of);
  if (filter.takes === "yes") return option.choices(["true", "false"]);
  return filter.takes === "time" ? option.argParser(toTime) : option;
}

/** The option of a filter, as commander has it. */
export const optionNameOf = (filter: string) =>
  filter.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The query of a list that options ask for. Throws as `filterTexts` does. */
export async function filterQuery<F extends Filters>(
  client: Client,
  filters: F,
  options: FilterOptions,
): Promise<FilterValues<F>> {
  return valuesOf(filters, await filterTexts(client, filters, options));
}

/**
 * The filters as texts: plans and developers are found by their names. Throws as `planOf` and
 * `developerOf` do.
 */
export async function filterTexts(
  client: Client,
  filters: Filters,
  options: FilterOptions,
): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [name, { takes }] of Object.entries(filters)) {
    const given = options[optionNameOf(name)];
    if (given === undefined) continue;
    const text = String(given);
    texts[name] = takes === "plan"
      ? await planOf(client, text)
      : takes === "developer"
      ? await developerOf(client, text)
      : text;
  }
  return texts;
}

function toTime(text: string): string {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  if (days !== undefined) return new Date(Date.now() - Number(days) * 86_400_000).toISOString();
  const time = parseTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (time) return time.text;
  throw new InvalidArgumentError("Expected days such as 90d, a day, or an RFC 3339 time.");
}

import { appliedSteps } from "../migrate.ts";
import { frozenBy, type Inspection } from "./inspection.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

/** Looks at the store at `path` beside who serves it, or (`isCopy`) at a file no one has open. */
export function inspectSqlite(path: string, isCopy: boolean): Inspection {
  const connection = isCopy
    ? SqliteConnection.openReadOnly(path)
    : SqliteConnection.openReader(path);
  return {
    connection,
    steps: async () => {
      try {
        return await appliedSteps(connection);
      } catch (error) {
        if (error instanceof Error && /no such table/.test(error.message)) return [];
        throw error;
      }
    },
    problems: async function* () {
      yield* await Promise.resolve(connection.problems());
    },
    frozen: frozenBy((text) => connection.exec(text), "begin"),
    close: () => Promise.resolve(connection.close()),
  };
}

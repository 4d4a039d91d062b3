import { type Check, RESTORE } from "./check.ts";

/** Pages, tables and indexes, as the engine itself sees them. */
export const structure: Check = async function* ({ connection, problems }) {
  const check = "structure";
  let count = 0;
  for await (const text of problems()) {
    count++;
    yield { check, verdict: "fail", text, advice: RESTORE };
  }
  if (count === 0) {
    const looked = connection.dialect === "sqlite" ? "every page and index" : "tables and indexes";
    yield { check, verdict: "ok", text: `${looked} can be read and agree` };
  }
};

/** What a feature refuses, as a table: one desk for all rows. */
import assert from "node:assert/strict";
import type { Permission } from "../../src/contract/permissions.ts";
import type { FailureCode } from "../../src/kernel/failure-codes.ts";
import { assertFailure } from "./answers.ts";
import { type TestDesk, type TestDeskOptions, testOnEngines } from "./desk.ts";

/** A call and how it is refused; the code decides the status, and the whole body is compared. */
export interface Refusal {
  name: string;
  call: readonly [method: string, path: string, body?: unknown];
  /** Nobody (null), an access token with these permissions alone, or a credential; else the administrator. */
  by?: null | readonly Permission[] | string;
  code: FailureCode;
  /** Where it is neither the code's own, nor the denial of the path, nor the first of what is invalid. */
  message?: string;
  errors?: readonly string[];
}

/** Rows over what was made for them, and what none of them may change. */
export interface Refusals {
  rows: readonly Refusal[];
  unchanged(): Promise<unknown>;
}

/**
 * Registers a test for each engine: every row is refused exactly so, and nothing has changed behind them all. Each row
 * that is not is named.
 */
export function testRefusals(
  feature: string,
  prepare: (desk: TestDesk) => Promise<Refusals>,
  options: TestDeskOptions = {},
): void {
  testOnEngines(
    `${feature}: each refusal says what it should, and changes nothing`,
    async (desk) => {
      const { rows, unchanged } = await prepare(desk);
      assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length, "a name stands twice");
      const before = await unchanged();
      const wrong: string[] = [];
      for (const row of rows) {
        await refused(desk, row).catch((error) => wrong.push(`${row.name}: ${error.message}`));
      }
      assert.deepEqual(wrong, []);
      assert.deepEqual(await unchanged(), before);
    },
    options,
  );
}

/** The row of a call by nobody: 401. */
export function unauthenticated(...call: Refusal["call"]): Refusal {
  return { name: `${call[0]} ${call[1]} by nobody`, call, by: null, code: "not_authorised" };
}

/** The row of a call that these permissions alone do not open: 403. */
export function denied(call: Refusal["call"], ...by: Permission[]): Refusal {
  return { name: `${call[0]} ${call[1]} by ${by.join(", ")}`, call, by, code: "access_denied" };
}

/** The row of an object that is none, or not the caller's: 404. */
export function absent(call: Refusal["call"], by?: string): Refusal {
  const name = `${call[0]} ${call[1]} of ${by === undefined ? "nothing" : "another organisation"}`;
  return { name, call, code: "not_found", ...by === undefined ? {} : { by } };
}

/** The row of a body or query with these problems: 400. */
export function invalid(name: string, call: Refusal["call"], ...errors: string[]): Refusal {
  return { name, call, code: "invalid_input", errors };
}

async function refused(desk: TestDesk, { call, by, code, message, errors }: Refusal) {
  const [method, path, body = null] = call;
  const credential = typeof by === "object" && by !== null ? await desk.token(by) : by;
  const response = await desk.send(method, path, {
    body,
    ...credential === undefined ? {} : { credential },
  });
  const said = message ?? saidOf(code, path, errors);
  await assertFailure(response, code, {
    ...said === undefined ? {} : { message: said },
    ...errors === undefined ? {} : { errors },
  });
}

function saidOf(code: FailureCode, path: string, errors?: readonly string[]): string | undefined {
  if (code === "invalid_input") return errors?.[0];
  if (code !== "access_denied") return undefined;
  return `access denied: You do not have permission to access  ${path.replace(/\?.*/, "")}`;
}

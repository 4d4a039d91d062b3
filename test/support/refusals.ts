/** What a feature refuses, as a table: one desk for all rows. */
import assert from "node:assert/strict";
import type { Permission } from "../../src/contract/permissions.ts";
import type { FailureCode } from "../../src/kernel/failure-codes.ts";
import { assertFailure } from "./answers.ts";
import { type TestDesk, type TestDeskOptions, testOnEngines } from "./desk.ts";
import { changesIn } from "./stored.ts";

/** A call and how it is refused; the code decides the status, and the whole body is compared. */
export interface Refusal {
  name: string;
  call: readonly [method: string, path: string, body?: unknown];
  /**
   * Nobody (null), an access token with these permissions alone, or a credential; else the
   * administrator.
   */
  by?: null | readonly Permission[] | string;
  /** Sent besides. */
  headers?: Record<string, string>;
  code: FailureCode;
  /**
   * Where it is neither the code's own, nor the denial of the path, nor the first of what is
   * invalid.
   */
  message?: string;
  errors?: readonly string[];
  /** Headers of the answer; null: it has none of that name. */
  answers?: Record<string, string | null>;
}

/** Rows over what was made for them. */
export interface Refusals {
  rows: readonly Refusal[];
  /** What none of them may change, beside what leaves an audit or an outbox row. */
  unchanged?(): Promise<unknown>;
}

/**
 * Registers a test for each engine: every row is refused exactly so, and nothing has changed behind
 * them all: no row has left an audit or an outbox row of a change in any organisation. Each row
 * that is not refused so is named.
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
      const credentials = await credentialsFor(desk, rows);
      const state = () => Promise.all([changesIn(desk), unchanged?.()]);
      const before = await state();
      const wrong: string[] = [];
      for (const row of rows) {
        await refused(desk, row, credentials)
          .catch((error) => wrong.push(`${row.name}: ${error.message}`));
      }
      assert.deepEqual(wrong, []);
      assert.deepEqual(await state(), before);
    },
    options,
  );
}

/** The row of a call by nobody: 401. */
export function unauthenticated(...call: Refusal["call"]): Refusal {
  return {
    name: `${call[0]} ${call[1]} by nobody`,
    call,
    by: null,
    code: "not_authorised",
    answers: { "www-authenticate": "Bearer" },
  };
}

/** The row of a call that these permissions alone do not open: 403. */
export function denied(call: Refusal["call"], ...by: Permission[]): Refusal {
  return { name: `${call[0]} ${call[1]} by ${by.join(", ")}`, call, by, code: "access_denied" };
}

/** The row of an object that is none, or not the caller's: 404. */
export function absent(
  call: Refusal["call"],
  by?: string,
  code: FailureCode = "not_found",
): Refusal {
  const name = `${call[0]} ${call[1]} of ${by === undefined ? "nothing" : "another organisation"}`;
  return { name, call, code, ...by === undefined ? {} : { by } };
}

/** The row of a body or query with these problems: 400. */
export function invalid(name: string, call: Refusal["call"], ...errors: string[]): Refusal {
  return { name, call, code: "invalid_input", errors };
}

/**
 * One access token for each set of permissions among the rows, made before anything is compared.
 */
async function credentialsFor(
  desk: TestDesk,
  rows: readonly Refusal[],
): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>();
  for (const { by } of rows) {
    if (typeof by !== "object" || by === null || made.has(by.join())) continue;
    made.set(by.join(), await desk.token(by));
  }
  return made;
}

async function refused(
  desk: TestDesk,
  { call, by, headers = {}, code, message, errors, answers = {} }: Refusal,
  credentials: ReadonlyMap<string, string>,
): Promise<void> {
  const [method, path, body = null] = call;
  const credential = typeof by === "object" && by !== null ? credentials.get(by.join()) : by;
  const response = await desk.send(method, path, {
    body,
    headers,
    ...credential === undefined ? {} : { credential },
  });
  const said = message ?? saidOf(code, path, errors);
  await assertFailure(response, code, {
    ...said === undefined ? {} : { message: said },
    ...errors === undefined ? {} : { errors },
  });
  for (const [name, value] of Object.entries(answers)) {
    assert.equal(response.headers.get(name), value, name);
  }
}

function saidOf(code: FailureCode, path: string, errors?: readonly string[]): string | undefined {
  if (code === "invalid_input") return errors?.[0];
  if (code !== "access_denied") return undefined;
  return `access denied: You do not have permission to access  ${path.replace(/\?.*/, "")}`;
}

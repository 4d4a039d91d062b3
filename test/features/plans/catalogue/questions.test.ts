/** Questions to developers: their texts, kinds and choices, and answers that fit them. */
import assert from "node:assert/strict";
import type { z } from "zod";
import type { v1Plan } from "../../../../src/features/plans/catalogue/v1.contract.ts";
import {
  questionsIn,
  storedQuestions,
  USE_CASE,
  wrongAnswers,
} from "../../../../src/features/plans/catalogue/questions.ts";
import { assertInvalid } from "../../../support/answers.ts";
import { addPlan, CATALOGUE, CONFIGURATION, post, succeed } from "../../../support/companions.ts";
import { type TestDesk, testOnEngines } from "../../../support/desk.ts";

type Plan = z.output<typeof v1Plan>;

const asked = async (desk: TestDesk) =>
  (await succeed<Plan>(desk, "GET", "/v1/plans/gold")).key_request_fields;

testOnEngines(
  "questions: an organisation that has stored none asks one, which may stay open",
  async (desk) => {
    await addPlan(desk, { id: "gold", name: "Gold" });
    assert.deepEqual(await asked(desk), [USE_CASE]);
    assert.equal(USE_CASE.required, false);
    const shown = await succeed(desk, "GET", "/v1/developer-pages/fields");
    assert.deepEqual(shown, { sign_up_fields: [], key_request_fields: [USE_CASE] });
    // A decision alone takes no question away.
    await post(desk, CATALOGUE, { apis: [{ api_id: "a", policy_id: "gold", name: "A" }] });
    const body = { approval: "automatic" };
    await succeed(desk, "PUT", "/v1/plans/gold/approval", { body });
    assert.deepEqual(await asked(desk), [USE_CASE]);
    // Stored, none is none.
    await succeed(desk, "PUT", "/v1/plans/gold/approval", { body: { key_request_fields: [] } });
    assert.deepEqual(await asked(desk), []);
    await post(desk, CONFIGURATION, { key_request_fields: [] });
    const { key_request_fields } = await succeed<Record<string, unknown>>(
      desk,
      "GET",
      "/v1/developer-pages/fields",
    );
    assert.deepEqual(key_request_fields, []);
  },
);

testOnEngines("questions: text, kind and choices are kept, and shown again", async (desk) => {
  await addPlan(desk, { id: "gold", name: "Gold" });
  const key_request_fields = [
    { name: "team", label: "Which team?", kind: "choice", choices: ["A", "B"], required: true },
    { name: "calls", label: "Calls a day", kind: "number", choices: [], required: false },
    { name: "cost_center", kind: "text", required: false },
    { name: "why", required: true },
  ];
  const set = (fields: unknown[]) =>
    desk.send("PUT", "/v1/developer-pages/fields", { body: { key_request_fields: fields } });
  assert.equal((await set(key_request_fields)).status, 200);
  const shown = [
    key_request_fields[0],
    key_request_fields[1],
    { name: "cost_center", label: "Cost center", kind: "text", choices: [], required: false },
    { name: "why", label: "Why", kind: "long_text", choices: [], required: true },
  ];
  assert.deepEqual(await asked(desk), shown);
  // What is sent as it was shown changes nothing.
  assert.equal((await set(await asked(desk))).status, 200);
  const stored = await succeed<{ key_request_fields: unknown[] }>(desk, "GET", CONFIGURATION);
  assert.deepEqual(stored.key_request_fields, [
    { name: "team", required: true, label: "Which team?", kind: "choice", choices: ["A", "B"] },
    { name: "calls", required: false, label: "Calls a day", kind: "number" },
    { name: "cost_center", required: false, kind: "text" },
    { name: "why", required: true },
  ]);
  const odd: readonly [object, string][] = [
    [{ kind: "choice" }, "choices: expected choices for the kind choice, and for no other"],
    [
      { kind: "text", choices: ["a"] },
      "choices: expected choices for the kind choice, and for no other",
    ],
    [{ kind: "choice", choices: ["a", "a"] }, "choices: expected each choice once"],
    [{ kind: "date" }, "kind: expected text, long_text, number, choice"],
  ];
  for (const [part, detail] of odd) {
    await assertInvalid(
      await set([{ name: "a", required: false, ...part }]),
      `key_request_fields[0].${detail}`,
    );
  }
});

Deno.test("questions: a portal's own spelling and members stay with the question of that name", () => {
  const portals = [{ Name: "use", Required: true, hint: "x" }, "team", 7, {}, { name: null }];
  assert.deepEqual(
    questionsIn(portals, true).map(({ name, label, required }) => [
      name,
      label,
      required,
    ]),
    [["use", "Use", true], ["team", "Team", true]],
  );
  const wanted = [
    { name: "team", required: true },
    { name: "use", label: "Use it?", kind: "text" as const, required: false },
  ];
  assert.deepEqual(storedQuestions(wanted, portals, true), [
    "team",
    { Name: "use", Required: false, hint: "x", label: "Use it?", kind: "text" },
  ]);
});

Deno.test("questions: an answer fits its kind, and a blank one is none", () => {
  const of = (kind: "text" | "long_text" | "number" | "choice", choices: string[] = []) =>
    [{ name: "a", label: "A", kind, choices, required: false }] as const;
  const isWrong = (questions: ReturnType<typeof of>, a: string) =>
    wrongAnswers(questions, { a }).length > 0;
  for (const text of ["1", "-20", "0.5", " 7 ", "", "  "]) {
    assert.equal(isWrong(of("number"), text), false, text);
  }
  for (const text of ["1e9", "1,5", "x", "--1", "1.", "9".repeat(16)]) {
    assert.equal(isWrong(of("number"), text), true, text);
  }
  assert.equal(isWrong(of("choice", ["x", "y"]), "y"), false);
  assert.equal(isWrong(of("choice", ["x", "y"]), "z"), true);
  assert.equal(isWrong(of("text"), "anything"), false);
  assert.deepEqual(wrongAnswers(of("number"), {}), []);
});

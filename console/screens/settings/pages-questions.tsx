import type { z } from "zod";
import type { pagesFields } from "../../../src/features/portal/access/questions.operations.ts";
import { api } from "../../api/client.ts";
import { putPagesFields } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { askedOf, QuestionLines } from "../../parts/question-lines.tsx";

/** What developers are asked for. */
export type Asked = z.output<typeof pagesFields>;

const PLACES = { sign_up_fields: "sign_up_fields", key_request_fields: "key_request_fields" };

/** Changes what developers are asked for. */
export function PagesQuestions({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  return (
    <FormDialog
      name="questions"
      title="Change what developers are asked for"
      note="A plan that asks for something of its own goes on doing so."
      action="Save"
      initial={asked}
      places={PLACES}
      onSave={async ({ sign_up_fields, key_request_fields }) => {
        const body = {
          sign_up_fields: askedOf(sign_up_fields, "sign_up_fields"),
          key_request_fields: askedOf(key_request_fields, "key_request_fields"),
        };
        queries.setQueryData(["pages-fields"], await api.call(putPagesFields, { body }));
      }}
      onClose={onClose}
      fields={({ draft, set, errors }) => [
        <QuestionLines
          key="sign_up_fields"
          legend="At sign-up, beside address and name"
          add="Add a question at sign-up"
          questions={draft.sign_up_fields}
          error={errors.sign_up_fields}
          onChange={(sign_up_fields) => set({ sign_up_fields })}
        />,
        <QuestionLines
          key="key_request_fields"
          legend="With a key request"
          add="Add a question to requests"
          questions={draft.key_request_fields}
          error={errors.key_request_fields}
          onChange={(key_request_fields) => set({ key_request_fields })}
        />,
      ]}
    />
  );
}

import { useRef } from "preact/hooks";
import { api } from "../../api/client.ts";
import { getPlan, setPlanApproval } from "../../api/endpoints.ts";
import { CloseButton } from "../../parts/button.tsx";
import { saveUnlessChanged } from "../../parts/conflict.ts";
import { CheckField, SelectField } from "../../parts/fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { forgetPlans, type Plan } from "./plan.ts";

interface Question {
  name: string;
  required: boolean;
}

interface Draft {
  approval: Plan["approval"];
  questions: Question[];
}

/** Changes how requests for a plan are decided, and what they are asked. */
export function ApprovalForm({ plan, onSaved, onClose }: {
  plan: Plan;
  onSaved: (plan: Plan) => void;
  onClose: () => void;
}) {
  const known = useRef(plan);
  const { id } = plan;
  const save = async ({ approval, questions }: Draft) => {
    const key_request_fields = questions.filter(({ name }) => name.trim() !== "")
      .map(({ name, required }) => ({ name: name.trim(), required }));
    if (new Set(key_request_fields.map(({ name }) => name)).size < key_request_fields.length) {
      throw new Unfit({ questions: "A question is there twice." });
    }
    const saved = await saveUnlessChanged(
      id,
      () =>
        api.call(setPlanApproval, {
          params: { id },
          body: { approval, key_request_fields },
          headers: { "if-match": `"${known.current.revision}"` },
        }),
      async () => draftOf(known.current = await api.call(getPlan, { params: { id } })),
    );
    forgetPlans();
    toast({ text: say`Requests for ${saved.name} are changed.` });
    onSaved(saved);
  };
  return (
    <FormDialog<Draft>
      name={`approval of ${id}`}
      title={say`Requests for ${plan.name}`}
      note="It counts for requests from now on, in every entry of the catalogue for this plan."
      action="Save"
      initial={draftOf(plan)}
      places={{ approval: "approval", key_request_fields: "questions" }}
      onSave={save}
      onClose={onClose}
    >
      {({ draft: { approval, questions }, set, errors }) => (
        <>
          <SelectField
            label="Decision"
            value={approval}
            error={errors.approval}
            options={[
              { value: "manual", text: "Somebody decides" },
              { value: "automatic", text: "Approved at once" },
            ]}
            onChange={(value) => set({ approval: value === "automatic" ? value : "manual" })}
          />
          <fieldset class="lines">
            <legend class="field-label">They answer</legend>
            {questions.map((question, at) => {
              const change = (part: Partial<Question>) =>
                set({
                  questions: questions.map((one, index) =>
                    index === at ? { ...one, ...part } : one
                  ),
                });
              return (
                <div key={at} class="line is-question">
                  <input
                    class="input"
                    aria-label={`Question ${at + 1}`}
                    value={question.name}
                    maxLength={100}
                    onInput={(event) => change({ name: event.currentTarget.value })}
                  />
                  <CheckField
                    label="must"
                    checked={question.required}
                    onChange={(required) => change({ required })}
                  />
                  <CloseButton
                    label={say`Remove ${question.name || `question ${at + 1}`}`}
                    onClick={() => set({ questions: questions.filter((_, index) => index !== at) })}
                  />
                </div>
              );
            })}
            <button
              type="button"
              class="link-button"
              onClick={() => set({ questions: [...questions, { name: "", required: false }] })}
            >
              Add a question
            </button>
            {errors.questions && <p class="field-error" role="alert">{errors.questions}</p>}
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}

function draftOf({ approval, key_request_fields }: Plan): Draft {
  return { approval, questions: key_request_fields };
}

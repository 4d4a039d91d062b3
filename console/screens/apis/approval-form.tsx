import { useRef } from "preact/hooks";
import { api } from "../../api/client.ts";
import { getPlan, setPlanApproval } from "../../api/endpoints.ts";
import { saveUnlessChanged } from "../../parts/conflict.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { askedOf, type Question, QuestionLines } from "../../parts/question-lines.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { forgetPlans, type Plan } from "./plan.ts";

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
    const key_request_fields = askedOf(questions, "questions");
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
      places={{ key_request_fields: "questions" }}
      onSave={save}
      onClose={onClose}
      fields={({ draft: { questions }, set, errors }) => [
        {
          of: "approval",
          label: "Decision",
          options: [
            { value: "manual", text: "A person decides" },
            { value: "automatic", text: "Approved at once" },
          ],
        },
        <QuestionLines
          key="questions"
          legend="They answer"
          questions={questions}
          error={errors.questions}
          onChange={(changed) => set({ questions: changed })}
        />,
      ]}
    />
  );
}

function draftOf({ approval, key_request_fields }: Plan): Draft {
  return { approval, questions: key_request_fields };
}

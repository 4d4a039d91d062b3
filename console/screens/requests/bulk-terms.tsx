import { useState } from "preact/hooks";
import { TextField } from "../../parts/fields.tsx";
import { useKeyEnd } from "../../parts/key-end.tsx";
import { problemsOf } from "../../parts/form-problems.ts";
import { ConditionFields, noTerms, sentConditions, termsPlaces } from "./granted-fields.tsx";

/** The common terms of several approvals: a reason, an expiry, and conditions of each key. */
export function useBulkTerms() {
  const [reason, setReason] = useState("");
  const [message, setMessage] = useState("");
  const [draft, setDraft] = useState(noTerms);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const end = useKeyEnd();
  return {
    /** Changes with what is sent. */
    text: JSON.stringify([reason, message, draft, end.text]),
    /** The value for calls; undefined: the expiry is invalid, and its field says so. */
    sent() {
      const ends = end.sent();
      if (!ends) return undefined;
      setErrors({});
      const conditions = sentConditions(draft);
      return {
        reason: reason.trim() || undefined,
        message: message.trim() || undefined,
        ...Object.keys(conditions).length > 0 ? { conditions } : {},
        ...ends,
      };
    },
    /** Shows what the server says of a field; throws what is of none. */
    refused(error: unknown): void {
      const { fields, rest } = problemsOf(error, termsPlaces);
      setErrors(fields);
      if (rest !== "" || Object.keys(fields).length === 0) throw error;
    },
    fields: (
      <>
        {end.field}
        <details class="label-fold">
          <summary>Conditions of each key</summary>
          <div class="label-fields">
            <ConditionFields
              draft={draft}
              errors={errors}
              onChange={(change) => {
                setDraft({ ...draft, ...change });
                setErrors({});
              }}
            />
          </div>
        </details>
        <TextField
          label="Why (optional)"
          hint="It is shown with each request and in the audit log; no developer reads it."
          value={reason}
          maxLength={2000}
          rows={2}
          onInput={setReason}
        />
        <TextField
          label="Message to each developer (optional)"
          hint="The mail and their pages show it."
          value={message}
          maxLength={2000}
          rows={2}
          onInput={setMessage}
        />
      </>
    ),
  };
}

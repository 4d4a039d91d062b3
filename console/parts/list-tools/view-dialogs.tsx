import { may } from "../../api/session.ts";
import { say } from "../../said.ts";
import { announce } from "../announcer.tsx";
import { Confirm } from "../confirm.tsx";
import { CheckField, TextField } from "../fields.tsx";
import { FormDialog } from "../form-dialog.tsx";
import type { ListName } from "./facts.ts";
import { addView, changeView, type Draft, dropView, type View } from "./views.ts";
import type { Asked } from "./views-menu.tsx";

/** The dialogs of views: a name for a new one, another name, and whether it may go. */
export function ViewDialogs({ asked, list, current, draft, onSaved, onDeleted, onClose }: {
  asked: Asked;
  list: ListName;
  current: View | undefined;
  /** What the list shows now. */
  draft: Pick<Draft, "query">;
  onSaved: (view: View) => void;
  onDeleted: () => void;
  onClose: () => void;
}) {
  if (asked === "delete" && current) {
    return (
      <Confirm
        title={say`Delete the view “${current.name}”?`}
        note={current.shared
          ? "Everybody loses it. The list itself stays as it is."
          : "The list itself stays as it is."}
        action="Delete view"
        danger
        onConfirm={async () => {
          await dropView(current);
          announce("The view is deleted.");
          onDeleted();
        }}
        onClose={onClose}
      />
    );
  }
  const renamed = asked === "rename" ? current : undefined;
  return (
    <FormDialog
      name={renamed ? `view ${renamed.id}` : `new view of ${list}`}
      title={renamed ? "Rename the view" : "Save a view"}
      note={renamed ? undefined : "It keeps the filters, search and order of this moment."}
      action="Save"
      initial={{ name: renamed?.name ?? "", shared: false }}
      places={{ name: "name" }}
      onSave={async ({ name, shared }) => {
        const saved = renamed
          ? await changeView(renamed, { ...renamed, name })
          : await addView(list, { ...draft, name, shared });
        announce(say`The view ${saved.name} is saved.`);
        onSaved(saved);
      }}
      onClose={onClose}
    >
      {({ draft, set, errors }) => (
        <>
          <TextField
            label="Name"
            required
            autoFocus
            maxLength={60}
            value={draft.name}
            error={errors.name}
            onInput={(name) => set({ name })}
          />
          {!renamed && may("admin") && (
            <CheckField
              label="Share with everybody"
              hint="Everybody who may read this list has it. They see only what they may see anyway."
              checked={draft.shared}
              onChange={(shared) => set({ shared })}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

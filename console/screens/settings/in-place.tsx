import type { ComponentChildren } from "preact";
import type { Permission } from "../../../src/contract/permissions.ts";
import { may } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { ask, type Question } from "../../parts/confirm.tsx";
import { fieldsOf } from "../../parts/form-fields.tsx";
import { type FormProps, useForm } from "../../parts/form-state.ts";
import { Managed } from "../../parts/managed.tsx";
import { toast } from "../../parts/toasts.tsx";
import { permissionName } from "./permission-words.ts";

/**
 * Settings that are changed where they are read. A switch is saved at once; of other fields Save
 * appears when one was changed. A refusal is at its field. Without the permission `needs` all is
 * disabled, with the reason.
 */
export function InPlace<Draft extends object>(
  {
    title,
    level = 2,
    note,
    managed,
    base,
    needs = "admin",
    saved = "Saved.",
    confirms = {},
    ...declared
  }:
    & FormProps<Draft>
    & {
      title: string;
      /** Of the title among headings. */
      level?: 2 | 3;
      note?: ComponentChildren;
      /** The kind of what is changed here, if a file may manage it. */
      managed?: string;
      /** The present values. */
      base: Draft;
      /** "": no permission is needed. */
      needs?: Permission | "";
      saved?: string;
      /** Asked before a switch is turned off, by its name. */
      confirms?: { [Name in keyof Draft]?: Omit<Question, "run" | "done"> };
    },
) {
  const { element, form, shown, problems, busy, save, turn, forget, isTouched } = useForm({
    ...declared,
    base,
  });
  const Title = `h${level}` as const;
  const isLocked = needs !== "" && !may(needs);
  const done = () => {
    // The buttons go, and the focus with them.
    if (document.activeElement?.closest(".in-place-save")) element.current?.focus();
    forget();
  };
  const submit = async () => {
    if (!await save()) return;
    done();
    toast({ text: saved });
  };
  const change = async (name: keyof Draft & string, value: boolean) => {
    if (await turn(name, value)) toast({ text: saved });
  };
  const turned = (name: keyof Draft & string, value: boolean) => {
    const question = value ? undefined : confirms[name];
    if (!question) return void change(name, value);
    // The switch shows the present value until the question is answered.
    form.set({});
    ask({ ...question, run: () => change(name, value) });
  };
  return (
    <form
      ref={element}
      class="in-place"
      aria-label={title}
      tabIndex={-1}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && isTouched) void submit();
      }}
    >
      <Title class="group-title">{title}</Title>
      {note && <p class="muted">{note}</p>}
      {managed && <Managed kind={managed} />}
      {isLocked && needs && (
        <p class="muted">To change this you need the permission “{permissionName(needs)}”.</p>
      )}
      <fieldset class="in-place-fields" disabled={isLocked}>
        {fieldsOf({ ...form, turn: turned }, shown)}
      </fieldset>
      {problems.rest !== "" && <p class="notice is-bad" role="alert">{problems.rest}</p>}
      {isTouched && !isLocked && (
        <div class="in-place-save">
          <Button kind="primary" type="submit" busy={busy}>Save</Button>
          <Button disabled={busy} onClick={done}>Undo changes</Button>
        </div>
      )}
    </form>
  );
}

import { Button } from "../../parts/button.tsx";
import { Dialog, DialogButtons } from "../../parts/dialog.tsx";
import { groups, keyName } from "../../parts/shortcuts.ts";

/** Every shortcut that does something on this screen. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const shown = groups.value.toReversed().filter(({ shortcuts }) =>
    shortcuts.some(({ label }) => label !== "")
  );
  return (
    <Dialog title="Keyboard shortcuts" wide onClose={onClose}>
      <div class="shortcut-groups">
        {shown.map(({ title, shortcuts }) => (
          <section key={title}>
            <h3 class="group-title">{title}</h3>
            <dl class="shortcuts">
              {shortcuts.filter(({ label }) => label !== "").map(({ label, keys }) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>
                    {keys.map((key) => <kbd key={key} class="key">{keyName(key)}</kbd>)}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <DialogButtons>
        <Button onClick={onClose} autoFocus>Close</Button>
      </DialogButtons>
    </Dialog>
  );
}

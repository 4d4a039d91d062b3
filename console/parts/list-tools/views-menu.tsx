import { Link } from "wouter-preact";
import { may } from "../../api/session.ts";
import { facts, type ListName } from "./facts.ts";
import { Menu } from "./menu.tsx";
import { hrefOfView, type View } from "./views.ts";

/** The actions on a view. */
export type Asked = "save" | "rename";

/** The views of a list, and what can be done with the one that is shown. */
export function ViewsMenu(
  { list, views, current, isChanged, onAsk, onUpdate, onDelete, onShare }: {
    list: ListName;
    views: readonly View[];
    current: View | undefined;
    isChanged: boolean;
    onAsk: (asked: Asked) => void;
    onUpdate: () => void;
    onDelete: () => void;
    onShare: (shared: boolean) => void;
  },
) {
  const own = views.filter(({ shared }) => !shared);
  const shared = views.filter((view) => view.shared);
  const mayShare = may("admin");
  return (
    <Menu
      label="Views"
      text={current
        ? (
          <>
            <span class="unseen">View:&nbsp;</span>
            <span class="menu-name">{current.name}</span>
            {isChanged && <small>&nbsp;changed</small>}
          </>
        )
        : "Views"}
      isSet={current !== undefined}
    >
      {(close) => {
        const link = (view: View) => (
          <li key={view.id}>
            <Link
              class="menu-item"
              href={hrefOfView(view)}
              aria-current={view.id === current?.id ? "true" : undefined}
              onClick={close}
            >
              <span>{view.name}</span>
              {view.shared && !view.mine && <small>{view.owner_name}</small>}
            </Link>
          </li>
        );
        const item = (text: string, run: () => void) => (
          <li key={text}>
            <button
              type="button"
              class="menu-item"
              onClick={() => {
                close();
                run();
              }}
            >
              {text}
            </button>
          </li>
        );
        return (
          <div class="menu-body">
            {views.length === 0 && (
              <p class="menu-note">
                A view keeps filters, search and order of this list under a name.
              </p>
            )}
            {own.length > 0 && (
              <>
                <h2>Yours</h2>
                <ul>{own.map(link)}</ul>
              </>
            )}
            {shared.length > 0 && (
              <>
                <h2>Shared</h2>
                <ul>{shared.map(link)}</ul>
              </>
            )}
            <ul class="menu-acts">
              {current && (
                <li>
                  <Link class="menu-item" href={facts[list].path} onClick={close}>
                    Leave this view
                  </Link>
                </li>
              )}
              {current?.may_change && isChanged && item("Save changes to this view", onUpdate)}
              {item("Save as a new view…", () => onAsk("save"))}
              {current?.may_change && item("Rename…", () => onAsk("rename"))}
              {current?.may_change && mayShare && !current.shared &&
                item("Share with everybody", () => onShare(true))}
              {current?.may_change && current.shared && current.mine &&
                item("Stop sharing", () => onShare(false))}
              {current?.may_change && item("Delete…", onDelete)}
            </ul>
          </div>
        );
      }}
    </Menu>
  );
}

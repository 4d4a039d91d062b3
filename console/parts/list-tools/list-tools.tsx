import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useLocation, useSearch } from "wouter-preact";
import { wordsOf } from "../../api/client.ts";
import { may } from "../../api/session.ts";
import { listed, say } from "../../said.ts";
import { ask } from "../confirm.tsx";
import { Filter } from "../fields.tsx";
import { FormDialog } from "../form-dialog.tsx";
import type { Column } from "../list-table.tsx";
import { announce } from "../announcer.tsx";
import { readStyles } from "../read-styles.ts";
import { toast } from "../toasts.tsx";
import { ColumnsMenu } from "./columns-menu.tsx";
import { columnOf, facts, knownOf, type ListName, type Order } from "./facts.ts";
import type { ListToolsProps } from "./look.ts";
import { SortHead } from "./sort-head.tsx";
import {
  addView,
  changeView,
  type Draft,
  dropView,
  hrefOfView,
  useOwnColumns,
  useViews,
  type View,
} from "./views.ts";
import { type Asked, ViewsMenu } from "./views-menu.tsx";

/** Views, columns and order of a list. */
export default function ListTools({ list, onLook }: ListToolsProps) {
  const { names, orders, hasOrder, goes = () => true } = facts[list];
  const [path, navigate] = useLocation();
  const here = useRef(path);
  here.current = path;
  const search = useSearch();
  const address = new URLSearchParams(search);
  const query = Object.fromEntries(
    names.map((name) => [name, address.get(name) ?? ""]).filter(([, value]) => value !== ""),
  ) as Record<string, string>;
  const views = useViews();
  const viewId = address.get("view") ?? "";
  const current = views?.find((one) => one.id === viewId && one.list === list);
  const { known, unknown } = useMemo(
    () => knownOf(list, current?.query ?? {}),
    [current?.revision],
  );
  const [columns, choose] = useOwnColumns(list);
  const [asked, setAsked] = useState<Asked>();

  // An address that names a view and nothing else shows what the view says.
  const isBare = current !== undefined && Object.keys(query).length === 0;
  const expands = isBare && Object.keys(known).length > 0;
  const [expanded, setExpanded] = useState("");
  useLayoutEffect(() => {
    if (!current || expanded === current.id) return;
    setExpanded(current.id);
    if (expands) {
      navigate(`${path}?${new URLSearchParams({ ...known, view: current.id })}`, { replace: true });
    }
  }, [current?.id]);
  const isChanged = current !== undefined && sameText(query) !== sameText(known);

  const word = query.sort ?? "";
  const permitted = orders.filter((order) => goes(order, query));
  const permittedWords = permitted.map((order) => order.word).join();
  const order = permitted.find((one) => one.word === word) ??
    permitted.find((one) => one.word === "");
  const sort = (to: Order) => {
    const next = new URLSearchParams(location.search);
    if (to.word === "") next.delete("sort");
    else next.set("sort", to.word);
    const text = next.toString();
    navigate(text === "" ? here.current : `${here.current}?${text}`);
    announce(say`${facts[list].title}: ${to.text}.`);
  };
  const name = current ? say`${current.name}${isChanged ? " (changed)" : ""}` : "";
  useLayoutEffect(() => {
    const dress = <Row,>(all: readonly Column<Row>[]): readonly Column<Row>[] =>
      all.map((column, index) => {
        const is = columnOf(list, column.title);
        const isHidden = index > 0 && is !== undefined && columns !== null &&
          !columns.includes(is) && is in facts[list].columns;
        const own = permitted.filter((one) => one.column === is);
        return {
          ...column,
          class: isHidden ? `${column.class} is-unchosen` : column.class,
          ...own.length > 0 && is !== undefined
            ? {
              sorted: order?.column === is ? order.way : undefined,
              head: <SortHead title={column.title} orders={own} now={order} onSort={sort} />,
            }
            : {},
        };
      });
    onLook({ dress, name });
  }, [list, name, columns?.join(), permittedWords, order?.word]);

  const saved = (view: View) => {
    setExpanded(view.id);
    navigate(hrefOfView(view), { replace: true });
  };
  const change = async (draft: Partial<View>, said: string) => {
    if (!current) return;
    try {
      await changeView(current, { ...current, ...draft });
      toast({ text: said });
    } catch (error) {
      toast({ text: wordsOf(error) });
    }
  };
  const remove = (view: View) =>
    ask({
      title: say`Delete the view “${view.name}”?`,
      note: view.shared
        ? "Everybody loses it. The list itself stays as it is."
        : "The list itself stays as it is.",
      action: "Delete view",
      danger: true,
      run: async () => {
        await dropView(view);
        announce("The view is deleted.");
        navigate(path, { replace: true });
      },
    });
  useEffect(() => {
    if (unknown.length > 0) announce(leftOut(unknown));
  }, [unknown]);
  return (
    <>
      {unknown.length > 0 && <span class="view-note">{leftOut(unknown)}</span>}
      {views && viewId !== "" && !current && (
        <span class="view-note">This view was removed or is no longer shared with you.</span>
      )}
      {!hasOrder && permitted.length > 1 && (
        <Filter
          label="Order"
          value={order?.word ?? ""}
          options={permitted.map(({ word, text }) => ({ value: word, text }))}
          onChange={(to) => {
            const chosen = permitted.find((one) => one.word === to);
            if (chosen) sort(chosen);
          }}
        />
      )}
      <ViewsMenu
        list={list}
        views={(views ?? []).filter((one) => one.list === list)}
        current={current}
        isChanged={isChanged}
        onAsk={setAsked}
        onDelete={() => current && remove(current)}
        onUpdate={() => void change({ query }, "The view is saved.")}
        onShare={(shared) =>
          void change(
            { shared },
            shared ? "Everybody has this view now." : "The view is yours alone.",
          )}
      />
      <ColumnsMenu
        list={list}
        chosen={columns}
        onChoose={(next) => void choose(next).catch((error) => toast({ text: wordsOf(error) }))}
      />
      {asked && (
        <ViewDialog
          asked={asked}
          list={list}
          current={current}
          draft={{ query }}
          onSaved={saved}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

/** Equal for what is the same, in whatever order. */
function sameText(value: object): string {
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}

function leftOut(unknown: readonly string[]): string {
  return `This list does not know ${listed(unknown, " and ")} of the view, and leaves it out.`;
}

/** Resolves when the styles of the tools are there. */
export function readOwnStyles(): Promise<void> {
  return readStyles(new URL("./list-tools.css", import.meta.url).href);
}

/** A name for a new view, or another name. */
function ViewDialog({ asked, list, current, draft, onSaved, onClose }: {
  asked: Asked;
  list: ListName;
  current: View | undefined;
  /** The list's present query. */
  draft: Pick<Draft, "query">;
  onSaved: (view: View) => void;
  onClose: () => void;
}) {
  const renamed = asked === "rename" ? current : undefined;
  return (
    <FormDialog
      name={renamed ? `view ${renamed.id}` : `new view of ${list}`}
      title={renamed ? "Rename the view" : "Save a view"}
      note={renamed ? undefined : "It keeps the filters, search and order of this moment."}
      action="Save"
      initial={{ name: renamed?.name ?? "", shared: false }}
      onSave={async ({ name, shared }) => {
        const saved = renamed
          ? await changeView(renamed, { ...renamed, name })
          : await addView(list, { ...draft, name, shared });
        announce(say`The view ${saved.name} is saved.`);
        onSaved(saved);
      }}
      onClose={onClose}
      fields={[
        { of: "name", label: "Name", required: true, autoFocus: true, maxLength: 60 },
        !renamed && may("admin") && {
          of: "shared",
          label: "Share with everybody",
          hint: "Everybody who may read this list has it. They see only what they may see anyway.",
        },
      ]}
    />
  );
}

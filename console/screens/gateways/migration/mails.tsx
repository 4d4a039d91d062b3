import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { z } from "zod";
import type { draftMigrationMails } from "../../../../src/features/migration/shadow-mode/migration-report.operations.ts";
import { api } from "../../../api/client.ts";
import { draftMigrationMails as endpoint } from "../../../api/migration-endpoints.ts";
import { CopyField } from "../../../parts/copy.tsx";
import { Drawer } from "../../../parts/drawer.tsx";
import { Filter } from "../../../parts/fields.tsx";
import { useFilters } from "../../../parts/filters.ts";
import { idOf, useListPlace } from "../../../parts/list-place.ts";
import { type Column, lines, ListTable } from "../../../parts/list-table.tsx";
import { Page } from "../../../parts/page.tsx";
import { Empty } from "../../../parts/states.tsx";
import { useList } from "../../../parts/use-list.ts";
import { say } from "../../../said.ts";
import { counted } from "./words.ts";

type Mails = z.output<typeof draftMigrationMails.response>;
type Mail = Mails["data"][number] & { id: string };

const languages = [{ value: "", text: "In English" }, { value: "de", text: "In German" }];

/** Mails to the developers of keys never seen. Nothing is sent. */
export function Mails({ tabs }: { tabs: ComponentChildren }) {
  const [{ language }, setFilters] = useFilters(["language"]);
  const [made, setMade] = useState<Mails>();
  const list = useList<Mail>(`mails ${JSON.stringify(language)}`, idOf, async () => {
    const query = { language: language === "de" ? "de" as const : "en" as const };
    const mails = await api.call(endpoint, { query });
    setMade(mails);
    const data = mails.data.map((one) => ({ ...one, id: one.developer_id }));
    return { data, next_cursor: null };
  });
  list.version.value;
  const place = useListPlace("Drafts of mails", "/gateways/migration", list);
  const { openId, current, hrefOf } = place;
  return (
    <Page
      title="Gateways"
      tabs={tabs}
      tools={made && made.data.length > 0 && <Download of={made} />}
      filters={
        <>
          <Filter
            label="Language"
            value={language}
            options={languages}
            onChange={(value) => setFilters({ language: value })}
          />
          <span class="moving-note">{made ? noteOf(made) : "Nothing is sent."}</span>
        </>
      }
      drawer={openId !== undefined && (
        <MailDrawer
          key={`${openId} ${language}`}
          id={openId}
          of={list.at(list.indexOf(openId))}
          isRead={made !== undefined}
          onClose={place.close}
        />
      )}
    >
      <ListTable
        label="Drafts of mails"
        list={list}
        columns={columns}
        hrefOf={hrefOf}
        nameOf={({ to }) => say`Mail to ${to}`}
        current={current}
        empty={
          <Empty title="There is no one to write to">
            Every key was seen, or no holder of the others has an address that is known.
          </Empty>
        }
      />
    </Page>
  );
}

function noteOf({ data, without_address, more }: Mails): string {
  const withoutMail = without_address.length;
  return say`Nothing is sent: ${counted(data.length, "draft")}.${
    withoutMail > 0 ? say` ${counted(withoutMail, "key")} without a person to mail.` : ""
  }${more ? " They are of the first 10,000 keys never seen." : ""}`;
}

/** All of them as a file, a JSON object a line, as the command line writes it. */
function Download({ of: { data } }: { of: Mails }) {
  const [href, setHref] = useState("");
  useEffect(() => {
    const text = data.map((one) => `${JSON.stringify(one)}\n`).join("");
    const url = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
    setHref(url);
    return () => URL.revokeObjectURL(url);
  }, [data]);
  return <a class="button" href={href} download="never-seen.jsonl">Download all</a>;
}

function MailDrawer({ id, of: mail, isRead, onClose }: {
  id: string;
  of: Mail | undefined;
  isRead: boolean;
  onClose: () => void;
}) {
  if (!mail) {
    return (
      <Drawer of={id} title="Draft" onClose={onClose}>
        {isRead && <Empty title="There is no such draft">Their keys were seen by now.</Empty>}
      </Drawer>
    );
  }
  return (
    <Drawer of={id} title={mail.to} onClose={onClose}>
      <div class="moving-draft">
        <p class="notice">A draft: nothing is sent. Copy it into a mail of yours.</p>
        <CopyField label="To" text={mail.to} />
        <CopyField label="Subject" text={mail.subject} />
        <CopyField label="Text" text={mail.text} lines />
      </div>
      <h3 class="group-title">{counted(mail.keys.length, "key")}</h3>
      <ul class="moving-mailed">
        {mail.keys.map((key) => (
          <li key={key}>
            <Link class="text-link" href={`/keys/${encodeURIComponent(key)}`}>
              <code>…{key.slice(-12)}</code>
            </Link>
          </li>
        ))}
      </ul>
    </Drawer>
  );
}

const columns: readonly Column<Mail>[] = [
  { title: "To", class: "moving-col-key", cell: ({ to, developer_id }) => lines(to, developer_id) },
  { title: "Subject", class: "moving-col-plans", cell: ({ subject }) => subject },
  { title: "Keys", class: "moving-col-calls is-end", cell: ({ keys }) => keys.length },
];

import { useState } from "preact/hooks";
import type { MailKind } from "../../../src/contract/mail-kind.ts";
import { mailKinds } from "../../../src/contract/mail-kinds.ts";
import type { Channel } from "../../api/channels.ts";
import { may } from "../../api/session.ts";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Pill } from "../../parts/pill.tsx";
import { exactTime } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import type { ShownMail } from "./mail-config.ts";
import { isOn, mailTitles, recipients } from "./mail-titles.ts";
import { MailWords } from "./mail-words.tsx";

/** What a mail channel is set to, and each of its mails, which opens its words. */
export default function MailFacts({ of: channel, onChanged }: {
  of: Channel;
  onChanged: (channel: Channel) => void;
}) {
  const [opened, setOpened] = useState<MailKind>();
  const { mail } = channel;
  if (!mail) return null;
  return (
    <>
      <Facts>
        <Fact name="From">
          {listed([mail.from_name, mail.from].filter(Boolean)) || "As the server’s settings say"}
        </Fact>
        <Fact name="Answers to">{mail.reply_to}</Fact>
        <Fact name="Approvers">
          {mail.digest_minutes === 0
            ? "a mail for each request"
            : say`one mail in ${mail.digest_minutes} minutes`}
        </Fact>
        <Fact name="At most">{say`${mail.per_hour} mails an hour to one address`}</Fact>
        <Fact name="Written in">
          {say`${mail.language}, ${mail.time_zone.replaceAll("_", " ")}`}
        </Fact>
        <Fact name="Added">{exactTime(channel.created_at)}</Fact>
      </Facts>
      <h3 class="group-title">Mails</h3>
      <ul class="mail-list">
        {mailKinds.map((kind) => (
          <li key={kind.name}>
            <button
              type="button"
              class="mail-row"
              // Its words are looked at by a preview, which is for who changes them.
              disabled={!may("admin")}
              onClick={() => setOpened(kind)}
            >
              <span class="mail-what">
                <span class="line-1">{mailTitles[kind.name]}</span>
                <span class="line-2">to {recipients[kind.to]}{noteOf(mail, kind)}</span>
              </span>
              <State mail={mail} kind={kind} />
            </button>
          </li>
        ))}
      </ul>
      {opened && (
        <MailWords
          key={opened.name}
          kind={opened}
          channel={channel}
          mail={mail}
          onSaved={onChanged}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

function State({ mail, kind: { name, on } }: { mail: ShownMail; kind: MailKind }) {
  const unknown = mail.unknown_placeholders.find((one) => one.mail === name);
  if (unknown) return <Pill tone="waiting">Unknown {listed(unknown.placeholders, " ")}</Pill>;
  return isOn(mail, name, on) ? <Pill tone="good">On</Pill> : <Pill tone="quiet">Off</Pill>;
}

function noteOf({ mails }: ShownMail, { name }: MailKind): string {
  const { subject, text, button } = mails[name] ?? {};
  return subject || text || button ? ", in your words" : "";
}

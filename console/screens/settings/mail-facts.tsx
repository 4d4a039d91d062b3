import { useState } from "preact/hooks";
import type { MailKind } from "../../../src/contract/mail-kind.ts";
import { mailKinds } from "../../../src/contract/mail-kinds.ts";
import type { Channel } from "../../api/channels.ts";
import { api } from "../../api/client.ts";
import { getChannel, updateChannel } from "../../api/channel-endpoints.ts";
import { LinkButton } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Pill } from "../../parts/pill.tsx";
import { exactTime } from "../../parts/time.tsx";
import { listed, say } from "../../said.ts";
import { InPlace } from "./in-place.tsx";
import { draftOf, type MailView } from "./mail-config.ts";
import { isOn, mailTitles, recipients, sentWith } from "./mail-titles.ts";
import { MailWords } from "./mail-words.tsx";

/** The facts of a mail channel, and each of its mails: whether it is sent, and its words. */
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
      <InPlace
        name={`mails sent ${channel.id}`}
        title="Mails"
        level={3}
        base={sentIn(mail)}
        onSave={async (sent) => onChanged(await saveSent(channel.id, sent))}
        fields={mailKinds.map((kind) => ({
          class: "mail-row",
          fields: [
            sentWith[kind.name] === undefined
              ? {
                of: kind.name,
                label: mailTitles[kind.name],
                hint: say`to ${recipients[kind.to]}${noteOf(mail, kind)}`,
              }
              : (
                <span class="check">
                  <span>
                    {mailTitles[kind.name]}{" "}
                    <small class="field-hint">
                      sent where “{mailTitles[sentWith[kind.name] ?? kind.name]}” is
                      {noteOf(mail, kind)}
                    </small>
                  </span>
                </span>
              ),
            <UnknownIn key="unknown" mail={mail} kind={kind} />,
            <LinkButton
              key="words"
              aria-label={say`Words of ${mailTitles[kind.name]}`}
              onClick={() => setOpened(kind)}
            >
              Words
            </LinkButton>,
          ],
        }))}
      />
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

/** Which mails are sent, by their names. */
function sentIn(mail: MailView): Record<string, boolean> {
  const own = mailKinds.filter(({ name }) => sentWith[name] === undefined);
  return Object.fromEntries(own.map(({ name, on }) => [name, isOn(mail, name, on)]));
}

/** Saves which mails are sent, with all that was changed elsewhere meanwhile. */
async function saveSent(id: string, sent: Readonly<Record<string, boolean>>): Promise<Channel> {
  const params = { id };
  const { name, topics, mail } = await api.call(getChannel, { params });
  if (!mail) throw new Error(`${id} is no mail channel`);
  const draft = draftOf(mail);
  const changed = mailKinds.filter((kind) =>
    kind.name in sent && sent[kind.name] !== isOn(mail, kind.name, kind.on)
  );
  const mails = {
    ...draft.mails,
    ...Object.fromEntries(
      changed.map((kind) => [kind.name, {
        ...draft.mails?.[kind.name],
        enabled: sent[kind.name],
      }]),
    ),
  };
  return await api.call(updateChannel, {
    params,
    body: { name, topics, mail: { ...draft, mails } },
  });
}

/** The placeholders that a mail has no value for. */
function UnknownIn({ mail, kind: { name } }: { mail: MailView; kind: MailKind }) {
  const unknown = mail.unknown_placeholders.find((one) => one.mail === name);
  return unknown ? <Pill tone="waiting">Unknown {listed(unknown.placeholders, " ")}</Pill> : null;
}

function noteOf({ mails }: MailView, { name }: MailKind): string {
  const { subject, text, button } = mails[name] ?? {};
  return subject || text || button ? ", in your words" : "";
}

import { useRef } from "preact/hooks";
import { mailWords } from "../../../src/contract/mail-names.ts";
import { api, decisionKey } from "../../api/client.ts";
import { createChannel, getChannel, updateChannel } from "../../api/channel-endpoints.ts";
import type { Channel } from "../../api/channels.ts";
import { fieldsOf } from "../../parts/form-fields.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Unfit } from "../../parts/form-problems.ts";
import { say } from "../../said.ts";
import { draftOf } from "./mail-config.ts";

const lines = ["name", "from", "from_name", "reply_to", "language", "time_zone"] as const;
const numbers = ["digest_minutes", "per_hour"] as const;
const words = Object.entries(mailWords);

/** Everything as it is typed; the fixed words by `word:` and their names. */
type Draft = Record<string, string>;

const places = {
  ...Object.fromEntries([...lines, ...numbers].map((one) => [`mail.${one}`, one])),
  ...Object.fromEntries(words.map(([one]) => [`mail.words.${one}`, `word:${one}`])),
};

/**
 * Makes the mail channel, or changes who mails are from, how many there are, and how they are
 * written.
 */
export default function MailForm({ channel, onSaved, onClose }: {
  channel?: Channel;
  onSaved: (saved: Channel) => void;
  onClose: () => void;
}) {
  const decision = useRef(decisionKey());
  return (
    <FormDialog<Draft>
      name={`mails ${channel?.id ?? ""}`}
      title={channel ? say`Change ${channel.name}` : "Add mail"}
      note={channel
        ? "Change the words of each mail in the list."
        : "Mails go out from now on, about what changes from now on. Next you see each of them."}
      action={channel ? "Save" : "Add"}
      initial={initialOf(channel)}
      places={places}
      onSave={async (draft) => {
        const written = mailOf(draft);
        const name = draft.name?.trim() ?? "";
        if (!channel) {
          const { secret: _, ...made } = await api.call(createChannel, {
            body: { kind: "mail", name, mail: written },
            headers: decision.current,
          });
          return onSaved(made);
        }
        const params = { id: channel.id };
        // The words of the mails as they are by now.
        const { topics, mail } = await api.call(getChannel, { params });
        const body = { name, topics, mail: { ...mail && draftOf(mail), ...written } };
        onSaved(await api.call(updateChannel, { params, body }));
      }}
      onClose={onClose}
      fields={(form) => [
        { of: "name", label: "Name", maxLength: 100, autoFocus: true, required: true },
        {
          class: "mail-pair",
          fields: [
            {
              of: "from",
              label: "From",
              hint: "Empty: as the portal’s configuration says, else KEYDESK_MAIL_FROM.",
              type: "email",
              placeholder: "keys@example.org",
            },
            {
              of: "from_name",
              label: "From name",
              hint: "Empty: the organisation’s name.",
              maxLength: 100,
            },
          ],
        },
        {
          of: "reply_to",
          label: "Answers go to",
          hint: "Empty: the sender.",
          type: "email",
        },
        {
          class: "mail-pair",
          fields: [
            {
              of: "digest_minutes",
              label: "Minutes between mails to an approver",
              hint: "Requests that come between are gathered in one mail. 0: one mail each.",
              type: "number",
              min: 0,
              max: 1440,
            },
            {
              of: "per_hour",
              label: "Mails an hour to one address",
              hint: "At most; the rest waits.",
              type: "number",
              min: 1,
              max: 1000,
            },
          ],
        },
        {
          class: "mail-pair",
          fields: [
            { of: "language", label: "Language", hint: exampleOf(form.draft), maxLength: 35 },
            { of: "time_zone", label: "Time zone", options: zonesWith(form.draft.time_zone ?? "") },
          ],
        },
        <details key="words" class="pem">
          <summary class="text-link">Fixed words, for mails in another language</summary>
          <div class="mail-fixed">
            {fieldsOf<Draft>(
              form,
              words.map(([name, usual]) => (
                { of: `word:${name}`, label: usual, maxLength: 300, placeholder: usual }
              )),
            )}
          </div>
        </details>,
      ]}
    />
  );
}

function initialOf(channel: Channel | undefined): Draft {
  const { mail } = channel ?? {};
  return {
    name: channel?.name ?? "Mail",
    from: mail?.from ?? "",
    from_name: mail?.from_name ?? "",
    reply_to: mail?.reply_to ?? "",
    digest_minutes: String(mail?.digest_minutes ?? 15),
    per_hour: String(mail?.per_hour ?? 30),
    language: mail?.language ?? "en",
    time_zone: mail?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...Object.fromEntries(words.map(([one]) => [`word:${one}`, mail?.words[one] ?? ""])),
  };
}

/** The typed configuration, as the server takes it. Throws Unfit. */
function mailOf(draft: Draft) {
  const text = (name: string) => draft[name]?.trim() ?? "";
  const missing: Record<string, string> = text("name") === "" ? { name: "Write a name here." } : {};
  for (const one of numbers) {
    if (!/^\d{1,4}$/.test(text(one))) missing[one] = "Write a whole number here.";
  }
  if (Object.keys(missing).length > 0) throw new Unfit(missing);
  return {
    from: text("from"),
    from_name: text("from_name"),
    reply_to: text("reply_to"),
    digest_minutes: Number(text("digest_minutes")),
    per_hour: Number(text("per_hour")),
    language: text("language"),
    time_zone: text("time_zone"),
    words: Object.fromEntries(
      words.map(([one]) => [one, text(`word:${one}`)]).filter(([, own]) => own !== ""),
    ),
  };
}

/** How a time is written in a mail. */
function exampleOf({ language = "", time_zone: timeZone = "" }: Draft): string {
  try {
    const form = { dateStyle: "medium", timeStyle: "long", timeZone } as const;
    const example = new Intl.DateTimeFormat(language.trim(), form).format(new Date());
    return say`Such as en, de or pt-BR. Times are written like this: ${example}`;
  } catch {
    return "Such as en, de or pt-BR.";
  }
}

function zonesWith(own: string) {
  const zones = new Set(["UTC", ...own === "" ? [] : [own], ...Intl.supportedValuesOf("timeZone")]);
  return [...zones].map((value) => ({ value, text: value.replaceAll("_", " ") }));
}

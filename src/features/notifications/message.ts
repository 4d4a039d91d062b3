import type { z } from "zod";
import { presentAction } from "../../contract/former-names.ts";
import type { message } from "./message.contract.ts";
import { actorTypeOf } from "../../contract/actor-types.ts";
import { plainLine } from "../../kernel/plain-text.ts";
import { type TopicObject, topics } from "./topics.contract.ts";

/** The source of a message. */
export interface MessageSource {
  org_id: string;
  event_id: string;
  topic: string;
  object_id: string;
  at: string;
  missing: number;
  /** JSON text of what it says beyond its ids, as addToOutbox wrote it; null: nothing. */
  detail: string | null;
  /** The ids of the call that made the change; "" or null: there is none, or kept no longer. */
  request_id: string | null;
  caller_request_id: string | null;
  /** The actor, as the audit log has it; "" or null if unknown. */
  actor: string | null;
}

type Message = z.output<typeof message>;

/** A key as people know it. */
interface NamedKey {
  name: string | null;
}

const known = new Map(topics.map((one) => [one.topic, one]));

/** The kind of object of a topic, by whose id its messages go; "": unknown. */
export function objectOf(topic: string): string {
  return known.get(presentAction(topic))?.object.object ?? "";
}

/** The current names of a message's object and of its actor. */
export interface Names {
  key?: NamedKey | undefined;
  /** The name of the person, or developer, who acted. */
  person?: string | undefined;
}

/**
 * A message as Standard Webhooks has it, with the names of its key and of the person who acted.
 * `publicUrl`: what links begin with; "": there are none.
 */
export function messageOf(
  source: MessageSource,
  publicUrl: string,
  { key, person }: Names = {},
): Message {
  const { org_id, event_id, topic, object_id, at, missing, detail } = source;
  const { request_id, caller_request_id, actor } = source;
  const type = presentAction(topic);
  const { object } = known.get(type) ?? {};
  return {
    type,
    timestamp: at,
    data: {
      id: object_id,
      object: type.slice(0, type.indexOf(".")),
      ...key?.name ? { name: key.name } : {},
      organisation_id: org_id,
      event_id,
      request_id: request_id || null,
      caller_request_id: caller_request_id || null,
      actor: actor ? { type: actorTypeOf(actor), id: actor, name: person ?? actor } : null,
      path: pathOf(object?.api, object_id),
      url: publicUrl === "" ? null : linkOf(object, type, object_id, publicUrl),
      missing,
      // as: addToOutbox writes an object of texts and numbers.
      detail: detail === null ? null : JSON.parse(detail) as Record<string, string | number>,
    },
  };
}

function pathOf(begin: string | undefined, id: string): string | null {
  return begin === undefined ? null : begin + encodeURIComponent(id);
}

function linkOf(
  object: TopicObject | undefined,
  type: string,
  id: string,
  publicUrl: string,
): string | null {
  const { console, pages } = object ?? {};
  const isById = !pages || pages.byId.includes(type.slice(type.indexOf(".") + 1));
  const path = isById ? pathOf(console, id) : pages.others;
  return path === null ? null : publicUrl + path;
}

/** The forms of a body for channels of people: each shows and links, and decides nothing. */
const channels = {
  slack: (text: string, url: string | null) => ({
    text: escapedForSlack(text) + (url === null ? "" : `\n<${url}|Open in Keydesk>`),
  }),
  discord: (text: string, url: string | null) => ({
    content: escapedForMarkdown(text) + (url === null ? "" : `\n<${url}>`),
    // Whatever an id holds, no one is called by it.
    allowed_mentions: { parse: [] },
  }),
  teams: (text: string, url: string | null) => ({
    type: "message",
    attachments: [{
      contentType: "application/vnd.microsoft.card.adaptive",
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [{ type: "TextBlock", text: escapedForMarkdown(text), wrap: true }],
        actions: url === null ? [] : [{ type: "Action.OpenUrl", title: "Open in Keydesk", url }],
      },
    }],
  }),
};

/**
 * The body of a message in a channel's form, as it is sent and signed. `called`: how people know
 * what it is about.
 */
export function bodyOf(template: string, whole: Message, called = ""): string {
  if (!isChannel(template)) return JSON.stringify(whole);
  const about = called === "" ? "" : `${plainLine(called)}: `;
  const said = `${about}${sentenceOf(whole)}`;
  return JSON.stringify(channels[template](said, whole.data.url));
}

function isChannel(template: string): template is keyof typeof channels {
  return Object.hasOwn(channels, template);
}

function sentenceOf({ type, data }: Message): string {
  const summary = known.get(type)?.summary ?? type;
  const missing = data.missing === 0
    ? ""
    : ` ${data.missing} earlier messages of it could not be delivered.`;
  return `${summary} (${data.object} ${data.id})${byOf(data)}${detailOf(data)}${missing}`;
}

/** The actor in words, unless it was Keydesk itself. */
function byOf({ actor }: Message["data"]): string {
  switch (actor?.type) {
    case "person":
      return ` By ${plainLine(actor.name)}.`;
    case "developer":
      return " By the developer.";
    case "operator":
      return " By the server administrator.";
    case "link":
      return " By the holder of the link.";
    case "system":
    case "unknown":
    case undefined:
      return "";
  }
}

function detailOf({ detail }: Message["data"]): string {
  if (detail === null) return "";
  const said = Object.entries(detail).map(([name, value]) =>
    `${name.replaceAll("_", " ")}: ${value}`
  );
  return ` ${said.join(", ")}.`;
}

function escapedForSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function escapedForMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_~|<>[\]()#@:]/g, "\\$&");
}

import type { MailKind } from "./mail-kind.ts";

const DECIDES = "You get this because you look after the key request, or may decide it.";

/** What people who decide key requests together are told of each other's doing. */
export const teamMails: readonly MailKind[] = [
  {
    name: "key_request.assigned",
    topic: "key_request.assigned",
    to: "assignee",
    on: true,
    subject: "Assigned to you: {{developer}} asks for {{access}}",
    text: "{{developer}} asks for {{plan}}, and the request was assigned to you.",
    button: "Read and decide",
    why: "You get this because the key request is assigned to you.",
  },
  {
    name: "key_request.mentioned",
    topic: "key_request.commented",
    to: "mentioned",
    on: true,
    subject: "You are mentioned: {{developer}}’s request for {{access}}",
    text: "A comment on the request of {{developer}} for {{plan}} mentions you.",
    button: "Read the comment",
    why: "You get this because somebody mentioned you in a comment.",
  },
  {
    name: "key_request.late_soon",
    topic: "key_request.late_soon",
    to: "deciders",
    on: true,
    subject: "{{developer}}’s request for {{access}} is soon late",
    text: "{{developer}} asks for {{plan}}. A decision is promised until {{ends}}.",
    button: "Read and decide",
    why: DECIDES,
  },
  {
    name: "key_request.late",
    topic: "key_request.late",
    to: "deciders",
    on: true,
    subject: "{{developer}}’s request for {{access}} is late",
    text: "{{developer}} asks for {{plan}}. A decision was promised until {{ends}}.",
    button: "Read and decide",
    why: DECIDES,
  },
];

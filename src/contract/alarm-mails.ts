const ADMINISTERS =
  "You get this because you administer Keydesk, or a rule of temporary access names you.";

/** The mails to administrators about temporary access, with their default texts. */
export const alarmMails = [
  {
    name: "temporary_access.asked",
    topic: "elevation.asked",
    to: "alarmed",
    on: true,
    subject: "{{person}} asks for temporary access at {{organisation}}",
    text:
      "{{person}} asks for temporary access by the rule {{rule}}. A second person whom the rule names can say yes in the settings, under You, within ten minutes. If you know of no reason, ask {{person}} by another way.",
    why: ADMINISTERS,
  },
  {
    name: "temporary_access.started",
    topic: "elevation.started",
    to: "alarmed",
    on: true,
    subject: "{{person}} has temporary access at {{organisation}}",
    text:
      "{{person}} has additional permissions by the rule {{rule}}. They expire by themselves. An administrator can revoke them at once, in the settings, under Temporary access; the audit log shows every action by them.",
    why: ADMINISTERS,
  },
  {
    name: "temporary_access.ended",
    topic: "elevation.ended",
    to: "alarmed",
    on: true,
    subject: "The temporary access of {{person}} at {{organisation}} is over",
    text:
      "The temporary access of {{person}} by the rule {{rule}} is over. Rows of the audit log that were written by it: {{actions}}. Look through them.",
    why: ADMINISTERS,
  },
  {
    name: "temporary_access_rule.updated",
    topic: "elevation_rule.updated",
    to: "alarmed",
    on: true,
    subject: "A rule of temporary access was changed at {{organisation}}",
    text:
      "{{person}} made or changed the rule {{rule}}: who may hold a role for a while. The audit log shows what it says. If you did not expect this, look at it now.",
    why: ADMINISTERS,
  },
  {
    name: "temporary_access_rule.removed",
    topic: "elevation_rule.removed",
    to: "alarmed",
    on: true,
    subject: "A rule of temporary access was removed at {{organisation}}",
    text: "{{person}} removed the rule {{rule}}. Temporary access by it was revoked.",
    why: ADMINISTERS,
  },
] as const;

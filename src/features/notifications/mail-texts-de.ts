import type { MailName, MailWord } from "../../contract/mail-names.ts";
import type { MailTexts } from "./mail-words.ts";

/** Every mail that developers get. */
type DeveloperMail = Exclude<
  MailName,
  | "key_request.waiting"
  | "key_request.waiting_several"
  | "key_request.reminded"
  | "key_request.approval_restarted"
  | "key_request.assigned"
  | "key_request.mentioned"
  | "key_request.next_step"
  | "key_request.expires_soon"
  | "key.review_due"
  | "access_token.rate_limited"
  | "gateway.silent"
  | "gateway.created"
  | "gateway.moved"
  | "temporary_access.asked"
  | "temporary_access.started"
  | "temporary_access.ended"
  | "temporary_access_rule.updated"
  | "temporary_access_rule.removed"
  | "person.invited"
  | "person.signed_in_anew"
  | "person.passkey_added"
  | "person.passkey_removed"
  | "person.one_time_codes_set_up"
  | "person.one_time_codes_removed"
  | "person.recovery_codes_renewed"
  | "person.account_linked"
  | "person.account_unlinked"
  | "person.made_delegate"
  | "certificate.expires_soon"
  | "certificate.expired"
>;

const ASKED = "Sie erhalten diese Nachricht, weil Sie einen Schlüssel beantragt haben.";
const HOLDS = "Sie erhalten diese Nachricht, weil der Schlüssel Ihnen gehört.";
const ACCOUNT = "Sie erhalten diese Nachricht, weil Sie ein Konto haben.";

const texts: Readonly<Record<DeveloperMail, MailTexts>> = {
  "key_request.created": {
    subject: "Ihr Antrag auf {access} ist eingegangen",
    text:
      "Ihr Antrag auf {access} liegt uns vor. Wir schreiben Ihnen, sobald darüber entschieden ist.",
    why: ASKED,
  },
  "key_request.offered": {
    subject: "Ein Angebot für {access}",
    text:
      "Sie haben {access} beantragt, und Ihnen wird etwas anderes angeboten. Sie können es bis {expires} annehmen, ablehnen oder beantworten; vorher gibt es keinen Schlüssel.",
    button: "Das Angebot lesen",
    why: ASKED,
  },
  "key_request.approved": {
    subject: "Ihr Schlüssel für {access} liegt bereit",
    text: "Ihr Antrag auf {access} wurde genehmigt.",
    button: "Meinen Schlüssel öffnen",
    why: ASKED,
  },
  "key_request.later_end": {
    subject: "Ihr Schlüssel {key} für {access} ist nun gültig bis {expires}",
    text:
      "Ihr Antrag auf ein späteres Ablaufdatum des Schlüssels {key} für {access} wurde genehmigt. Sie behalten Ihren Schlüssel; er ist nun gültig bis {expires}.",
    why: ASKED,
  },
  "key_request.declined": {
    subject: "Ihr Antrag auf {access} wurde abgelehnt",
    text: "Ihr Antrag auf {access} wurde abgelehnt.",
    why: ASKED,
  },
  "key_request.expired": {
    subject: "Über Ihren Antrag auf {access} wurde nicht rechtzeitig entschieden",
    text:
      "Über Ihren Antrag auf {access} hat niemand rechtzeitig entschieden; damit ist er abgelehnt. Sie können ihn noch einmal stellen.",
    why: ASKED,
  },
  "key_request.reissued": {
    subject: "Ihr Schlüssel für {access} wurde neu ausgestellt",
    text: "Ihr Schlüssel für {access} wurde neu ausgestellt. Der bisherige öffnet nichts mehr.",
    why: HOLDS,
  },
  "key.expires_soon": {
    subject: "Ihr Schlüssel {key} für {access} läuft am {expires} ab",
    text:
      "Ihr Schlüssel {key} für {access} läuft am {expires} ab. {days, plural, one {Es bleibt # Tag.} other {Es bleiben # Tage.}}",
    why: HOLDS,
  },
  "key.expired": {
    subject: "Ihr Schlüssel {key} für {access} ist abgelaufen",
    text: "Ihr Schlüssel {key} für {access} ist am {expires} abgelaufen. Er ist nicht mehr gültig.",
    why: HOLDS,
  },
  "key.quota_nearly_used": {
    subject: "Ihr Schlüssel {key} für {access} hat 80 % seines Kontingents verbraucht",
    text:
      "Ihr Schlüssel {key} für {access} hat vier Fünftel seines Kontingents verbraucht. Ist es aufgebraucht, werden Aufrufe abgelehnt, bis es neu beginnt.",
    why: HOLDS,
  },
  "key.quota_used": {
    subject: "Das Kontingent Ihres Schlüssels {key} für {access} ist aufgebraucht",
    text:
      "Das Kontingent Ihres Schlüssels {key} für {access} ist aufgebraucht. Aufrufe werden abgelehnt, bis es neu beginnt.",
    why: HOLDS,
  },
  "key.unused": {
    subject: "Ihr Schlüssel {key} für {access} wird nicht benutzt",
    text:
      "Ihr Schlüssel {key} für {access} wurde seit {days, plural, one {# Tag} other {# Tagen}} nicht benutzt. Brauchen Sie ihn nicht mehr, beenden Sie ihn bitte: Einen Schlüssel, den niemand benutzt, vermisst auch niemand, wenn er gestohlen wird.",
    why: HOLDS,
  },
  "key.unused_ends": {
    subject: "Ihr Schlüssel {key} für {access} wird gesperrt, wenn ihn niemand benutzt",
    text:
      "Ihr Schlüssel {key} für {access} wurde seit {days, plural, one {# Tag} other {# Tagen}} nicht benutzt. Wird er auch bis dahin nicht benutzt, wird er am {expires} oder kurz danach gesperrt und ist dann nicht mehr gültig. Brauchen Sie ihn noch, benutzen Sie ihn oder sagen Sie uns Bescheid.",
    why: HOLDS,
  },
  "key.suspended": {
    subject: "Ihr Schlüssel {key} für {access} wurde gesperrt",
    text:
      "Ihr Schlüssel {key} für {access} wurde gesperrt. Er öffnet nichts, bis er wieder freigegeben wird.",
    why: HOLDS,
  },
  "key.resumed": {
    subject: "Ihr Schlüssel {key} für {access} funktioniert wieder",
    text: "Ihr Schlüssel {key} für {access} wurde freigegeben und öffnet wieder, was er öffnete.",
    why: HOLDS,
  },
  "key.revoked": {
    subject: "Ihr Schlüssel {key} für {access} wurde widerrufen",
    text: "Ihr Schlüssel {key} für {access} wurde widerrufen. Er öffnet nichts mehr.",
    why: HOLDS,
  },
  "developer.created": {
    subject: "Willkommen bei {organisation}",
    text: "Ihr Konto ist eingerichtet.",
    why: ACCOUNT,
  },
  "developer.invited": {
    subject: "Sie sind zu {organisation} eingeladen",
    text:
      "Sie können sich bis zum {expires} auf den Seiten von {organisation} für Entwickler registrieren, mit genau dieser E-Mail-Adresse. Dort wird ihr ein Code geschickt.",
    button: "Registrieren",
    why:
      "Sie erhalten diese Nachricht, weil jemand diese Adresse eingeladen hat. Wenn Sie keine Einladung erwarten, tun Sie nichts.",
  },
  "developer.password_changed": {
    subject: "Ihr Passwort wurde geändert",
    text: "Ihr Passwort wurde geändert. Waren Sie das nicht, schreiben Sie uns.",
    why: ACCOUNT,
  },
  "developer.email_asked": {
    subject: "Bestätigen Sie Ihre E-Mail-Adresse",
    text:
      "Jemand hat diese Adresse für ein Konto bei {organisation} angegeben. Bestätigen Sie sie, wenn Sie das waren; sonst tun Sie nichts.",
    button: "Diese Adresse bestätigen",
    why: "Sie erhalten diese Nachricht, weil die Adresse hier angegeben wurde.",
  },
  "developer.email_changed": {
    subject: "Die E-Mail-Adresse Ihres Kontos wurde geändert",
    text:
      "Die E-Mail-Adresse Ihres Kontos bei {organisation} ist jetzt {address}.\n\nWaren Sie das, bestätigen Sie es. Wenn nicht, bestätigen Sie es nicht und schreiben Sie uns: Was Sie haben, wird unter dieser Adresse niemandem ausgehändigt, bevor sie bestätigt ist.",
    button: "Die Änderung bestätigen",
    why: "Sie erhalten diese Nachricht, weil dies die Adresse Ihres Kontos war.",
  },
  "developer.handed_over": {
    subject: "Ihr Konto gehört jetzt jemand anderem",
    text:
      "{organisation} hat Ihr Konto einem Nachfolger gegeben, dessen Adresse {address} ist. Ihre Sitzungen, Tokens, Ihr Passwort und verknüpfte Konten sind beendet; Links, die Sie erhalten haben, öffnen nichts mehr.\n\nIst das falsch, schreiben Sie uns.",
    why: "Sie erhalten diese Nachricht, weil dies die Adresse Ihres Kontos war.",
  },
  "developer.code_asked": {
    subject: "Ihr Code für {organisation}",
    text:
      "Dieser Code gilt einmal, zehn Minuten lang und in dem Fenster, in dem er angefordert wurde. Niemand sonst braucht ihn: Wer Sie danach fragt, will sich als Sie anmelden.",
    why:
      "Sie erhalten diese Nachricht, weil für diese Adresse ein Code angefordert wurde. Waren Sie das nicht, tun Sie nichts.",
  },
};

/** The texts by the name of any mail; undefined: developers don't get it. */
export const germanMails: Readonly<Partial<Record<MailName, MailTexts>>> = texts;

/** The fixed words of mails. */
export const germanWords: Readonly<Record<MailWord, string>> = {
  hello: "Guten Tag",
  api: "API",
  plan: "Plan",
  expires: "Läuft ab",
  resets: "Beginnt neu",
  key: "Schlüssel",
  reason: "Grund",
  message: "Nachricht",
  requested: "Beantragt",
  changed: "Geändert",
  changed_by: "Geändert von",
  certificate: "Zertifikat",
  link_expires: "Der Link funktioniert einmal und endet am",
  copy_link: "Oder kopieren Sie diese Adresse:",
  sign_in: "Der Link führt zur Anmeldung; diese Nachricht entscheidet nichts von selbst.",
  not_requested:
    "Sie haben keinen Schlüssel beantragt? Öffnen Sie den Link nicht und schreiben Sie uns.",
  support: "Fragen?",
  browser: "Browser",
  from: "Von",
  at: "Um",
  calls: "Aufrufe",
  in_all: "insgesamt",
  no_limit: "keine Grenze für Aufrufe",
  keys_expire_after: "Schlüssel gelten",
  missing: "Frühere Nachrichten hierzu, die nicht zugestellt werden konnten:",
};

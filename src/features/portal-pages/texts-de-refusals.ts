import type { englishOfRefusals } from "./texts-en-refusals.ts";

/** The texts of calls that were refused, in German. */
export const germanOfRefusals: Readonly<Record<keyof typeof englishOfRefusals, string>> = {
  "refused": "Abgewiesene Aufrufe",
  "refused.times": "{n, plural, one {# Aufruf, am} other {# Aufrufe, der letzte am}}",
  "refused.note": "Die neuesten der letzten 30 Tage, wenige Sekunden nach jedem Aufruf.",
  "refused.revoked": "Der Schlüssel war endgültig beendet.",
  "refused.revoked.do": "Nehmen Sie den Schlüssel, der ihn abgelöst hat, oder fragen Sie einen an.",
  "refused.suspended": "Der Schlüssel war gesperrt.",
  "refused.suspended.do":
    "Haben Sie ihn selbst gesperrt, schalten Sie ihn hier wieder ein. Sonst fragen Sie dort nach.",
  "refused.damaged": "Der Schlüssel konnte nicht geprüft werden.",
  "refused.damaged.do": "Schreiben Sie uns: An Ihren Aufrufen ist nichts zu ändern.",
  "refused.expired": "Der Schlüssel war abgelaufen.",
  "refused.expired.do": "Fragen Sie ein späteres Ende oder einen neuen Schlüssel an.",
  "refused.address_unknown": "Von welcher Adresse der Aufruf kam, war nicht zu erkennen.",
  "refused.address_unknown.do": "Schreiben Sie uns: An Ihren Aufrufen ist nichts zu ändern.",
  "refused.address":
    "Der Aufruf kam von einer Adresse, die für diesen Schlüssel nicht vereinbart ist.",
  "refused.address.do": "Rufen Sie von einer vereinbarten Adresse auf, oder schreiben Sie uns.",
  "refused.unknown_plan": "Den Plan des Schlüssels gibt es nicht mehr.",
  "refused.unknown_plan.do": "Fragen Sie einen Schlüssel zu einem anderen Plan an.",
  "refused.plan_inactive": "Der Plan des Schlüssels war abgeschaltet.",
  "refused.plan_inactive.do": "Warten Sie, bis er zurück ist, oder fragen Sie einen anderen an.",
  "refused.wrong_api": "Der Schlüssel öffnet die aufgerufene API nicht ({api}).",
  "refused.wrong_api.do":
    "Rufen Sie eine API seiner Pläne auf, oder fragen Sie einen Plan an, der diese öffnet.",
  "refused.over_rate": "Es waren mehr Aufrufe auf einmal, als der Plan erlaubt.",
  "refused.over_rate.limit": "Es waren mehr als {limit} Aufrufe in {seconds} Sekunden.",
  "refused.over_rate.do":
    "Rufen Sie langsamer auf: Der Header Retry-After sagt, wann der nächste durchkommt.",
  "refused.over_quota": "Das Kontingent war aufgebraucht.",
  "refused.over_quota.limit": "Das Kontingent von {limit} Aufrufen war aufgebraucht.",
  "refused.over_quota.do":
    "Warten Sie, bis es neu beginnt, oder fragen Sie einen größeren Plan an.",
  "denied.unknown_plan": "Plan entfernt",
  "denied.unknown_plan.text":
    "Jeder Aufruf dieses Schlüssels wird abgewiesen: Keinen seiner Pläne gibt es mehr. Fragen Sie einen Schlüssel zu einem anderen Plan an.",
  "denied.plan_inactive": "Plan abgeschaltet",
  "denied.plan_inactive.text":
    "Jeder Aufruf dieses Schlüssels wird abgewiesen, solange sein Plan abgeschaltet ist. Warten Sie, bis er zurück ist, oder fragen Sie einen anderen an.",
  "denied.wrong_api": "Keine API",
  "denied.wrong_api.text":
    "Jeder Aufruf dieses Schlüssels wird abgewiesen: Seine Pläne setzen Grenzen und öffnen keine API. Fragen Sie einen Plan an, der eine öffnet.",
};

import { createHmac } from "node:crypto";
import { sha256 } from "../sha256.ts";

/**
 * The keys that seal what must be readable again: version → 32 bytes. New texts are sealed with
 * `current`.
 */
export interface SealingKeys {
  current: number;
  keys: ReadonlyMap<number, Uint8Array>;
}

/** Thrown for a text that holds no usable sealing keys. The message never repeats the text. */
export class SealingKeysInvalid extends Error {}

/**
 * Reads keys as they are in the file and in the setting: entries `<version>:<base64 of 32 bytes>`,
 * separated by commas or line ends. The highest version is the current one. Throws
 * SealingKeysInvalid.
 */
export function parseSealingKeys(text: string): SealingKeys {
  const keys = new Map<number, Uint8Array>();
  for (const entry of text.split(/[\s,]+/).filter((part) => part !== "")) {
    const match = /^(\d{1,6}):([A-Za-z0-9+/]{43}=)$/.exec(entry);
    if (!match) {
      throw new SealingKeysInvalid("expected entries of the form 1:<base64 of 32 bytes>");
    }
    const version = Number(match[1]);
    if (keys.has(version)) throw new SealingKeysInvalid(`version ${version} stands there twice`);
    keys.set(version, Uint8Array.from(atob(match[2] ?? ""), (c) => c.charCodeAt(0)));
  }
  if (keys.size === 0) throw new SealingKeysInvalid("expected at least one key");
  return { current: Math.max(...keys.keys()), keys };
}

/** A fresh first key in the form that parseSealingKeys reads. */
export function newSealingKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `1:${btoa(String.fromCharCode(...bytes))}\n`;
}

/** The form of a check value, besides its key: whether its store demands checksums. */
export type CheckForm = "plain" | "demanding";

/** A store's data of a version of its sealing key. */
export interface KeyCheck {
  version: number;
  check_value: string;
}

/**
 * A value that tells one key from another and reveals nothing of it; kept in the store to refuse a
 * wrong key. Without the key no one makes a plain one, not even of the demanding one.
 */
export function checkValue(key: Uint8Array, form: CheckForm): string {
  // The only form that code without checksums knows.
  const plain = createHmac("sha256", key).update("keydesk sealing key check").digest("hex")
    .slice(0, 32);
  return form === "plain" ? plain : demandingValue(plain);
}

/** The demanding form of a check value in any form; no key is needed for it, and it is one way. */
export function demandingValue(check_value: string): string {
  if (isDemandingForm(check_value)) return check_value;
  return DEMANDING + sha256(`keydesk demands checksums\0${check_value}`);
}

/** Whether a check value is written in the demanding form, be it right or wrong. */
export function isDemandingForm(check_value: string): boolean {
  return check_value.startsWith(DEMANDING);
}

const DEMANDING = "demanding.";

/**
 * The form of a check value; `wrong`: it is of another key, `absent`: no key of that version is at
 * hand.
 */
export function formOf(
  { keys }: SealingKeys,
  { version, check_value }: KeyCheck,
): CheckForm | "wrong" | "absent" {
  const key = keys.get(version);
  if (!key) return "absent";
  const form = isDemandingForm(check_value) ? "demanding" : "plain";
  return check_value === checkValue(key, form) ? form : "wrong";
}

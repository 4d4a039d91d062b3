import { createHmac } from "node:crypto";

/** The keys that seal what must be readable again: version → 32 bytes. New texts are sealed with `current`. */
export interface SealingKeys {
  current: number;
  keys: ReadonlyMap<number, Uint8Array>;
}

/** Thrown for a text that holds no usable sealing keys. The message never repeats the text. */
export class SealingKeysInvalid extends Error {}

/**
 * Reads keys as they stand in the file and in the setting: entries `<version>:<base64 of 32 bytes>`, separated
 * by commas or line ends. The highest version is the current one. Throws SealingKeysInvalid.
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

/** A value that tells one key from another and reveals nothing of it; kept in the store to refuse a wrong key. */
export function checkValue(key: Uint8Array): string {
  return createHmac("sha256", key).update("keydesk sealing key check").digest("hex").slice(0, 32);
}

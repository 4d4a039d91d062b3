import { domainToUnicode } from "node:url";

/**
 * The scripts that are written beside each other in one word: those of Japanese, Chinese and
 * Korean, also with Latin letters (UTS 39, "highly restrictive").
 */
const TOGETHER =
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hira}\p{Script=Kana}\p{Script=Bopo}\p{Script=Hang}]*$/u;
/** Each alone; letters that look like those of others are among these. */
const ALONE = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Georgian}/u,
];
/** Characters of no script: digits, signs, marks. */
const COMMON = /[\p{Script=Common}\p{Script=Inherited}]/gu;

/**
 * Whether a part of an address between dots, hyphens and the like mixes scripts, as a Cyrillic "а"
 * among Latin letters does. Domains are read as people see them (RFC 3492).
 */
export function mixesScripts(email: string): boolean {
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  const address = `${email.slice(0, Math.max(at, 0))}.${domainToUnicode(domain) || domain}`;
  return address.split(/[^\p{L}\p{M}\p{N}]+/u).some(isMixed);
}

function isMixed(word: string): boolean {
  const letters = word.replaceAll(COMMON, "");
  if (TOGETHER.test(letters)) return false;
  const scripts = ALONE.filter((script) => script.test(letters));
  const isOther = [...letters].some((letter) => !ALONE.some((script) => script.test(letter)));
  return scripts.length + (isOther ? 1 : 0) > 1;
}

import { Tag } from "./pill.tsx";

/** Scripts whose letters are taken for one another's. */
const SCRIPTS = ["Latin", "Cyrillic", "Greek", "Armenian", "Cherokee"];

/** The scripts that stand beside each other within one part of an address, such as a Cyrillic "а" in "pаypal". */
export function mixedScripts(address: string): string[] {
  return address.split(/[@.]/)
    .map((part) => SCRIPTS.filter((script) => new RegExp(`\\p{sc=${script}}`, "u").test(part)))
    .find((scripts) => scripts.length > 1) ?? [];
}

/** An e-mail address, with a mark where it may be read as another one. */
export function Email({ of }: { of: string }) {
  const scripts = mixedScripts(of);
  return <>{of} {scripts.length > 0 && <Tag>mixes {scripts.join(" and ")}</Tag>}</>;
}

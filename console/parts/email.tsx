import { mixedScripts } from "./mixed-scripts.ts";
import { Tag } from "./pill.tsx";

/** An e-mail address, with a mark where it may be read as another one. */
export function Email({ of }: { of: string }) {
  const scripts = mixedScripts(of);
  return <>{of} {scripts.length > 0 && <Tag>mixes {scripts.join(" and ")}</Tag>}</>;
}

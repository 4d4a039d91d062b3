import { Link } from "wouter-preact";
import { LinkButton } from "../button.tsx";
import { Fact, Facts, TagsFact } from "../drawer.tsx";
import { Pill } from "../pill.tsx";

/** A key's name and labels, in its drawer; nothing without any. */
export default function LabelFacts({ of: key, onChange }: {
  of: { name: string; mask: string; environment: string; note: string; tags: readonly string[] };
  /** Undefined: one may not. */
  onChange: (() => void) | undefined;
}) {
  const { environment, tags, note } = key;
  const listed = (name: string, value: string) => `/keys?${name}=${encodeURIComponent(value)}`;
  return (
    <>
      <Facts>
        <Fact name="Key">{key.name !== "" && <code>{key.mask}</code>}</Fact>
        <Fact name="Environment">
          {environment !== "" && (
            <Link href={listed("environment", environment)}>
              <Pill tone="quiet">{environment}</Pill>
            </Link>
          )}
        </Fact>
        <TagsFact tags={tags} to={(tag) => listed("tag", tag)} />
        <Fact name="Note">{note !== "" && <span class="label-note">{note}</span>}</Fact>
      </Facts>
      {onChange && <LinkButton onClick={onChange}>Change name and tags</LinkButton>}
    </>
  );
}

import { useEffect, useState } from "preact/hooks";
import { getAuditLogProof } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button } from "../../parts/button.tsx";
import { Fact, Facts } from "../../parts/drawer.tsx";
import { Loading, Problem } from "../../parts/states.tsx";
import { exactTime, Time } from "../../parts/time.tsx";
import { say } from "../../said.ts";
import type { EventView, ProofView, Result } from "./proof-check.ts";
import { resultOn } from "./proof-check.ts";

/** A row that waits is asked for again after so many milliseconds. */
const WAIT_MS = 2000;

interface Proof extends ProofView {
  readonly tree_size: number;
  readonly checkpoint_at: string;
}

/** Whether a row is as it was written, by what this browser computes, and against what. */
export function ProofPanel({ event }: { event: EventView }) {
  const { id } = event;
  const read = useCall(["audit-log", id, "proof"], getAuditLogProof, { params: { id } }, {
    staleTime: 0,
  });
  const [found, setFound] = useState<{ proof: Proof; result: Result; at: number }>();
  const proof = read.data;
  useEffect(() => {
    if (!proof) return;
    let isLeft = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    void resultOn(proof, event).then((result) => {
      if (isLeft) return;
      setFound({ proof, result, at: Date.now() });
      announce(titles[result.is]);
      if (result.is === "waiting") timer = setTimeout(() => void read.refetch(), WAIT_MS);
    });
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [proof, id]);
  if (read.error !== null && !found) {
    return <Problem error={read.error} onRetry={() => void read.refetch()} />;
  }
  if (!found) return <Loading lines={3} />;
  return (
    <div class="event-proof">
      <Proved {...found} />
      {found.result.is !== "waiting" && <Log {...found} />}
      {found.result.is !== "waiting" && (
        <File
          proof={found.proof}
          onAgain={() => void read.refetch()}
        />
      )}
      <p class="field-hint">
        It proves that this row is in the signed log as it was written. Not that what it says is
        true, nor that the server’s administrator never wrote another log: only earlier checkpoints
        that others keep can show that (<code>keydesk audit verify --since</code>).
      </p>
    </div>
  );
}

const titles = {
  holds: "This row is as it was written",
  fails: "This row does not match the log",
  waiting: "Not in the log yet",
  unable: "This browser can’t check it",
} as const;
const tones = { holds: "is-good", fails: "is-bad", waiting: "", unable: "is-warning" } as const;

function Proved({ proof, result }: { proof: Proof; result: Result }) {
  return (
    <div class={`notice ${tones[result.is]}`}>
      <b>{titles[result.is]}</b>
      <span>
        {result.is === "waiting"
          ? "Rows are taken into the log within a second or so. It is looked for again by itself."
          : result.is === "unable"
          ? "Browsers compute hashes only on pages that came by https. Download the proof and check it with the line below."
          : result.is === "fails"
          ? say`Checked in this browser: ${result.why}. Keep the store as it is, and run keydesk audit verify.`
          : say`Checked in this browser: entry ${place(proof)} of ${count(proof)}.`}
      </span>
      {"isErased" in result && result.isErased && result.is === "holds" && (
        <span>
          Names have been erased from it since. The proof is still valid: the log has only their
          salted hashes.
        </span>
      )}
    </div>
  );
}

const count = ({ tree_size }: Proof) => tree_size.toLocaleString("en");
/** Counted from 1, as people do. */
const place = ({ leaf_index }: Proof) => ((leaf_index ?? 0) + 1).toLocaleString("en");

/** The head of the log that the row was proved against. */
function Log({ proof, result, at }: { proof: Proof; result: Result; at: number }) {
  const signature = "signature" in result ? result.signature : "unchecked";
  const key = "signedBy" in result && result.signedBy !== "" ? result.signedBy : proof.keys[0];
  return (
    <Facts title="The log">
      <Fact name="Newest checkpoint">
        {count(proof)} entries, signed {exactTime(proof.checkpoint_at)}
      </Fact>
      <Fact name="Signed by">
        {signature === "bad" ? "no known key" : <code>{shortKey(key)}</code>}
        <small class="field-hint">
          {signature === "good"
            ? "This browser checked the signature. Compare the key with what keydesk audit checkpoint --keys printed."
            : signature === "unchecked"
            ? "This browser did not check the signature; keydesk audit verify does."
            : "The signature is of none of the server’s keys."}
        </small>
      </Fact>
      <Fact name="Checked">
        <Time at={new Date(at).toISOString()} />, this row. The whole log:{" "}
        <code>keydesk audit verify</code>
      </Fact>
    </Facts>
  );
}

/** A key's name and its hash, which tell it from others. */
function shortKey(key = ""): string {
  return key.split("+").slice(0, 2).join("+");
}

/** The proof to take along. */
function File({ proof, onAgain }: { proof: Proof; onAgain: () => void }) {
  const [said, say] = useState("Copy proof");
  const text = `${JSON.stringify(proof)}\n`;
  const name = `proof-${proof.event.id}.json`;
  return (
    <>
      <div class="event-proof-do">
        <Button onClick={() => download(name, text)}>Download proof</Button>
        <Button
          onClick={async () => {
            let isDone = true;
            try {
              // Browsers refuse it on plain http, and if they are set to.
              await navigator.clipboard.writeText(text);
            } catch {
              isDone = false;
            }
            say(isDone ? "Copied" : "Not copied: download it");
            setTimeout(() => say("Copy proof"), 2000);
          }}
        >
          {said}
        </Button>
        <Button kind="quiet" onClick={onAgain}>Check again</Button>
      </div>
      <p class="field-hint">
        Anybody can check the file with <code>keydesk audit verify {name}</code>
      </p>
    </>
  );
}

function download(name: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

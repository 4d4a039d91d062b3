import { useState } from "preact/hooks";
import { Button, LinkButton } from "../../parts/button.tsx";
import { TextField } from "../../parts/fields.tsx";
import { Pill, type Tone } from "../../parts/pill.tsx";
import { listed, say } from "../../said.ts";
import { nameOf } from "./certificate.ts";
import { type Result, type Upload, wantsPassphrase } from "./uploads.ts";

const outcomes: Record<Result["result"], { tone: Tone; text: string }> = {
  added: { tone: "good", text: "Added" },
  key_added: { tone: "good", text: "Key added" },
  exists: { tone: "quiet", text: "Here already" },
  refused: { tone: "bad", text: "Refused" },
  skipped: { tone: "quiet", text: "Skipped" },
};

/** Results that are shown one by one; of a huge bundle those that were refused come first. */
const SHOWN = 100;

/** What became of each file and of each certificate in it. */
export function UploadResults({ uploads, onAgain, onOpen }: {
  uploads: readonly Upload[];
  onAgain: (upload: Upload, passphrase: string) => void;
  onOpen: (id: string) => void;
}) {
  return (
    <>
      {uploads.map((upload) => (
        <section key={upload.id} class="upload" aria-label={upload.name}>
          <h3 class="upload-name">
            <span>{upload.name}</span>
            <span class="muted">{summaryOf(upload)}</span>
          </h3>
          {upload.problem !== undefined && (
            <p class="notice is-bad" role="alert">
              <span>{upload.problem}</span>
              <LinkButton onClick={() => onAgain(upload, "")}>Try again</LinkButton>
            </p>
          )}
          {upload.answer && (wantsPassphrase(upload.answer)
            ? <Passphrase upload={upload} onAgain={onAgain} />
            : <Results results={upload.answer.results} onOpen={onOpen} />)}
        </section>
      ))}
    </>
  );
}

function summaryOf({ answer, problem }: Upload): string {
  if (problem !== undefined) return "";
  if (!answer) return "Reading…";
  if (wantsPassphrase(answer)) return "locked";
  const { added, key_added, exists, refused, skipped } = answer;
  return listed(
    [
      [added, "added"],
      [key_added, "keys added"],
      [exists, "here already"],
      [refused, "refused"],
      [skipped, "skipped"],
    ].filter(([count]) => count !== 0).map(([count, word]) => say`${count} ${word}`),
  ) ||
    "nothing in it";
}

function Results({ results, onOpen }: {
  results: readonly Result[];
  onOpen: (id: string) => void;
}) {
  const isRefused = (one: Result) => one.result === "refused" ? 0 : 1;
  const shown = results.toSorted((a, b) => isRefused(a) - isRefused(b)).slice(0, SHOWN);
  return (
    <ul class="results">
      {shown.map((one) => {
        const { tone, text } = outcomes[one.result];
        const { id } = one;
        return (
          <li key={one.index}>
            <Pill tone={tone}>{text}</Pill>
            {id !== undefined
              ? (
                <LinkButton class="is-plain" onClick={() => onOpen(id)}>
                  {nameOf({ id, name: one.name ?? "" })}
                </LinkButton>
              )
              : (
                <span>
                  {one.message}
                  {one.line !== undefined && <span class="muted result-line">line {one.line}</span>}
                </span>
              )}
          </li>
        );
      })}
      {results.length > SHOWN && <li class="muted">and {results.length - SHOWN} more</li>}
    </ul>
  );
}

/** Asks for what opens a locked file. */
function Passphrase({ upload, onAgain }: {
  upload: Upload;
  onAgain: (upload: Upload, passphrase: string) => void;
}) {
  const [passphrase, setPassphrase] = useState("");
  const isWrong = upload.answer !== undefined &&
    wantsPassphrase(upload.answer)?.reason === "wrong_passphrase";
  return (
    <form
      class="unlock"
      onSubmit={(event) => {
        event.preventDefault();
        onAgain(upload, passphrase);
      }}
    >
      <TextField
        label="Passphrase"
        type="password"
        autocomplete="off"
        error={isWrong ? "This passphrase does not open it." : ""}
        value={passphrase}
        autoFocus
        onInput={setPassphrase}
      />
      <Button kind="primary" type="submit">Open</Button>
    </form>
  );
}

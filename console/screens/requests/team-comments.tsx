import type { z } from "zod";
import { useState } from "preact/hooks";
import type { comment } from "../../../src/features/key-requests/comments.operations.ts";
import { api, codeOf, decisionKey, wordsOf } from "../../api/client.ts";
import { addComment, listComments, removeComment } from "../../api/decision-endpoints.ts";
import { queries, useQuery } from "../../api/queries.ts";
import { known, may } from "../../api/session.ts";
import { announce } from "../../parts/announcer.tsx";
import { Button } from "../../parts/button.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { Problem } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";
import { listed, say } from "../../said.ts";
import { useTeam } from "./team-people.ts";

type Comment = z.output<typeof comment>;

/** How often what others say is read again. */
const NEWS_MS = 5000;

/** The team's comments on a request; nothing for the person who filed it. */
export default function TeamComments({ id }: { id: string }) {
  const queryKey = ["key-requests", id, "comments"];
  const read = useQuery({
    queryKey,
    queryFn: () => everyComment(id),
    gcTime: 30_000,
    refetchInterval: NEWS_MS,
  });
  if (codeOf(read.error) === "own_request") return null;
  const renew = () => queries.invalidateQueries({ queryKey });
  return (
    <section aria-label="Comments">
      <h3 class="group-title">Comments</h3>
      {read.error !== null && !read.data && (
        <Problem
          error={read.error}
          onRetry={() => void read.refetch()}
        />
      )}
      {read.data && read.data.length > 0 && (
        <ol class="comments">
          {read.data.map((one) => <Said key={one.id} of={id} comment={one} onRemoved={renew} />)}
        </ol>
      )}
      {read.data && may("approve") && <Say id={id} onSaid={renew} />}
    </section>
  );
}

function Said({ of: id, comment: one, onRemoved }: {
  of: string;
  comment: Comment;
  onRemoved: () => void;
}) {
  const remove = async () => {
    try {
      await api.call(removeComment, { params: { id, comment_id: one.id } });
      announce("Comment removed.");
    } catch (error) {
      toast({ text: say`Not removed. ${wordsOf(error)}`, kind: "bad" });
    }
    onRemoved();
  };
  return (
    <li>
      <div class="comment-head">
        <b>{one.author.name}</b>
        <Time at={one.at} />
        {one.may_remove && (
          <Button kind="quiet" onClick={() => void remove()}>
            Remove<span class="unseen">comment of {one.author.name}</span>
          </Button>
        )}
      </div>
      {one.words === null
        ? <p class="muted">{say`Removed by ${one.removed_by_name ?? ""}`}</p>
        : <p class="comment-words">{one.words}</p>}
      {one.mentions.length > 0 && (
        <p class="muted">{say`To ${listed(one.mentions.map(({ name }) => name))}`}</p>
      )}
    </li>
  );
}

function Say({ id, onSaid }: { id: string; onSaid: () => void }) {
  const [words, setWords] = useState("");
  const [mentions, setMentions] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const [headers, setHeaders] = useState(decisionKey);
  const team = useTeam(id).filter((one) => one.id !== known()?.person.id);
  const left = team.filter((one) => !mentions.includes(one.id));
  const send = async (event: Event) => {
    event.preventDefault();
    if (words.trim() === "") return;
    setBusy(true);
    try {
      await api.call(addComment, {
        params: { id },
        body: { words, mentions: [...mentions] },
        headers,
      });
      setWords("");
      setMentions([]);
      setHeaders(decisionKey);
      announce("Comment added.");
      onSaid();
    } catch (error) {
      toast({ text: say`Not added. ${wordsOf(error)}`, kind: "bad" });
    }
    setBusy(false);
  };
  return (
    <form class="comment-form" onSubmit={(event) => void send(event)}>
      <TextField
        label="Comment"
        hint="For the team alone; the developer never sees it."
        rows={2}
        maxLength={2000}
        value={words}
        onInput={setWords}
      />
      {team.length > 0 && (
        <SelectField
          label="Mention"
          hint="They are mailed a link, without the words."
          value=""
          options={[
            { value: "", text: "Choose a person" },
            ...left.map((one) => ({ value: one.id, text: one.name })),
          ]}
          onChange={(one) => one && setMentions([...mentions, one])}
        />
      )}
      {mentions.map((one) => {
        const name = team.find((other) => other.id === one)?.name ?? one;
        return (
          <Button
            key={one}
            onClick={() => setMentions(mentions.filter((other) => other !== one))}
          >
            {name} ×<span class="unseen">mention no more</span>
          </Button>
        );
      })}
      <Button type="submit" busy={busy}>Add comment</Button>
    </form>
  );
}

/** All of them: there are 500 at the most. */
async function everyComment(id: string): Promise<Comment[]> {
  const all: Comment[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: 100, cursor };
    const page = await api.call(listComments, { params: { id }, query });
    all.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

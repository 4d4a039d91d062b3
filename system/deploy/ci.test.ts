/**
 * The jobs of deploy/ci, run by a shell as GitHub and GitLab run them, against a server; programs
 * and an interface that answer as theirs do keep the comments.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { type Ended, repository, run } from "../../test/support/command.ts";
import { type DeskWithDoors, openDoors } from "../../test/support/doors.ts";

/** A repository's checkout with its comments, and a job run in it. */
interface Checkout {
  readonly folder: string;
  declare(rate: number): Promise<void>;
  comment(): Promise<string>;
  job(script: string, env: Record<string, string>): Promise<Ended>;
}

async function checkout(desk: DeskWithDoors): Promise<Checkout> {
  const folder = join(desk.folder, "checkout");
  const programs = join(desk.folder, "programs");
  const comments = join(desk.folder, "comments");
  await Deno.mkdir(join(folder, "keydesk"), { recursive: true });
  await Deno.mkdir(programs);
  const made = await desk.local("token", "create", "ci", "--allow", "config,plans");
  const program = (name: string, text: string) =>
    Deno.writeTextFile(join(programs, name), `#!/bin/sh\n${text}\n`, { mode: 0o700 });
  await program("keydesk", `exec node ${join(repository, "bin/keydesk.js")} "$@"`);
  // The image's words follow its name; its folder /files is the one that is mounted.
  await program(
    "docker",
    `while [ "$1" != "$IMAGE" ]; do shift; done; shift
for word; do shift; [ "$word" = /files ] && word=keydesk; set -- "$@" "$word"; done
exec keydesk "$@"`,
  );
  await program(
    "gh",
    `case "$1 $2" in
  "pr comment") cp comment.md ${comments} ;;
  "api repos/o/r/commits/abc/pulls") echo 7 ;;
  "pr view") cat ${comments} ;;
esac`,
  );
  return {
    folder,
    declare: (rate) =>
      Deno.writeTextFile(
        join(folder, "keydesk/plans.yaml"),
        `plans:\n  - name: From Git\n    rate: ${rate}\n    per: 60\n`,
      ),
    comment: () => Deno.readTextFile(comments),
    job: (script, env) =>
      run(["bash", "-e", "-c", script], {
        cwd: folder,
        env: {
          PATH: `${programs}:${Deno.env.get("PATH")}`,
          KEYDESK_URL: desk.server.url,
          KEYDESK_TOKEN: made.stdout.trim(),
          ...env,
        },
      }),
  };
}

/** A change is reviewed and applied; another that nobody has seen is not. */
async function assertReviewed(
  desk: DeskWithDoors,
  checkout: Checkout,
  { diff, apply }: { diff(): Promise<Ended>; apply(): Promise<Ended> },
): Promise<void> {
  const rate = async () => {
    const { stdout } = await desk.local("plans", "list", "--json");
    const plans = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    return plans.find(({ name }) => name === "From Git")?.rate;
  };
  const done = async (ended: Ended) => assert.equal(ended.code, 0, ended.stderr);
  await checkout.declare(60);
  await done(await diff());
  assert.match(await checkout.comment(), /^### Keydesk: `keydesk`\n[^]*From Git/);
  assert.equal(await rate(), undefined);
  await done(await apply());
  assert.equal(await rate(), 60);
  // Nothing would change, and nothing does.
  await done(await diff());
  assert.match(await checkout.comment(), /Nothing would change/);
  await done(await apply());
  await checkout.declare(90);
  assert.notEqual((await apply()).code, 0);
  await done(await diff());
  await checkout.declare(120);
  assert.notEqual((await apply()).code, 0);
  assert.equal(await rate(), 60);
  // A comment says that it failed by none.
  await Deno.writeTextFile(join(checkout.folder, "keydesk/plans.yaml"), "plans: none\n");
  assert.notEqual((await diff()).code, 0);
}

Deno.test("ci: GitHub's jobs comment on what would change, and apply what was reviewed alone", async () => {
  await using desk = await openDoors();
  const own = await checkout(desk);
  const { jobs, env } = parse(await Deno.readTextFile(join(repository, "deploy/ci/github.yml")));
  const names = { IMAGE: env.IMAGE, GITHUB_REPOSITORY: "o/r", GITHUB_SHA: "abc", PULL: "7" };
  const job = (name: string) => () => own.job(jobs[name].steps[1].run, names);
  await assertReviewed(desk, own, { diff: job("diff"), apply: job("apply") });
});

Deno.test("ci: GitLab's jobs comment on what would change, and apply what was reviewed alone", async () => {
  await using desk = await openDoors();
  const own = await checkout(desk);
  const notes: { author: { id: number }; body: string }[] = [];
  await using api = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (call) => {
    const { pathname } = new URL(call.url);
    if (call.headers.get("private-token") !== "own") return new Response(null, { status: 401 });
    if (call.method === "POST" && pathname === "/projects/5/merge_requests/7/notes") {
      const { body } = await call.json();
      await Deno.writeTextFile(join(desk.folder, "comments"), body);
      notes.unshift({ author: { id: 1 }, body: "a person's" }, { author: { id: 3 }, body });
      return Response.json({}, { status: 201 });
    }
    const answers: Record<string, unknown> = {
      "/user": { id: 3 },
      "/projects/5/repository/commits/abc/merge_requests": [{ iid: 7 }],
      "/projects/5/merge_requests/7/notes": notes,
    };
    return Response.json(answers[pathname] ?? null, { status: pathname in answers ? 200 : 404 });
  });
  const names = {
    CI_API_V4_URL: `http://127.0.0.1:${api.addr.port}`,
    CI_PROJECT_ID: "5",
    CI_MERGE_REQUEST_IID: "7",
    CI_COMMIT_SHA: "abc",
    GITLAB_TOKEN: "own",
  };
  const jobs = parse(await Deno.readTextFile(join(repository, "deploy/ci/gitlab.yml")));
  const job = (name: string) => () => own.job(jobs[name].script.join("\n"), names);
  await assertReviewed(desk, own, { diff: job("diff"), apply: job("apply") });
});

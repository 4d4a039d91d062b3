import { useEffect, useState } from "preact/hooks";
import { codeOf, wordsOf } from "../../api/client.ts";
import { goTo, keepCompany, lastCompany, takeErrand } from "../../api/company.ts";
import { createIdentity, finishProviderSignIn } from "../../api/identity-endpoints.ts";
import { queries } from "../../api/queries.ts";
import { cameBack, csrfToken, entered, isStillIn, plain, renewed } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Mark } from "../../parts/mark.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";

/**
 * The page to which a provider sends people back: it hands what they bring to the server, and leads
 * on, or says why not. Opened without anything it sends them to the provider, which asks again.
 */
export default function FromProvider({ id, answer }: { id: string; answer: string }) {
  const [errand] = useState(takeErrand);
  const [problem, setProblem] = useState("");
  const [isIn, setIsIn] = useState(false);
  const last = lastCompany();
  const name = errand.name || (last?.id === id ? last.name : "") || "the company’s sign-in";
  useEffect(() => {
    document.title = "Sign in · Keydesk";
    work().catch((error) => setProblem(refusal(error, name)));
  }, []);
  const work = async () => {
    if (answer === "") return await goTo({ id, name }, "again");
    const refused = new URLSearchParams(answer).get("error");
    const call = { params: { id }, body: { answer } };
    if (refused !== null) {
      // The server keeps why, for whoever runs it; what it answers says nothing more.
      if (errand.what !== "link") await plain.call(finishProviderSignIn, call).catch(() => {});
      return setProblem(refusedThere(refused, name));
    }
    if (errand.what === "link") {
      if (!await isStillIn()) {
        return setProblem(
          "Your session has expired meanwhile. Sign in, and link your account then.",
        );
      }
      const headers = { "x-csrf-token": csrfToken() };
      const { provider } = await plain.call(createIdentity, { ...call, headers });
      void queries.invalidateQueries({ queryKey: ["identities"] });
      toast({ text: say`Your account at ${provider} signs you in from now on.` });
      return goOn();
    }
    const session = await plain.call(finishProviderSignIn, call);
    keepCompany({ id, name });
    if (errand.what === "again") {
      await entered(session);
      return setIsIn(true);
    }
    history.replaceState(null, "", errand.at);
    await entered(session);
    cameBack.value = null;
  };
  const goOn = () => {
    history.replaceState(null, "", errand.at);
    cameBack.value = null;
  };
  return (
    <main class="sign-in">
      <div class="sign-in-box">
        <p class="brand">
          <Mark />
          Keydesk
        </p>
        <h1 class="sign-in-title">{isIn ? "You are signed in" : say`Back from ${name}`}</h1>
        {isIn
          ? <p class="sign-in-hint">Close this tab, and go on where you were.</p>
          : problem === ""
          ? <p class="sign-in-hint" role="status">A moment…</p>
          : <p class="notice is-warning" role="alert">{problem}</p>}
        {(isIn || problem !== "") && (
          <Button
            kind="primary"
            // One may have been signed in all along.
            onClick={() => void renewed().then(goOn)}
          >
            {isIn ? "Go on" : errand.what === "link" ? "Back" : "Back to the sign-in"}
          </Button>
        )}
      </div>
    </main>
  );
}

/** The provider's own refusal. */
function refusedThere(error: string, name: string): string {
  if (error === "access_denied") {
    return say`You are not signed in: the sign-in was cancelled at ${name}.`;
  }
  const word = /^[a-z_]{1,40}$/.test(error) ? error : "an error";
  return say`You are not signed in: ${name} answered ${word}. Ask your administrator.`;
}

/** Keydesk's refusal. */
function refusal(error: unknown, name: string): string {
  switch (codeOf(error)) {
    case "not_authorised":
      return say`You are not signed in: this is over ten minutes old, was used already, was begun in another browser, or ${name} did not vouch for it. Begin again.`;
    case "not_found":
      return "This provider was removed.";
    case "last_administrator":
      return say`Your groups at ${name} would leave no administrator: ask yours.`;
    default:
      return wordsOf(error);
  }
}

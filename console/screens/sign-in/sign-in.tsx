import { useEffect, useState } from "preact/hooks";
import type { z } from "zod";
import type { signInBranding } from "../../../src/features/branding/branding.contract.ts";
import type { listSignInWays } from "../../../src/features/sign-in/sign-in-rules.contract.ts";
import { api, codeOf, wordsOf } from "../../api/client.ts";
import { getSignInBranding, listSignInWays as listWays } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { enter, plain, signInNote } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { forgetLists } from "../../parts/kept-lists.ts";
import { TextField } from "../../parts/fields.tsx";
import { Mark } from "../../parts/mark.tsx";
import { OfflineBanner } from "../../parts/offline-banner.tsx";

type Brand = z.output<typeof signInBranding>;

type Ways = Pick<z.output<typeof listSignInWays.response>, "ways" | "providers">;

/**
 * The way in: an address, then what the desk offers to those of its domain, whoever has it. The
 * address of the page stays, so one goes on where one was.
 */
export function SignIn() {
  const [email, setEmail] = useState("");
  const [ways, setWays] = useState<Ways["ways"]>();
  const [providers, setProviders] = useState<Ways["providers"]>([]);
  const [credential, setCredential] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [brand, setBrand] = useState<Brand>();
  useEffect(() => {
    document.title = "Sign in · Keydesk";
    queries.clear();
    forgetLists();
  }, []);
  useEffect(() => {
    // Without it the page is Keydesk's own.
    api.call(getSignInBranding, {}).then(setBrand, () => {});
  }, []);
  const trying = async (work: () => Promise<void>, words: (error: unknown) => string) => {
    setBusy(true);
    setProblem("");
    try {
      await work();
    } catch (error) {
      setProblem(words(error));
    }
    setBusy(false);
  };
  const ask = () =>
    trying(
      async () => {
        const told = await plain.call(listWays, { body: { email } });
        setProviders(told.providers);
        setWays(told.ways);
      },
      wordsOf,
    );
  const byToken = () =>
    trying(
      () => enter({ credential }),
      (error) =>
        codeOf(error) === "not_authorised"
          ? "This access token opens nothing: it is mistyped, has expired, or was revoked."
          : wordsOf(error),
    );
  const byPasskey = async () => {
    const { enterByPasskey, isUnchosen, NOTHING_CHOSEN } = await import("../../api/passkeys.ts");
    await trying(
      enterByPasskey,
      (error) =>
        isUnchosen(error)
          ? NOTHING_CHOSEN
          : codeOf(error) === "not_authorised"
          ? "This passkey opens nothing here: it was removed, or its person was."
          : wordsOf(error),
    );
  };
  const byProvider = async (provider: Ways["providers"][number]) => {
    const { goTo } = await import("../../api/company.ts");
    await trying(() => goTo(provider, "sign-in"), wordsOf);
  };
  const submit = () => {
    if (ways === undefined) {
      return email.trim() === "" ? setProblem("Write your address here.") : void ask();
    }
    const [provider] = providers;
    if (provider && ways.length === 0) return void byProvider(provider);
    if (!ways.includes("token")) return void byPasskey();
    if (credential.trim() === "") return setProblem("Paste your access token here.");
    void byToken();
  };
  const back = (next: Ways["ways"] | undefined) => {
    setWays(next);
    setProviders([]);
    setProblem("");
  };
  const takesToken = ways?.includes("token");
  return (
    <main class="sign-in">
      <OfflineBanner />
      <form
        class="sign-in-box"
        style={brand?.colour ? { "--accent": brand.colour, "--accent-hover": brand.colour } : {}}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) submit();
        }}
      >
        <p class="brand">
          {brand?.logo
            ? <img class="brand-logo" src={brand.logo} alt="" />
            : <Mark letter={brand?.name[0]} />}
          {brand?.name || "Keydesk"}
        </p>
        <h1 class="sign-in-title">Sign in</h1>
        {signInNote.value !== "" && <p class="notice" role="status">{signInNote.value}</p>}
        {ways === undefined || email !== ""
          ? (
            <TextField
              label="Your e-mail address"
              type="email"
              autocomplete="username"
              value={email}
              error={ways === undefined ? problem : ""}
              autoFocus
              onInput={(typed) => {
                setEmail(typed);
                back(undefined);
              }}
            />
          )
          : null}
        {ways?.includes("passkey") && email !== "" && (
          <Button
            kind={takesToken ? "plain" : "primary"}
            busy={busy}
            onClick={() => void byPasskey()}
          >
            Use a passkey
          </Button>
        )}
        {providers.map((one) => (
          <Button
            key={one.id}
            busy={busy}
            onClick={() => void byProvider(one)}
          >
            Continue with {one.name}
          </Button>
        ))}
        {takesToken && (
          <TextField
            label="Your access token"
            type="password"
            autocomplete="current-password"
            value={credential}
            error={problem}
            autoFocus
            onInput={(typed) => {
              setCredential(typed);
              setProblem("");
            }}
          />
        )}
        {ways !== undefined && !takesToken && problem !== "" && (
          <p class="notice" role="alert">{problem}</p>
        )}
        {ways === undefined || takesToken
          ? (
            <Button kind="primary" type="submit" busy={busy}>
              {busy ? "Signing in…" : ways === undefined ? "Continue" : "Sign in"}
            </Button>
          )
          : null}
        {ways === undefined && (
          <p class="sign-in-hint">
            <button type="button" class="text-link" onClick={() => back(["token"])}>
              Use an access token
            </button>
          </p>
        )}
        <p class="sign-in-hint">
          {ways?.length === 0 && providers.length === 0 &&
            "Nothing of this desk works at this address. "}
          Or run <code>npx keydesk console</code>{" "}
          on the server: it prints a link that signs you in once, without pasting anything.
          {brand?.support && (
            <>
              {" "}
              Questions? <a class="text-link" href={`mailto:${brand.support}`}>{brand.support}</a>
            </>
          )}
        </p>
      </form>
    </main>
  );
}

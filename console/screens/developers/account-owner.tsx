import { may } from "../../api/session.ts";
import { Unfit } from "../../parts/form-problems.ts";
import { countOf } from "./developer.ts";
import { KeysChoice } from "./keys-choice.tsx";

/** The owner of an account with another address, and the choice for its keys with a successor. */
export interface AccountOwner {
  account?: "same_person" | "successor" | undefined;
  predecessor_keys?: "keep" | "suspend" | "revoke" | undefined;
}

/** Asks whose an account is with another address; with a successor, what becomes of its keys. */
export function AccountOwnerFields(
  { owner: { account, predecessor_keys: keys }, count, error, onChange }: {
    owner: AccountOwner;
    /** How many keys there are. */
    count: number;
    error?: string | undefined;
    onChange: (owner: AccountOwner) => void;
  },
) {
  return (
    <>
      <fieldset class="choices">
        <legend class="field-label">Whose is the account with this address?</legend>
        <label class="check">
          <input
            type="radio"
            name="account"
            checked={account === "same_person"}
            onChange={() => onChange({ account: "same_person" })}
          />
          It belongs to the same person: everything stays
        </label>
        <label class="check">
          <input
            type="radio"
            name="account"
            checked={account === "successor"}
            onChange={() => onChange({ account: "successor", predecessor_keys: keys })}
          />
          It belongs to a successor: previous sessions, tokens, password and linked accounts are
          revoked, and links are withdrawn. The previous address is notified.
        </label>
        {error && <p class="field-error" role="alert">{error}</p>}
      </fieldset>
      {account === "successor" && count > 0 && (
        <KeysChoice
          legend={`The ${
            count === 1 ? "key" : `${countOf(count)} keys`
          } that the predecessor may still have`}
          choices={{
            keep: "Keep: they stay valid",
            ...may("revoke") && {
              suspend: "Suspend: they are valid for nothing until they are resumed",
              revoke: "Revoke: they are not valid any more",
            },
          }}
          keys={keys}
          onChoose={(chosen) => onChange({ account, predecessor_keys: chosen })}
        />
      )}
    </>
  );
}

/** The body of it. Throws Unfit if it was not stated. */
export function saidOf(
  { account, predecessor_keys: keys }: AccountOwner,
  count: number,
): AccountOwner {
  if (account === undefined) throw new Unfit({ account: "Say whose the account is." });
  if (account === "same_person") return { account };
  const chosen = keys ?? (count === 0 ? "keep" : undefined);
  if (chosen === undefined) throw new Unfit({ account: "Say what becomes of the keys." });
  return { account, predecessor_keys: chosen };
}

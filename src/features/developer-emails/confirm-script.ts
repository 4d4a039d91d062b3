import { linkScript } from "../keys/claims/link-script.ts";

/** What the page that confirms an address runs. */
export const script = linkScript({
  steps: ["ask", "finished", "gone", "unread"],
  preview: "v1/email-confirmations/preview",
  script: `
  const tell = ({ side, organisation, email, changed_at, expires_at }) => {
    fact(side === "new" ? "Address" : "New address", email);
    fact("Given", time(changed_at));
    fact("Until", time(expires_at));
    byId("what").textContent = side === "new"
      ? "Somebody gave this address for an account at " + organisation.name + ". Confirm it if that was you."
      : "The address of your account at " + organisation.name + " was changed to this one. Confirm it if that was you.";
    show("ask");
  };

  byId("confirm").addEventListener("click", async () => {
    byId("confirm").disabled = true;
    say("Confirming…");
    try {
      const confirmed = await ask("v1/email-confirmations");
      if (confirmed) {
        byId("next").textContent = confirmed.email_state === "proved"
          ? "The address is confirmed."
          : "Thank you. The address counts once the other side has confirmed it, too.";
        show("finished", "finished-title");
      } else show("gone", "gone-title");
      say("");
    } catch {
      say("That did not work. Try again in a moment.");
      byId("confirm").disabled = false;
    }
  });
`,
});

/** The texts of sign-ins by a company's provider, in English. */
export const englishOfProviders = {
  "signin.nocode": "No codes are mailed here. Sign in another way.",
  "signin.go": "Continue",
  "signin.other": "Another address, or a password",
  "provider.with": "Continue with {name}",
  "provider.leave": "On to {name}",
  "provider.on": "Go on",
  "provider.back": "Signing you in",
  "provider.refused": "Nobody was let in",
  "provider.refused.text":
    "This sign-in was begun in another browser, took longer than 10 minutes, was used before, or was ended there. Begin it again.",
  "provider.nobody": "Nobody here has this account yet",
  "provider.nobody.lead":
    "{provider} knows you, and no developer here is linked to your account there.",
  "provider.nobody.up":
    "We mail six digits to your address. With them you are signed up, and your account at {provider} signs you in from then on.",
  "provider.known": "Signed up already?",
  "provider.known.text":
    "Sign in as before, and link your account at {provider} on the page of your account.",
  "identities": "Accounts that sign you in",
  "identities.lead": "Whoever is signed in there gets in here as you.",
  "identities.gone": "A sign-in that is gone",
  "identities.since": "Linked",
  "identities.link": "Link an account at {name}",
  "identities.unlink": "Unlink",
  "identities.unlink.of": "Unlink the account at {provider}",
  "account.by.provider": "by the sign-in of a company",
  "done.linked": "The account is linked. It signs you in from now on.",
  "done.unlinked": "The account signs you in no more.",
  "failed.provider_away": "This sign-in does not answer now. Try again, or sign in another way.",
  "failed.providers_unavailable": "Nobody can come back to this address from there. Write to us.",
  "failed.identity_taken": "This account signs somebody in already.",
  "failed.too_many_identities": "You have as many accounts as one may have. Unlink one first.",
  "failed.last_way_in":
    "Nothing else would let you in. Choose a password first, or have your address confirmed.",
} as const;

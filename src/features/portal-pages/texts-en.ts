/** The texts of the developer's pages in English: ICU's message format. */
export const english = {
  "site": "Developers",
  "skip": "Skip to the content",
  "title": "{page} – {site}",
  "nav": "Pages",
  "nav.account": "Account",
  "language": "Language",
  "language.set": "Use this language",
  "help": "Something wrong? Write to",

  "signin": "Sign in",
  "signin.lead": "To see the APIs of {organisation}, ask for keys and look after them.",
  "signin.email": "E-mail",
  "signin.code": "Mail me a code",
  "signin.code.note": "Six digits by mail. No password needed.",
  "signin.password": "Password",
  "signin.password.title": "Sign in with a password",
  "signin.password.do": "Sign in",
  "signin.nothing":
    "Nobody can sign in here at the moment: codes are not mailed, and passwords are switched off.",
  "signin.up": "New here?",
  "signin.up.do": "Sign up",
  "signin.wrong":
    "The address and the password do not belong together. Check both, or sign in with a code.",

  "code": "Your code",
  "code.sent": "If this address may sign in, six digits are on their way to",
  "code.label": "Six digits",
  "code.do": "Sign in",
  "code.note":
    "It works once, for 10 minutes, in this browser only. With script it signs you in after the sixth digit.",
  "code.again": "Another address, or another code",
  "code.spam": "No mail after a minute? Look into spam.",
  "code.wrong":
    "These digits do not open anything: check them. After five wrong ones, or 10 minutes, a new code is needed.",
  "code.none": "There is no code to enter in this browser. Ask for one.",

  "signup": "Sign up",
  "signup.lead": "We mail six digits to your address; with them you are in.",
  "signup.do": "Mail me a code",
  "signup.rule.invitation": "You need an invitation by {organisation} to sign up.",
  "signup.rule.domains":
    "You can sign up with an address of these domains, or with an invitation: {domains}.",
  "signup.in": "Signed up already?",
  "signup.long": "These answers are too long together. Shorten them; you can say more later.",

  "prove": "One more step",
  "prove.lead":
    "Another site signed you in. What hands a key out, rotates or ends it needs a code that is mailed to you.",
  "prove.do": "Mail me a code",
  "prove.enter": "Confirm",

  "enter": "Signing you in",
  "enter.lead": "Another site sends you here, signed in as yourself.",
  "enter.do": "Go on",
  "enter.noscript": "This page needs JavaScript to read your link. Sign in instead:",
  "enter.gone": "This link opens nothing any more: it works once, for a minute. Sign in instead.",

  "account": "Account",
  "account.you": "You",
  "account.name": "Name",
  "account.email": "E-mail",
  "account.none": "not given",
  "account.sessions": "Where you are signed in",
  "account.browser": "Unknown browser",
  "account.current": "This browser",
  "account.used": "Last used",
  "account.begun": "Signed in",
  "account.by.code": "by code",
  "account.by.password": "by password",
  "account.by.link": "by another site",
  "account.by.nonce": "by another site",
  "account.end": "End",
  "account.end.of": "End the session of {browser}",
  "account.end.all": "Sign out everywhere",
  "account.out": "Sign out",

  "field.required": "required",

  "gone": "There is nothing here",
  "gone.text": "This address leads nowhere, or what was there is not yours.",
  "gone.home": "To the first page",
  "off": "There are no pages for developers here",
  "off.text": "They are switched off, or they are at another address.",
  "failed": "That did not work",
  "failed.csrf":
    "This form did not come from these pages, or it was open for too long. Open the page again and send it from there; nothing was changed.",
  "failed.wait":
    "Too many attempts came from here. Wait {seconds, plural, one {# second} other {# seconds}} and try again.",
  "failed.unavailable":
    "The desk cannot reach its store at the moment. Your keys work as before. Try again in a moment.",
  "failed.input": "This cannot be taken as it is: {why}.",
  "failed.other": "The desk refused this: {why}",
} as const;

/** The name of a text. */
export type TextKey = keyof typeof english;

/** A catalogue: each text in ICU's message format. */
export type Catalogue = Readonly<Record<TextKey, string>>;

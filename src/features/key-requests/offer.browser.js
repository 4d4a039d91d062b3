/** The script of an offer's page, on top of that of all such pages. */
const { TEXTS, ask, begin, byId, fact, language, read, say, show, time, words } = link({
  steps: ["ask", "accepted", "finished", "over", "gone", "unread"],
  preview: "v1/offers/preview",
});

const number = (n) => new Intl.NumberFormat(language).format(n);
const span = (seconds) => {
  const [unit, length] = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]]
    .find(([, one]) => seconds % one === 0);
  const long = { style: "unit", unit, unitDisplay: "long" };
  const time = new Intl.NumberFormat(language, long).format(seconds / length);
  return TEXTS["span." + seconds] ?? words("span", { time });
};
const calls = ({ calls, seconds }) =>
  words("calls", {
    count: number(calls),
    span: seconds >= 1e10 ? words("span.all") : span(seconds),
  });
const named = (plans) => plans.map(({ id, name }) => name || id).join(", ");

const tell = ({ state, asked, terms, plans, message, expires_at }) => {
  fact(words("fact.asked"), named(asked));
  fact(words("fact.offered"), plans && named(plans));
  if (terms) {
    fact(words("fact.rate"), terms.rate && calls(terms.rate));
    fact(words("fact.quota"), terms.quota && calls(terms.quota));
    fact(words("fact.addresses"), terms.addresses && terms.addresses.join(", "));
    fact(words("fact.ends"), terms.expires_at && time(terms.expires_at));
    fact(words("fact.review"), terms.review_at && time(terms.review_at));
  }
  fact(words("fact.message"), message);
  fact(words("fact.until"), expires_at && time(expires_at));
  if (state === "waiting") return show("ask");
  byId("over-title").textContent = words("over." + state);
  byId("over-why").textContent = words("over." + state + ".why");
  show("over", "over-title");
};

const act = (id, path, more, done) =>
  byId(id).addEventListener("click", async () => {
    const buttons = ["accept", "turn-down", "answer"].map(byId);
    const body = more();
    if (!body) return byId("words").focus();
    for (const one of buttons) one.disabled = true;
    say(words("sending"));
    try {
      const answer = await ask("v1/offers/" + path, body);
      say("");
      if (answer) done(answer);
      else await read();
    } catch {
      say(words("failed"));
    }
    for (const one of buttons) one.disabled = false;
  });
const finish = () => show("finished", "finished-title");
act("accept", "accept", () => ({}), ({ one_time_link }) => {
  byId("key").href = one_time_link.link;
  show("accepted", "accepted-title");
});
act("turn-down", "answer", () => ({ turn_down: true, words: byId("words").value.trim() }), finish);
act("answer", "answer", () => {
  const words = byId("words").value.trim();
  return words === "" ? undefined : { turn_down: false, words };
}, finish);

begin(tell);

/** A developer's name out of the fields of their sign-up, whatever the portal calls it. */
export function developerName(fields: Readonly<Record<string, unknown>>, fallback: string): string {
  for (const [name, value] of Object.entries(fields)) {
    if (/^(full[ _-]?)?name$/i.test(name) && typeof value === "string" && value.trim() !== "") {
      return value;
    }
  }
  return fallback || "Unknown developer";
}

/** The answer that says what it is for: by its question, else the longest. */
export function whyOf(fields: Readonly<Record<string, string>>): string {
  const answers = Object.entries(fields).filter(([, value]) => value.trim() !== "");
  const asked = answers.find(([name]) => /use|why|purpose|reason|descri/i.test(name));
  if (asked) return asked[1];
  return answers.map(([, value]) => value).sort((a, b) => b.length - a.length)[0] ?? "";
}

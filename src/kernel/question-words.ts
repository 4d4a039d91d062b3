/** A question as people read it: "use_case" is "Use case". */
export function questionOf(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").replaceAll(/([a-z])([A-Z])/g, "$1 $2").trim();
  const text = words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
  return text.replace(/^Oauth\b/, "OAuth").replaceAll(
    /\b(api|url|uri|id)\b/gi,
    (word) => word.toUpperCase(),
  );
}

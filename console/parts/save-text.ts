/** Hands a text over as a file of this name, whose ending says what it is. */
export function saveText(text: string, name: string): void {
  const link = document.createElement("a");
  const type = name.endsWith(".csv") ? "text/csv" : "text/plain";
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/**
 * Writes to standard output and waits for a slow reader, so that a long list takes no memory. Ends the process
 * quietly where the reader has seen enough (`| head`).
 */
export async function print(text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let done = 0; done < bytes.length;) done += await Deno.stdout.write(bytes.subarray(done));
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) Deno.exit(0);
    throw error;
  }
}

/** The words of texts; white space separates them. */
export function namesOf(...texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.trim().split(/\s+/));
}

/** The first sentence, which is all that a list has room for. */
export function firstSentence(text: string): string {
  return /^.*?[.?!](?=\s|$)/s.exec(text)?.[0] ?? text;
}

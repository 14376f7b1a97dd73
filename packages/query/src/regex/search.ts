/** Where a pattern was found. Positions are those of JavaScript's strings. */
export interface RegexMatch {
  readonly index: number;
  readonly text: string;
  /** What each group holds, undefined for one that took no part. */
  readonly captures: readonly (string | undefined)[];
}

/** A compiled pattern. Both throw CommandError 51156 if a search would take too long. */
export interface Regex {
  /** Whether the pattern is anywhere in the text. */
  test(text: string): boolean;
  /** The first place from a position on. */
  exec(text: string, from: number): RegexMatch | undefined;
}

/** A member's name, or what members are now: `primary`, `secondaries`, `all`, `any`; or several of these. */
export type Target = string | readonly string[];

/** The words that stand for members. A member that is called so comes first. */
export const TARGET_WORDS = ['primary', 'secondaries', 'all', 'any'] as const;
export type TargetWord = (typeof TARGET_WORDS)[number];

/** Those among whom words choose, as whoever asks sees them. */
export interface Roster {
  /** All that a target may name. */
  readonly names: readonly string[];
  /** Those of `all`; `any` is the first of them. */
  all(): readonly string[];
  /** Who accepts writes; undefined if nobody does. */
  primary(): string | undefined;
  /** Those that replicate, and can be read from. */
  secondaries(): readonly string[];
}

/** The words of a target. */
export function wordsOf(target: Target): readonly string[] {
  return typeof target === 'string' ? [target] : target;
}

/** Which word this is; undefined for a name. */
export function asWord(word: string, names: readonly string[]): TargetWord | undefined {
  return names.includes(word) ? undefined : TARGET_WORDS.find((each) => each === word);
}

/** The members that a target means, each once, in its order; whoever it names is among them even if nobody is called so. */
export function membersMeant(target: Target, roster: Roster): string[] {
  return [...new Set(wordsOf(target).flatMap((word) => meant(word, roster)))];
}

function meant(word: string, roster: Roster): readonly string[] {
  switch (asWord(word, roster.names)) {
    case 'all':
      return roster.all();
    case 'any':
      return roster.all().slice(0, 1);
    case 'primary':
      return [roster.primary() ?? []].flat();
    case 'secondaries':
      return roster.secondaries();
    case undefined:
      return [word];
  }
}

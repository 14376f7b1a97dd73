/**
 * The members to which something applies: a member's name, `primary`, `secondaries`, `all`, `any` (the first member), or a list of
 * these.
 */
export type Target = string | readonly string[];

/** The words that stand for members. If a member has such a name, the name takes precedence. */
export const TARGET_WORDS = ['primary', 'secondaries', 'all', 'any'] as const;
export type TargetWord = (typeof TARGET_WORDS)[number];

/** What people write for none. */
const NOBODY = /^(nobody|none|noone|no one|nil|nothing|null)$/i;

/** Whether a text that is no member's name means that there is none. */
export function isNobody(word: string): boolean {
  return NOBODY.test(word);
}

/** The members among which a target chooses. */
export interface Roster {
  /** All names that a target may use. */
  readonly names: readonly string[];
  /** The members that `all` means; `any` means the first of them. */
  all(): readonly string[];
  /** The member that accepts writes; undefined if none does. */
  primary(): string | undefined;
  /** The members that replicate and can be read from. */
  secondaries(): readonly string[];
}

/** The names and words of a target. */
export function wordsOf(target: Target): readonly string[] {
  return typeof target === 'string' ? [target] : target;
}

/** The text as a target word; undefined if it is a member's name. */
export function asWord(word: string, names: readonly string[]): TargetWord | undefined {
  return names.includes(word) ? undefined : TARGET_WORDS.find((each) => each === word);
}

/** The members that a target means, each once and in its order. Unknown names are included as they are. */
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

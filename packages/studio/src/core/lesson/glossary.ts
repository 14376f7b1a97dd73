/** A word of the glossary. */
export interface Word {
  /** As it stands there: `pass, sub-pass, visit`. */
  readonly word: string;
  readonly means: string;
  /** One of those to begin with. */
  readonly isCore: boolean;
}

/** A part of a text, with the word that it is, where it is one. */
export interface Part {
  readonly text: string;
  readonly word?: Word;
}

/** Below it stand the words that are for later. */
const LATER = '### All others';

/** The words of `docs/glossary.md`, which has them in tables: first those to begin with. */
export function wordsOf(glossary: string): readonly Word[] {
  const later = glossary.indexOf(LATER);
  return [...glossary.matchAll(/^\| ([^|]+) \| ([^|]+) \| \[/gm)].map(({ index, 1: word = '', 2: means = '' }) => ({
    word,
    means: means.replaceAll('`', ''),
    isCore: index < later,
  }));
}

/** A text in parts, in order; each word is told apart where it stands first, and a longer one before a shorter one. */
export function partsOf(text: string, words: readonly Word[]): readonly Part[] {
  const found = words.flatMap((word) => firstUse(text, word) ?? []).sort((a, b) => a.from - b.from || b.to - a.to);
  const parts: Part[] = [];
  let done = 0;
  for (const { from, to, word } of found) {
    if (from < done) continue;
    if (from > done) parts.push({ text: text.slice(done, from) });
    parts.push({ text: text.slice(from, to), word });
    done = to;
  }
  return done < text.length ? [...parts, { text: text.slice(done) }] : parts;
}

/** Which of the words a text uses, in their own order. */
export function wordsIn(text: string, words: readonly Word[]): readonly Word[] {
  return words.filter((word) => firstUse(text, word) !== undefined);
}

function firstUse(
  text: string,
  word: Word,
): { readonly from: number; readonly to: number; readonly word: Word } | undefined {
  const names = word.word.split(', ').map((name) => name.replaceAll(/[- ]/g, '[- ]?'));
  const match = new RegExp(`\\b(?:${names.join('|')})(?:s|es|d|ed)?\\b`, 'i').exec(text);
  return match ? { from: match.index, to: match.index + match[0].length, word } : undefined;
}

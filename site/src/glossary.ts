import { read } from './repository.ts';

/** A word of the glossary. */
export interface Word {
  readonly word: string;
  readonly means: string;
  /** One of those to begin with. */
  readonly isCore: boolean;
}

/** Above the table of those that are for later. */
const LATER = '### All others';

/** The words of `docs/glossary.md`. */
export function glossary(): Word[] {
  const text = read('docs/glossary.md');
  return [...text.matchAll(/^\| ([^|]+) \| ([^|]+) \| \[/gm)].map(({ index, 1: word, 2: means }) => ({
    word: word!,
    means: means!,
    isCore: index < text.indexOf(LATER),
  }));
}

/** Those of the words that a text uses. */
export function wordsIn(text: string, words: readonly Word[]): Word[] {
  return words.filter(({ word }) =>
    word
      .split(', ')
      .some((name) => new RegExp(`\\b${name.replaceAll(/[- ]/g, '[- ]?')}(s|es|d|ed)?\\b`, 'i').test(text)),
  );
}

import { read } from './repository.ts';

/** A word of the glossary. */
export interface Word {
  readonly word: string;
  readonly means: string;
}

/** The words of `docs/glossary.md`. */
export function glossary(): Word[] {
  return [...read('docs/glossary.md').matchAll(/^\| ([^|]+) \| ([^|]+) \| \[/gm)].map(([, word, means]) => ({
    word: word!,
    means: means!,
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

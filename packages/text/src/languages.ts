/** The languages that a text index knows, with their stems and stop words. Upstream: fts_language.cpp, stemmer.cpp, stop_words.cpp. */
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stopwords as stopInDanish } from '@orama/stopwords/danish';
import { stopwords as stopInDutch } from '@orama/stopwords/dutch';
import { stopwords as stopInEnglish } from '@orama/stopwords/english';
import { stopwords as stopInFinnish } from '@orama/stopwords/finnish';
import { stopwords as stopInFrench } from '@orama/stopwords/french';
import { stopwords as stopInGerman } from '@orama/stopwords/german';
import { stopwords as stopInHungarian } from '@orama/stopwords/hungarian';
import { stopwords as stopInItalian } from '@orama/stopwords/italian';
import { stopwords as stopInNorwegian } from '@orama/stopwords/norwegian';
import { stopwords as stopInPortuguese } from '@orama/stopwords/portuguese';
import { stopwords as stopInRomanian } from '@orama/stopwords/romanian';
import { stopwords as stopInRussian } from '@orama/stopwords/russian';
import { stopwords as stopInSpanish } from '@orama/stopwords/spanish';
import { stopwords as stopInSwedish } from '@orama/stopwords/swedish';
import { stopwords as stopInTurkish } from '@orama/stopwords/turkish';
import { stem as english } from 'porter2';

/** How the words of a language are taken apart. */
export interface Language {
  readonly name: string;
  /** A word in lower case without its endings. */
  readonly stem: (word: string) => string;
  /** Words, in lower case, that say nothing. */
  readonly stopWords: ReadonlySet<string>;
}

const NONE: Language = { name: 'none', stem: (word) => word, stopWords: new Set() };

/** The library's list has these beside those of upstream, and lacks one. */
const SAYS_SOMETHING = new Set(['us', 'will', 'shall', 'can', 'may', 'might', 'must']);
const ENGLISH_STOP_WORDS = [...stopInEnglish.filter((word) => !SAYS_SOMETHING.has(word)), 'a'];

// biome-ignore format: a table
const LANGUAGES: readonly (readonly [name: string, alias: string, stem: Language['stem'], stopWords: readonly string[]])[] = [
  ['danish', 'da', danish, stopInDanish],
  ['dutch', 'nl', dutch, stopInDutch],
  ['english', 'en', english, ENGLISH_STOP_WORDS],
  ['finnish', 'fi', finnish, stopInFinnish],
  ['french', 'fr', french, stopInFrench],
  ['german', 'de', german, stopInGerman],
  ['hungarian', 'hu', hungarian, stopInHungarian],
  ['italian', 'it', italian, stopInItalian],
  ['norwegian', 'nb', norwegian, stopInNorwegian],
  ['portuguese', 'pt', portuguese, stopInPortuguese],
  ['romanian', 'ro', romanian, stopInRomanian],
  ['russian', 'ru', russian, stopInRussian],
  ['spanish', 'es', spanish, stopInSpanish],
  ['swedish', 'sv', swedish, stopInSwedish],
  ['turkish', 'tr', turkish, stopInTurkish],
];

const byName = new Map<string, () => Language>([['none', () => NONE]]);
for (const [name, alias, stem, stopWords] of LANGUAGES) {
  let language: Language | undefined;
  const made = () => {
    language ??= { name, stem, stopWords: new Set(stopWords) };
    return language;
  };
  byName.set(name, made).set(alias, made);
}

/** The language of this name or of its two letters, in any case; undefined for one that is not known. */
export function languageNamed(name: string): Language | undefined {
  return byName.get(name.toLowerCase())?.();
}

/** What a search string asks for, before any language is known. Upstream: fts_query_impl.cpp, fts_query_parser.cpp. */
export interface SearchWords {
  /** Words of which one has to be there; those of phrases are among them. */
  readonly positive: string;
  /** Words none of which may be there. */
  readonly negative: string;
  readonly phrases: readonly string[];
  readonly negatedPhrases: readonly string[];
}

/** A run of what is neither a space nor a sign, or one sign, with whether a space stands before it. */
const TOKEN = /([\n\v\f\r ]*)([-"]|[^-"\n\v\f\r ]+)/g;

/**
 * Takes a search apart. `-` before a word or a phrase negates, up to the next space; quotes make a phrase; a phrase that is not
 * ended is words.
 */
export function searchWords(search: string): SearchWords {
  const positive: string[] = [];
  const negative: string[] = [];
  const phrases: string[] = [];
  const negatedPhrases: string[] = [];
  let isNegated = false;
  let phraseStart: number | undefined;
  for (const token of search.matchAll(TOKEN)) {
    const [, spaces = '', text = ''] = token;
    const isFirstOfWord = token.index === 0 || spaces !== '';
    const at = token.index + spaces.length;
    if (text === '-') {
      if (phraseStart === undefined && isFirstOfWord) isNegated = true;
    } else if (text === '"') {
      if (phraseStart === undefined) {
        if (isFirstOfWord) isNegated = false;
        phraseStart = at + 1;
      } else {
        (isNegated ? negatedPhrases : phrases).push(search.slice(phraseStart, at));
        phraseStart = undefined;
      }
    } else if (!(phraseStart !== undefined && isNegated)) {
      if (isNegated && isFirstOfWord) isNegated = false;
      (isNegated ? negative : positive).push(text);
    }
  }
  return { positive: positive.join(' '), negative: negative.join(' '), phrases, negatedPhrases };
}

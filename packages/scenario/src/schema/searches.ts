const SEARCHES =
  /\b2d|\$(geo|near|within|text)|\$regex(?!Match|Find)|\$regularExpression|:\s*['"]?text\b|\bpattern(Properties)?\b['"]?\s*:/;

/**
 * Whether a scenario may index or search places or words, or may filter by patterns: the libraries for that are large, and are not where none
 * does. It looks at the text alone, and sees too much rather than too little.
 */
export const asksForSearches = (text: string): boolean => SEARCHES.test(text);

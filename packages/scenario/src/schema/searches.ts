const SEARCHES = /\b2d|\$(geo|near|within|text)|:\s*['"]?text\b/;
/** What another library computes. */
const RARE =
  /\$(a?(sin|cos|tan)h?|atan2|sigmoid|degreesTo|radiansTo|regex(Find|Match)|toHashed|rand|median|percentile|covariance|derivative|integral|expMoving)|granularity/;

/**
 * Whether a scenario may index or search places or words, or compute what few do: the libraries for that are large, and are not where none
 * does. It looks at the text alone, and sees too much rather than too little.
 */
export const asksForSearches = (text: string): boolean => SEARCHES.test(text) || RARE.test(text);

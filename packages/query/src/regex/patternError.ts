/** A pattern that PCRE refuses, or that says what is not supported here. */
export class PatternError extends Error {}

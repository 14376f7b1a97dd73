export { scoresOf } from './documentTexts.ts';
export { languageNamed } from './languages.ts';
export { checkSearch, parseSearch, scoreOf, type TextSearch } from './search.ts';
export {
  DEFAULT_LANGUAGE,
  DEFAULT_LANGUAGE_OVERRIDE,
  readTextRules,
  type TextRules,
  WILDCARD,
} from './textRules.ts';

/**
 * The one door to the runtime's ICU: an order of strings by a collation's rules, made of what `Intl.Collator` has. It reads
 * neither the environment's locale nor anything else that two runs in one runtime could differ by.
 */
import { CommandError } from '@replsim/protocol';
import type { CollationRules } from './collationRules.ts';

/** Compares two strings: negative, zero or positive. */
export type TextOrder = (a: string, b: string) => number;

/**
 * An order by these rules. `Intl.Collator` knows strength 1, 2 and 3, and the case level with strength 1 alone. Any other
 * strength is its levels one after the other, each asked only where those before it see no difference.
 * Upstream: collator_interface_icu.cpp; the levels are those of ICU's collationcompare.cpp.
 * Throws BadValue 2, naming the option, for what cannot be had so.
 */
export function intlOrder(rules: CollationRules): TextOrder {
  refuseInexpressible(rules);
  return inTurn(levelsOf(rules));
}

/** Which ICU the runtime has, by whose tables the orders are: `78.2`. A browser does not tell. */
export function icuVersion(): string {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly icu?: string } } };
  return process?.versions?.icu ?? 'unknown';
}

/** Locales without rules of their own, so that another of them may stand in. Source: CLDR's collation files. */
// biome-ignore format: a list
const ROOT_LOCALES: ReadonlySet<string> = new Set(['de', 'en', 'en_US', 'fr', 'fr_CA', 'ga', 'id', 'it', 'lb', 'ms', 'nl', 'pt', 'sw',
  'zu']);

/** BCP 47's short names for the variants that mongod names at length. Source: CLDR, bcp47/collation.xml. */
const SHORT_VARIANTS: Readonly<Record<string, string>> = {
  dictionary: 'dict',
  gb2312han: 'gb2312',
  phonebook: 'phonebk',
  traditional: 'trad',
};

function levelsOf(rules: CollationRules): TextOrder[] {
  const { strength, caseLevel, alternate } = rules;
  const levels: TextOrder[] = [];
  if (strength === 1) levels.push(collator(rules, caseLevel ? 'case' : 'base'));
  else if (strength === 2 || caseLevel) levels.push(collator(rules, 'accent'));
  if (strength > 1 && caseLevel) levels.push(collator(rules, 'case'));
  if (strength > 2) levels.push(collator(rules, 'variant'));
  // What was skipped as punctuation counts at the fourth level by what it weighs at the first, and nothing else differs there.
  if (strength > 3 && alternate === 'shifted') levels.push(collator({ ...rules, alternate: 'non-ignorable' }, 'base'));
  if (strength > 4) levels.push(byCodePoints);
  return levels;
}

function inTurn(levels: readonly TextOrder[]): TextOrder {
  const [first, second] = levels;
  if (first !== undefined && second === undefined) return first;
  return (a, b) => {
    for (const level of levels) {
      const order = level(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function collator(rules: CollationRules, sensitivity: 'base' | 'accent' | 'case' | 'variant'): TextOrder {
  const { tag, usage } = tagOf(rules);
  const { caseFirst, numericOrdering, alternate } = rules;
  return new Intl.Collator(tag, {
    usage,
    sensitivity,
    numeric: numericOrdering,
    ignorePunctuation: alternate === 'shifted',
    // Case stands first at the level of case; asked for where case does not count it would only slow things down.
    caseFirst: caseFirst === 'off' || sensitivity === 'base' || sensitivity === 'accent' ? 'false' : caseFirst,
  }).compare;
}

/** The locale's name by BCP 47, the variant behind it. `search` is a usage there, and no variant. */
function tagOf({ locale, backwards }: CollationRules): { tag: string; usage: 'sort' | 'search' } {
  if (ROOT_LOCALES.has(locale)) return { tag: backwards ? 'fr-CA' : 'en', usage: 'sort' };
  const [name, variant] = locale.split('@collation=') as [string, string?];
  const base = name === 'en_US_POSIX' ? 'en-US-u-va-posix' : name.replaceAll('_', '-');
  if (variant === undefined || variant === 'standard') return { tag: base, usage: 'sort' };
  if (variant === 'search') return { tag: base, usage: 'search' };
  const short = Object.hasOwn(SHORT_VARIANTS, variant) ? SHORT_VARIANTS[variant] : variant;
  return { tag: `${base}-u-co-${short}`, usage: 'sort' };
}

function refuseInexpressible(rules: CollationRules): void {
  const { locale, strength, alternate, maxVariable, backwards } = rules;
  if (!isKnown(rules)) throw inexpressible('locale', locale);
  if (alternate === 'shifted' && maxVariable === 'space') throw inexpressible('maxVariable', maxVariable);
  // Only the rules of Canadian French compare accents from the end, and they are else those of the root.
  if (backwards && !ROOT_LOCALES.has(locale)) throw inexpressible('backwards', backwards);
  // Thai ignores punctuation whatever `Intl.Collator` is asked for.
  if (locale.startsWith('th') && alternate !== 'shifted') throw inexpressible('alternate', alternate);
  // Japanese tells hiragana from katakana at the fourth level, Thai cannot be made to look at punctuation there.
  const ownFourthLevel = locale.startsWith('ja') || locale.startsWith('th');
  if (strength > 3 && ownFourthLevel) throw inexpressible('strength', strength);
}

function isKnown(rules: CollationRules): boolean {
  if (typeof Intl !== 'object') return false;
  const { tag, usage } = tagOf(rules);
  try {
    if (Intl.Collator.supportedLocalesOf(tag).length === 0) return false;
    const wanted = /-u-co-(.*)$/.exec(tag)?.[1];
    const resolved = new Intl.Collator(tag, { usage }).resolvedOptions();
    if (wanted !== undefined && resolved.collation !== wanted) return false;
    return !tag.endsWith('posix') || new Intl.Collator(tag).compare('a', 'B') > 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function inexpressible(option: string, value: unknown): CommandError {
  const message = `the collation's '${option}' cannot be '${value}' here: this runtime's Intl.Collator has no such order`;
  return new CommandError('BadValue', message);
}

/** The last level: what is left to tell apart, decomposed. UTF-16 sorts what lies beyond its first plane too early. */
function byCodePoints(a: string, b: string): number {
  const x = a.normalize('NFD');
  const y = b.normalize('NFD');
  const length = Math.min(x.length, y.length);
  for (let i = 0; i < length; i++) {
    if (x.charCodeAt(i) === y.charCodeAt(i)) continue;
    const start = isLowSurrogate(x.charCodeAt(i)) && i > 0 ? i - 1 : i;
    return x.codePointAt(start)! - y.codePointAt(start)!;
  }
  return x.length - y.length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

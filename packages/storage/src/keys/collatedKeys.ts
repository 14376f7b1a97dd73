/**
 * Keys with strings of a language in them. A runtime's ICU compares strings but gives no sort keys, so that such a string
 * stands in a key as it is, and keys are compared part by part: chars between strings by their codes, strings by the collator.
 */
import type { Collator } from '@replsim/query';

/**
 * Begins a string: its length in two chars of 15 bits, then its UTF-16 units. No other char of a key reaches 256, so that
 * whoever reads a key from the left cannot take anything else for it.
 */
export const TEXT = 0x100;
/** How many chars stand before a string's own. */
const TEXT_HEADER = 3;
const TEXT_MARK = String.fromCharCode(TEXT);
/**
 * Before a string stands its rank, or the 0 that ends a field's name; where a part descends both are turned round, to this or
 * above, and so tell the direction.
 */
const LEAST_TURNED = 255 - 15;

/** Appends a string that a collator is to compare. */
export function pushText(chars: number[], text: string): void {
  chars.push(TEXT, text.length >>> 15, text.length & 0x7fff);
  for (let i = 0; i < text.length; i++) chars.push(text.charCodeAt(i));
}

/** The key of a string alone, without its rank. */
export function textKey(text: string): string {
  return TEXT_MARK + String.fromCharCode(text.length >>> 15, text.length & 0x7fff) + text;
}

/** How many of the chars from `at` on, where `TEXT` stands, are a string. */
export function textSize(key: { readonly [index: number]: number }, at: number): number {
  return TEXT_HEADER + key[at + 1]! * 0x8000 + key[at + 2]!;
}

/** Compares keys in the order of an index with this collation; without one, by their chars. */
export function compareKeys(a: string, b: string, collator: Collator | undefined): number {
  if (a === b) return 0;
  if (collator === undefined) return a < b ? -1 : 1;
  let atA = 0;
  let atB = 0;
  for (;;) {
    const textA = a.indexOf(TEXT_MARK, atA);
    const textB = b.indexOf(TEXT_MARK, atB);
    const charsA = a.slice(atA, textA < 0 ? undefined : textA);
    const charsB = b.slice(atB, textB < 0 ? undefined : textB);
    // Where one goes on with a string and the other with a char, it is the char of a bound that lies behind all strings.
    if (charsA !== charsB) return charsA < charsB ? -1 : 1;
    if (textA < 0 || textB < 0) return (textA < 0 ? 0 : 1) - (textB < 0 ? 0 : 1);
    const endA = textEnd(a, textA);
    const endB = textEnd(b, textB);
    const order = collator.compare(a.slice(textA + TEXT_HEADER, endA), b.slice(textB + TEXT_HEADER, endB));
    if (order !== 0) return a.charCodeAt(textA - 1) >= LEAST_TURNED ? -order : order;
    atA = endA;
    atB = endB;
  }
}

function textEnd(key: string, at: number): number {
  return at + TEXT_HEADER + key.charCodeAt(at + 1) * 0x8000 + key.charCodeAt(at + 2);
}

/** The keys in order, of those that the collation finds equal the first. */
export function distinctKeys(keys: Iterable<string>, collator: Collator): string[] {
  const sorted = [...keys].sort((a, b) => compareKeys(a, b, collator));
  let before: string | undefined;
  return sorted.filter((key) => {
    const isNew = before === undefined || compareKeys(before, key, collator) !== 0;
    before = key;
    return isNew;
  });
}

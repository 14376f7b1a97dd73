/** Strings in the order of a language. */
import { readRules } from './collationRules.ts';
import { intlOrder, type TextOrder } from './intlOrder.ts';

/** A collation, made ready to compare by. None at all, `undefined`, means the order of code points. */
export interface Collator {
  /** The collation's document with all its fields; two collations are equal if these are, byte by byte. */
  readonly bytes: Uint8Array;
  readonly compare: TextOrder;
}

/** Made again where more are wanted, so that no client can fill the memory with them. */
const MOST_KEPT = 64;
const kept = new Map<string, Collator>();

/**
 * The collator of a collation document that has every field.
 * Throws BadValue 2, naming the option, for an order that this runtime does not have.
 */
export function compileCollator(complete: Uint8Array): Collator {
  const identity = String.fromCharCode(...complete);
  const known = kept.get(identity);
  if (known !== undefined) return known;
  const collator = { bytes: complete, compare: intlOrder(readRules(complete)) };
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(identity, collator);
  return collator;
}

/** Whether two collations are the same; undefined is the simple one. Upstream: CollatorInterface::collatorsMatch. */
export function sameCollation(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** A collation document, read: what its strings are compared by. Upstream: collation_spec.h. */
import { readInt32 } from '@replsim/protocol';
import { fieldsOf, readString } from '../values.ts';

/** All the rules, in the order in which mongod shows them. */
export interface CollationRules {
  readonly locale: string;
  readonly caseLevel: boolean;
  readonly caseFirst: 'upper' | 'lower' | 'off';
  readonly strength: number;
  readonly numericOrdering: boolean;
  readonly alternate: 'non-ignorable' | 'shifted';
  readonly maxVariable: 'punct' | 'space';
  readonly normalization: boolean;
  readonly backwards: boolean;
}

/** Reads a document that has every field, as the catalog keeps it. */
export function readRules(complete: Uint8Array): CollationRules {
  const fields = new Map(fieldsOf(complete));
  const text = (name: string) => readString(fields.get(name)!);
  const flag = (name: string) => {
    const { bytes, offset } = fields.get(name)!;
    return bytes[offset] !== 0;
  };
  const strength = fields.get('strength')!;
  return {
    locale: text('locale'),
    caseLevel: flag('caseLevel'),
    caseFirst: text('caseFirst') as CollationRules['caseFirst'],
    strength: readInt32(strength.bytes, strength.offset),
    numericOrdering: flag('numericOrdering'),
    alternate: text('alternate') as CollationRules['alternate'],
    maxVariable: text('maxVariable') as CollationRules['maxVariable'],
    normalization: flag('normalization'),
    backwards: flag('backwards'),
  };
}

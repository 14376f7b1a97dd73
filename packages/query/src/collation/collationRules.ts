import { readString } from '@replsim/protocol';
/** A collation document, read: what its strings are compared by. Upstream: collation_spec.h. */
import { fieldsOf, isTruthy, readInteger } from '../values.ts';

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

/** Reads a collation's document; the catalog keeps it with every field, and what is left out is as the root has it. */
export function readRules(collation: Uint8Array): CollationRules {
  const fields = new Map(fieldsOf(collation));
  const text = <Choice extends string>(name: keyof CollationRules, absent: Choice): Choice => {
    const value = fields.get(name);
    return value === undefined ? absent : (readString(value) as Choice);
  };
  const flag = (name: keyof CollationRules) => isTruthy(fields.get(name));
  const strength = fields.get('strength');
  return {
    locale: text('locale', ''),
    caseLevel: flag('caseLevel'),
    caseFirst: text<CollationRules['caseFirst']>('caseFirst', 'off'),
    strength: strength === undefined ? 3 : Number(readInteger(strength)),
    numericOrdering: flag('numericOrdering'),
    alternate: text<CollationRules['alternate']>('alternate', 'non-ignorable'),
    maxVariable: text<CollationRules['maxVariable']>('maxVariable', 'punct'),
    normalization: flag('normalization'),
    backwards: flag('backwards'),
  };
}

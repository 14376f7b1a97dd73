/** Regular expressions as tests of stored values. */
import { BsonType, type BsonValue, readString } from '@replsim/protocol';
import { compareRaw } from '../compare.ts';
import type { ValueTest } from '../paths.ts';
import { compileRegex } from '../regex/compileRegex.ts';
import { readRegex } from '../values.ts';

/**
 * Tests strings and symbols against the pattern; a stored regular expression matches if it is the same one. Errors: those of
 * `compileRegex`; 51156 when it is asked, where mongod's find takes a search that it gives up for one without a result.
 */
export function regexTest(pattern: string, options: string, literal: BsonValue): ValueTest {
  const regex = compileRegex(pattern, options);
  return (type, bytes, offset) => {
    if (type === BsonType.string || type === BsonType.symbol) {
      return regex.test(readString({ type, bytes, offset, size: 0 }));
    }
    return (
      type === BsonType.regex && compareRaw(type, bytes, offset, literal.type, literal.bytes, literal.offset) === 0
    );
  };
}

/** A regular expression value as a test. */
export function regexValueTest(value: BsonValue): ValueTest {
  const { pattern, options } = readRegex(value);
  return regexTest(pattern, options, value);
}

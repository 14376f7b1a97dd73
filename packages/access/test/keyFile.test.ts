import { expect, test } from 'vitest';
import { parseKeyFile, setSecret } from '../src/keyFile.ts';

test.for([
  ['c2VjcmV0\n', ['c2VjcmV0']],
  ['  c2Vj\r\n\tcmV0==  \n', ['c2VjcmV0==']],
  ['- firstKey\n- secondKey\n', ['firstKey', 'secondKey']],
  ['- "firstKey"\n', ['firstKey']],
] as const)('%j', ([text, keys]) => {
  expect(parseKeyFile(text, 'key')).toEqual(keys);
});

test.for([
  ['', 2],
  ['short', 2],
  ['x'.repeat(1025), 2],
  ['no-dashes', 12],
  ['geheimnisß', 12],
  ['- firstKey\n- secondKey\n- thirdKey\n', 2],
] as const)('%j is refused with %i', ([text, code]) => {
  expect(() => parseKeyFile(text, '/etc/key')).toThrow(expect.objectContaining({ code }));
  expect(() => parseKeyFile(text, '/etc/key')).toThrow(/\/etc\/key/);
});

test('what follows from a key is told by it alone', () => {
  expect(setSecret(['firstKey', 'secondKey'])).toEqual(setSecret(['firstKey']));
  expect(setSecret(['secondKey'])).not.toEqual(setSecret(['firstKey']));
  expect(setSecret([])).toHaveLength(32);
});

import { Fields } from '@replsim/pipeline';
import { encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { readRestrictions, unmetRestriction } from '../../src/restrictions/restriction.ts';

const read = (...restrictions: unknown[]) =>
  readRestrictions(new Fields(encodeDocument({ r: restrictions }), 'user'), 'r');
const local = { client: '127.0.0.1', server: '127.0.0.1' };

test.for([
  [[], undefined],
  [[[]], undefined],
  [[[{ clientSource: ['127.0.0.1'] }]], undefined],
  [[[{ clientSource: ['10.0.0.0/8', '127.0.0.0/8'] }]], undefined],
  [[[{ clientSource: ['10.0.0.0/8'] }, { serverAddress: ['127.0.0.1'] }]], undefined], // any document of a list will do
  [
    [[{ clientSource: ['127.0.0.1'], serverAddress: ['10.0.0.1'] }]],
    /^127.0.0.1 does not fall within: {"serverAddress":/,
  ],
  [[[{ clientSource: ['127.0.0.1'] }], [{ clientSource: ['10.0.0.1'] }]], /within: {"clientSource":\["10.0.0.1"\]}/], // all lists
] as const)('%j: %s', ([lists, reason]) => {
  const unmet = unmetRestriction(
    lists.map((list) => read(...list)),
    local,
  );
  if (reason) expect(unmet).toMatch(reason);
  else expect(unmet).toBeUndefined();
});

test.for([
  [{}, 2],
  [{ clientSource: ['nowhere'] }, 2],
  [{ clientSource: [1] }, 14],
  [{ clientSource: '127.0.0.1' }, 14],
  [{ clientSource: ['127.0.0.1'], besides: 1 }, 40415],
] as const)('%j is refused with %i', ([restriction, code]) => {
  expect(() => read(restriction)).toThrow(expect.objectContaining({ code }));
});

import type { StreamTrace } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { streamText } from '../../src/transcript/streamText.ts';

const event = (_id: number) => ({ operationType: 'insert', ns: 'app.c', documentKey: `{_id: ${_id}}`, token: '82' });

test.for<[event: StreamTrace, text: string]>([
  [
    { type: 'streamOpened', stream: 'w', server: 'n1', ns: 'app.c', resumed: false, selective: false },
    'stream w begins on n1: app.c',
  ],
  [
    { type: 'streamOpened', stream: 'w', server: 'n2', ns: 'app.c', resumed: true, selective: false },
    'stream w goes on on n2: app.c',
  ],
  [
    {
      type: 'streamShowed',
      stream: 'w',
      server: 'n1',
      events: [event(1), { operationType: 'invalidate', token: '82' }],
    },
    'stream w shows insert app.c {_id: 1}, invalidate, from n1',
  ],
  [
    { type: 'streamShowed', stream: 'w', server: 'n1', events: [1, 2, 3, 4, 5, 6, 7].map(event) },
    'stream w shows insert app.c {_id: 1}, insert app.c {_id: 2}, insert app.c {_id: 3}, insert app.c {_id: 4}, ' +
      'insert app.c {_id: 5}, and 2 more, from n1',
  ],
  [{ type: 'streamEnded', stream: 'w', code: 0, reason: 'invalidated' }, 'stream w ends: invalidated'],
])('%o', ([told, text]) => {
  expect(streamText(told)).toBe(text);
});

import { parseScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { drawScenario } from './drawScenario.ts';

const SEEDS = 80;
const texts = Array.from({ length: SEEDS }, (_, i) => drawScenario(i + 1));

test('what is drawn is a scenario, and the same seed draws the same', () => {
  for (const [i, text] of texts.entries()) expect(() => parseScenario(text, `seed ${i + 1}`)).not.toThrow();
  expect(drawScenario(7)).toBe(texts[6]);
  expect(new Set(texts).size).toBe(SEEDS);
});

/** What must be in some scenario, or nothing is known about it. */
test.for([
  ...['arbiterOnly: true', 'hidden: true', 'secondaryDelaySecs', 'votes: 0', 'priority: 0.5', 'spares:', 'clock:'],
  ...['version: "8.2"', 'version: "7.0"', 'version: "6.0"', 'version: "4.4"', ', version: "8.2" }'],
  ...['chainingAllowed: false', 'electionTimeoutMillis', 'catchUpTakeoverDelayMillis', 'oplogSizeMB', 'loss: 0.05'],
  ...[
    'findAndModify',
    'bulkWrite',
    'drop: scratch',
    'renameCollection',
    'dropDatabase',
    'convertToCapped',
    'dropIndexes',
  ],
  ...[
    'capped: true',
    'clusteredIndex',
    'timeseries',
    'collation',
    'expireAfterSeconds',
    'startTransaction',
    'transfer:',
  ],
  ...['append:', 'sum:', 'level: linearizable', 'level: majority', 'level: snapshot', 'causalConsistency: true'],
  ...['watch:', 'fullDocumentBeforeChange', 'showExpandedEvents', 'forceReconfig', 'addMember', 'wipe: true'],
  ...[
    'overlap: true',
    'truncateOplog',
    'lostWrites',
    'cpu',
    'kill: all',
    'same: all',
    'lost: 0',
    'tornSums: 0',
    'partition: [ [ primary ], [ all ] ]',
  ],
])('%s is drawn', (text) => {
  expect(texts.some((each) => each.includes(text))).toBe(true);
});

import { expect, test } from 'vitest';
import { InfoMessage } from '../../src/topology/infoMessage.ts';

test('a message is shown for two minutes, and a newer one at once', () => {
  const message = new InfoMessage();
  expect(message.at(0)).toBe('');
  message.say('Could not find member to sync from', 1_000_000);
  expect(message.at(1_000_000)).toBe('Could not find member to sync from');
  expect(message.at(121_000_000)).toBe('Could not find member to sync from');
  expect(message.at(121_000_001)).toBe('');
  message.say('syncing from: n2:27017', 200_000_000);
  expect(message.at(200_000_001)).toBe('syncing from: n2:27017');
});

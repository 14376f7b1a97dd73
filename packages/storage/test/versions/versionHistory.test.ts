import { expect, test } from 'vitest';
import { VersionHistory } from '../../src/versions/versionHistory.ts';

test('what is written again after a rollback is thinned again', () => {
  const history = new VersionHistory();
  const markTo = (last: number) => {
    for (let version = history.newest + 1; version <= last; version++) history.mark(version, [], undefined);
  };
  history.mark(1, [], undefined);
  markTo(100);
  history.thinBefore(100, 10);
  expect(history.markedUpTo(95)).toBeLessThan(95);
  history.forgetAfter(50);
  markTo(100);
  history.thinBefore(100, 10);
  expect(history.markedUpTo(95)).toBeLessThan(95);
});

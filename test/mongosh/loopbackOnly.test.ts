import { expect, test } from 'vitest';
import { mongosh } from './mongosh.ts';

// No test here may need the network, or tell anybody of itself.
test('a shell that reaches for another machine ends there and then', async () => {
  const { stderr, status } = await mongosh(['--nodb', '--quiet', '--eval', "fetch('http://192.0.2.1/')"]);
  expect(stderr).toContain('mongosh reached for 192.0.2.1');
  expect(status).toBe(99);
});

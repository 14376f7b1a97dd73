import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { main } from '../../src/index.ts';
import { testIo } from '../io.ts';

// Runs of one process wait for nothing: a signal would come after the last of them.

const FILE = fileURLToPath(new URL('../../../../scenarios/election/failover-on-kill.yaml', import.meta.url));

test.each([
  ['explore', '--mode', 'seeds', '--runs', '1000000'],
  ['measure', '--seeds', '1..1000000'],
])('Ctrl-C ends replsim %s in one process, which tells of the runs so far', async (command, ...how) => {
  const io = testIo();
  const { out, err, colours } = io;
  const onInterrupt = (stop: () => void) => void setTimeout(stop);
  const code = await main([command, FILE, ...how, '--jobs', '1', '--json'], {
    out,
    err,
    colours,
    progress: false,
    onInterrupt,
  });
  expect(code).toBe(130);
  const [, runs] = /"runs": (\d+)/.exec(io.stdout) ?? [];
  expect(Number(runs)).toBeGreaterThan(0);
  expect(Number(runs)).toBeLessThan(1_000_000);
});

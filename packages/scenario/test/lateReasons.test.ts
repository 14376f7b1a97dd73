import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import { LateReasons } from '../src/lateReasons.ts';
import { reasonsWithFilters } from '../src/reasonsOf.ts';

// Reasons that nobody asks for are not looked for; whoever asks hears the same as if they had been.

test.for([
  { what: 'a short run', seconds: 8 },
  { what: 'a run with more events than are kept', seconds: 400 },
])('$what: asked at its end, in its middle, and never before', async ({ seconds }) => {
  const set = await ReplSet.create({ members: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }], seed: 7 });
  const live = reasonsWithFilters();
  const [late, asked] = [new LateReasons(), new LateReasons()];
  set.onTrace((event) => {
    live.observe(event);
    late.observe(event);
    asked.observe(event);
  });
  await set.advanceTo(5e6);
  expect(asked.now.primary()).toEqual(live.primary());
  set.kill('n1');
  await set.advanceTo(5e6 + seconds * 1e6);
  for (const reasons of [late.now, asked.now]) {
    expect(reasons.primary()).toEqual(live.primary());
    expect(reasons.state('n1')).toEqual(live.state('n1'));
    expect(reasons.vote('n2')).toEqual(live.vote('n2'));
  }
  expect(live.state('n1')).toEqual([expect.stringContaining('killed at 5')]);
  await set.close();
});

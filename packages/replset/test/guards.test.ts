import { InvariantError } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { eventDue } from '../src/due.ts';
import { runNext, startEarly } from '../src/loop.ts';
import { REAL_PARTS } from '../src/parts.ts';
import { startMember } from '../src/startup.ts';
import { World } from '../src/world.ts';

// What only a bug of ours can do to the loop, done on purpose.

async function started() {
  const world = new World({ members: [{ name: 'n1' }] }, REAL_PARTS);
  await world.openMembers();
  const [member] = world.members;
  await startMember(world, member!, {}, 0);
  return { world, process: member!.process! };
}

test('time does not go back', async () => {
  const { world, process } = await started();
  runNext(world);
  world.nowMicros = 5000;
  world.queue.schedule(4000, eventDue(process, { type: 'terminate' }));
  expect(() => {
    for (;;) runNext(world);
  }).toThrow(InvariantError);
  expect(world.nowMicros).toBe(5000);
});

test('a process that has ended sees nothing', async () => {
  const { world, process } = await started();
  process.alive = false;
  expect(() => startEarly(world, process)).toThrow(new InvariantError('a process that has ended sees nothing'));
});

import { encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { answer, type Behaviour, fakeSet, request, requestIn } from './fakes.ts';

/** Timers with jitter, talk with everybody, and a disk: something of all. `log` gets each event and effect as a line. */
function busy(log: string[]): Behaviour {
  const ids = new Map<object, number>();
  return (event, self, now) => {
    const effects = react();
    log.push(JSON.stringify({ now, host: self.name, event, effects }));
    return effects;

    function react() {
      const incoming = requestIn(event);
      if (incoming) return [answer(incoming)];
      if (event.type === 'command')
        return [{ type: 'reply', requestId: event.requestId, reply: event.command } as const];
      if (event.type !== 'started' && event.type !== 'timer') return [];
      const id = (ids.get(self) ?? 0) + 1;
      ids.set(self, id);
      return [
        ...['n1', 'n2', 'n3']
          .filter((to) => to !== self.name)
          .map((to, index) => request(self.name, to, 2 * id + index)),
        { type: 'writeJournal', ticket: id, records: [], costMicros: 2_000 } as const,
        { type: 'setTimer', key: 'again', afterMicros: 50_000, jitterMicros: 20_000 } as const,
      ];
    }
  };
}

async function run(seed: number, slowDisks = false): Promise<string> {
  const log: string[] = [];
  const network = { latencyMs: [1, 9], loss: 0.1, duplicate: 0.1, reorder: 0.2 } as const;
  const { set } = await fakeSet(busy(log), { seed, network }, { slowDisks });
  await set.advanceTo(500_000);
  set.partition([['n1'], ['n2', 'n3']]);
  set.pause('n2');
  await set.runUntil(() => false, 700_000);
  set.kill('n1');
  set.resume('n2');
  await set.start('n1');
  set.heal('all');
  set.send('n3', encodeDocument({ ping: 1 }));
  await set.advanceTo(1_000_000);
  return log.join('\n');
}

test('the same seed gives the same run, byte for byte; another gives another', async () => {
  const first = await run(7);
  expect(first.split('\n').length).toBeGreaterThan(200);
  expect(await run(7)).toBe(first);
  expect(await run(8)).not.toBe(first);
});

test('the speed of the disks decides nothing', async () => {
  expect(await run(7, true)).toBe(await run(7));
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** For how many bytes the work asks for room: it has to be zeroed, and what is written is at most as much. */
function bytesMade(work: () => void): number {
  let made = 0;
  const construct: ProxyHandler<typeof Uint8Array>['construct'] = (target, args, newTarget) => {
    if (typeof args[0] === 'number') made += args[0];
    return Reflect.construct(target, args, newTarget);
  };
  vi.stubGlobal('Uint8Array', new Proxy(Uint8Array, { construct }));
  work();
  vi.unstubAllGlobals();
  return made;
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const count = (ns: string, unwind: object) =>
  member.ok({ aggregate: ns, pipeline: [unwind, { $count: 'n' }], cursor: {} });

test('an array of twice the length costs $unwind twice the room, not four times', () => {
  member.insert('c', { _id: 1, large: 'x'.repeat(200), a: numbers(1000) });
  member.insert('d', { _id: 1, large: 'x'.repeat(200), a: numbers(2000) });
  const $unwind = { path: '$a', includeArrayIndex: 'i' };
  const once = bytesMade(() => count('c', { $unwind }));
  const twice = bytesMade(() => count('d', { $unwind }));
  expect(once).toBeGreaterThan(1000 * 200);
  expect(twice / once).toBeLessThan(2.2);
});

test('what is more than the memory of $unwind is refused before it is made', () => {
  member.insert('c', { _id: 1, large: 'x'.repeat(3_000_000), a: numbers(1000) });
  const run = () => member.run({ aggregate: 'c', pipeline: [{ $unwind: '$a' }], cursor: {} });
  expect(bytesMade(() => expect(run()).toMatchObject({ ok: 0, code: 292 }))).toBeLessThan(50_000_000);
});

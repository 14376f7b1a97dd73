import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EventHandle, EventQueue } from '../src/eventQueue.ts';

function drain<T>(queue: EventQueue<T>): T[] {
  const payloads: T[] = [];
  for (let event = queue.pop(); event !== undefined; event = queue.pop()) payloads.push(event.payload);
  return payloads;
}

test('an empty queue has nothing to give', () => {
  const queue = new EventQueue<string>();
  expect([queue.size, queue.peekTime(), queue.pop()]).toEqual([0, undefined, undefined]);
});

test('events come in order of time, and in order of scheduling at equal times', () => {
  const queue = new EventQueue<string>();
  for (const [atMicros, payload] of [
    [5, 'e'],
    [3, 'b'],
    [3, 'c'],
    [0, 'a'],
    [3, 'd'],
  ] as const)
    queue.schedule(atMicros, payload);
  expect(queue.peekTime()).toBe(0);
  expect(drain(queue).join('')).toBe('abcde');
});

test.for([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('%s is not a time', (atMicros) => {
  const queue = new EventQueue<string>();
  expect(() => queue.schedule(atMicros, 'x')).toThrow(RangeError);
  expect(queue.size).toBe(0);
});

test('a handle cancels its own event, once, and never the next tenant of the slot', () => {
  const queue = new EventQueue<string>();
  const first = queue.schedule(1, 'first');
  expect(queue.cancel(first)).toBe(true);
  const second = queue.schedule(1, 'second');
  expect(queue.cancel(first)).toBe(false);
  expect(queue.pop()).toEqual({ atMicros: 1, payload: 'second', cause: 0 });
  expect(queue.cancel(second)).toBe(false);
  expect(queue.cancel(12345 as EventHandle)).toBe(false);
});

test('undefined is a payload like any other', () => {
  const queue = new EventQueue<undefined>();
  queue.schedule(1, undefined);
  expect(queue.pop()).toEqual({ atMicros: 1, payload: undefined, cause: 0 });
});

test('an event comes with the cause that was in force when it was scheduled, in whatever slot it stood', () => {
  const queue = new EventQueue<string>();
  const taken = queue.schedule(1, 'taken back');
  queue.cause = 7;
  queue.cancel(taken);
  queue.schedule(3, 'of seven');
  queue.cause = 8;
  queue.schedule(2, 'of eight');
  queue.cause = 9;
  expect([queue.pop(), queue.pop()]).toEqual([
    { atMicros: 2, payload: 'of eight', cause: 8 },
    { atMicros: 3, payload: 'of seven', cause: 7 },
  ]);
});

test('re-arming timers for ever needs no more memory than there are timers', () => {
  const queue = new EventQueue<number>();
  const handles = Array.from({ length: 100 }, (_, timer) => queue.schedule(10_000_000 + timer, timer));
  const before = process.memoryUsage().arrayBuffers;
  for (let round = 1; round <= 5_000; round++)
    for (let timer = 0; timer < 100; timer++) {
      queue.cancel(handles[timer]!);
      handles[timer] = queue.schedule(10_000_000 + 1_000 * round + timer, timer);
    }
  expect(queue.size).toBe(100);
  // The heap's arrays: 500,000 dead entries would fill 10 MB of them.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  // Slots are let again at once, which the upper bits of the handles show.
  expect(Math.max(...handles.map((handle) => Math.floor(handle / 2 ** 32)))).toBeLessThan(101);
  expect(drain(queue)).toEqual(Array.from({ length: 100 }, (_, timer) => timer));
});

// --- against a model so plain that it is evidently right -------------------------------------------------------------

type Operation =
  | { do: 'schedule'; atMicros: number }
  | { do: 'pop' }
  | { do: 'peek' }
  | { do: 'cancel'; which: number };

const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  // Few distinct times, so that ties are common.
  { weight: 5, arbitrary: fc.record({ do: fc.constant('schedule' as const), atMicros: fc.nat(30) }) },
  { weight: 2, arbitrary: fc.constant<Operation>({ do: 'pop' }) },
  { weight: 1, arbitrary: fc.constant<Operation>({ do: 'peek' }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat() }) },
);

class Model {
  #events: { atMicros: number; payload: number; cause: number }[] = [];
  cause = 0;
  get size(): number {
    return this.#events.length;
  }
  schedule(atMicros: number, payload: number): void {
    this.#events.push({ atMicros, payload, cause: this.cause });
    this.#events.sort((a, b) => a.atMicros - b.atMicros); // a stable sort
  }
  cancel(payload: number): boolean {
    const before = this.size;
    this.#events = this.#events.filter((event) => event.payload !== payload);
    return this.size < before;
  }
  peekTime(): number | undefined {
    return this.#events[0]?.atMicros;
  }
  pop(): { atMicros: number; payload: number; cause: number } | undefined {
    return this.#events.shift();
  }
}

function compareWithModel(operations: readonly Operation[]): void {
  const queue = new EventQueue<number>();
  const model = new Model();
  const handles: EventHandle[] = []; // of all events ever, stale ones included
  for (const [turn, operation] of operations.entries()) {
    queue.cause = turn;
    model.cause = turn;
    if (operation.do === 'schedule') {
      model.schedule(operation.atMicros, handles.length);
      handles.push(queue.schedule(operation.atMicros, handles.length));
    } else if (operation.do === 'pop') {
      expect(queue.pop()).toEqual(model.pop());
    } else if (operation.do === 'peek') {
      expect(queue.peekTime()).toBe(model.peekTime());
    } else if (handles.length > 0) {
      const payload = operation.which % handles.length;
      expect(queue.cancel(handles[payload]!)).toBe(model.cancel(payload));
    }
    expect(queue.size).toBe(model.size);
  }
  const rest: number[] = [];
  for (let event = model.pop(); event !== undefined; event = model.pop()) rest.push(event.payload);
  expect(drain(queue)).toEqual(rest);
}

test('whatever is done to it, it does as a sorted list would', () => {
  fc.assert(fc.property(fc.array(anyOperation, { maxLength: 300 }), compareWithModel), { seed: 1, numRuns: 300 });
});

test('so it does past its first capacity, and when most events are cancelled', () => {
  const many = fc.array(anyOperation, { minLength: 500, maxLength: 1_000 });
  const cancellations = fc.array(
    fc.nat().map((which): Operation => ({ do: 'cancel', which })),
    { minLength: 500, maxLength: 1_000 },
  );
  const scheduled = fc.array(
    fc.nat(1_000).map((atMicros): Operation => ({ do: 'schedule', atMicros })),
    { minLength: 200, maxLength: 400 },
  );
  fc.assert(
    fc.property(scheduled, cancellations, many, (...parts) => compareWithModel(parts.flat())),
    { seed: 2, numRuns: 20 },
  );
});

test('what survives a sweep is still in order', () => {
  // 200 entries are swept when 67 are left, and what moved up in the arrays then is under other parents.
  const anyTimes = fc.array(fc.nat(1_000), { minLength: 200, maxLength: 200 });
  fc.assert(
    fc.property(anyTimes, fc.integer({ min: 2, max: 67 }), fc.nat(), (times, left, shift) => {
      const queue = new EventQueue<number>();
      const events = times.map((atMicros) => ({ atMicros, handle: queue.schedule(atMicros, atMicros) }));
      // 77 and 200 have no common divisor, so this visits each event once.
      const shuffled = events.map((_, i) => events[(i * 77 + shift) % 200]!);
      for (const { handle } of shuffled.slice(left)) queue.cancel(handle);
      const expected = shuffled.slice(0, left).map(({ atMicros }) => atMicros);
      expect(drain(queue)).toEqual(expected.sort((a, b) => a - b));
    }),
    { seed: 3, numRuns: 500 },
  );
});

import type { MutatedRule } from './mutatedRule.ts';

const QUEUE = { file: 'packages/kernel/src/eventQueue.ts', test: 'packages/kernel/test/eventQueue.test.ts' };
const LINK = { file: 'packages/kernel/src/link.ts', test: 'packages/kernel/test/links.test.ts' };
const CLOCK = { file: 'packages/kernel/src/clocks.ts', test: 'packages/kernel/test/clocks.test.ts' };

export const kernelRules: readonly MutatedRule[] = [
  {
    ...QUEUE,
    from: '(otherTime === childTime && orders[other]! < orders[child]!)',
    to: 'false',
    why: 'events of one instant come in the order in which they were scheduled',
  },
  {
    ...QUEUE,
    from: 'if (times[parent]! <= time) break;',
    to: 'if (times[parent]! < time) break;',
    why: 'an event never passes one of the same instant that was there before',
  },
  {
    ...QUEUE,
    from: 'if (order === undefined || order === 0 || order >>> 0 !== handle >>> 0) return false;',
    to: 'if (order === undefined || order === 0) return false;',
    why: 'an old handle does not cancel the event that has taken its place',
  },
  {
    ...QUEUE,
    from: 'while (this.#entries > 0 && this.#isDead(0)) this.#removeRoot();',
    to: '',
    why: 'what was cancelled does not happen',
  },
  {
    ...QUEUE,
    from: 'if (!Number.isSafeInteger(atMicros))',
    to: 'if (false)',
    why: 'a fraction or a NaN would silently break the order',
  },
  {
    ...LINK,
    from: 'const arrival = Math.max(nowMicros + this.#latency(), latest ?? 0);',
    to: 'const arrival = nowMicros + this.#latency();',
    why: 'on a channel no message overtakes another',
  },
  {
    ...LINK,
    from: 'const arrival = Math.max(sentMicros + this.#latency(), latest ?? 0);',
    to: 'const arrival = sentMicros + this.#latency();',
    why: 'a stream keeps its order',
  },
  {
    ...LINK,
    from: 'if (this.#random.chance(this.#settings.reorder)) return arrival + this.#latency();',
    to: '',
    why: 'reorder lets messages be overtaken',
  },
  {
    ...LINK,
    from: 'if (!this.#deliverable || loss >= 1) return undefined;',
    to: 'if (loss >= 1) return undefined;',
    why: 'nothing passes a partition',
  },
  {
    ...LINK,
    from: 'return copy < arrival ? [copy, arrival] : [arrival, copy];',
    to: 'return [arrival, copy];',
    why: 'of two copies the earlier one comes first',
  },
  {
    ...CLOCK,
    from: 'this.#baseMs += ms;\n    this.#basePicos',
    to: 'this.#basePicos',
    why: 'a clock goes on from what it showed',
  },
  {
    ...CLOCK,
    from: '(micros - ms * MICROS_PER_MS) * PICOS_PER_MICRO + picos;',
    to: '(micros - ms * MICROS_PER_MS) * PICOS_PER_MICRO;',
    why: 'a change of drift loses not a picosecond',
  },
  {
    ...CLOCK,
    from: 'Number((picos + rate - 1n) / rate);',
    to: 'Number(picos / rate);',
    why: 'an alarm is not set before the clock shows its time',
  },
  {
    ...CLOCK,
    from: 'if (this.#rate === 0) return undefined;',
    to: '',
    why: 'a clock that stands still never shows a later time',
  },
];

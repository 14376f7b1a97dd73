import * as nodeModule from 'node:module';
import { cachedDataVersionTag, setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { runCounter } from '../../src/playing/longWork.ts';

// A process that plays many runs lets V8 optimise as it does by itself; a command that plays a few waits longer. V8's tag stands for its flags.

test('the twentieth run ends the wait, and none before it', () => {
  setFlagsFromString(`--interrupt-budget=${66 * 1024}`);
  const own = cachedDataVersionTag();
  setFlagsFromString(`--interrupt-budget=${8 * 66 * 1024}`);
  try {
    const waiting = cachedDataVersionTag();
    const count = runCounter();
    for (let run = 1; run < 20; run++) count();
    expect(cachedDataVersionTag()).toBe(waiting);
    count();
    // Node keeps compiled code by itself from 22.1 on, and nothing is set there.
    expect(cachedDataVersionTag()).toBe('enableCompileCache' in nodeModule ? waiting : own);
  } finally {
    setFlagsFromString(`--interrupt-budget=${66 * 1024}`);
  }
});

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { keysOf } from '../src/keys.ts';

/** A terminal that keeps what mode it is in. */
function terminal() {
  const modes: boolean[] = [];
  const stream = Object.assign(new PassThrough(), {
    setRawMode(mode: boolean) {
      modes.push(mode);
      return stream as never;
    },
  });
  return { stream: stream as unknown as Parameters<typeof keysOf>[0] & PassThrough, modes };
}

test('tells of keys one by one, and gives the terminal back', async () => {
  const { stream, modes } = terminal();
  const told: string[] = [];
  const stop = keysOf(
    stream,
    (key) => told.push(key),
    () => told.push('interrupted'),
  );
  const seen = new Promise<void>((resolve) => stream.on('keypress', (text) => text === 'z' && resolve()));
  // Arrows, Tab and Ctrl-D are keys that nobody asks for.
  stream.write('aé\r\x7f\x1b[A\t\x04\x03 𝄞z');
  await seen;
  expect(told).toEqual(['a', 'é', 'enter', 'backspace', 'interrupted', ' ', '𝄞', 'z']);
  expect(modes).toEqual([true]);
  stop();
  expect(modes).toEqual([true, false]);
  expect(stream.isPaused()).toBe(true);
  expect(stream.listenerCount('keypress')).toBe(1);
});

import { afterEach, expect, test, vi } from 'vitest';
import { kept } from '../../src/page/kept.ts';

// What a browser keeps of how the page looks, and that nothing breaks where it keeps nothing.

afterEach(() => vi.unstubAllGlobals());

test('what was kept is there again', () => {
  const values = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
  });
  expect(kept.getItem('a')).toBeNull();
  kept.setItem('a', '1');
  expect(kept.getItem('a')).toBe('1');
});

test('a browser that refuses has kept nothing', () => {
  const refuse = () => {
    throw new Error('denied');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse });
  expect(() => kept.setItem('a', '1')).not.toThrow();
  expect(kept.getItem('a')).toBeNull();
});

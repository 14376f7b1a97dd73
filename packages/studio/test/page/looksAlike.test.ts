import { createElement } from 'react';
import { expect, test } from 'vitest';
import { looksAlike } from '../../src/page/controls/useQuiet.ts';

const Icon = () => null;
const Panel = () => null;
const given = (label: string, size = 16) => ({
  label,
  options: [{ value: '1', text: '1 ×' }],
  onChoose: () => label,
  children: createElement(Icon, { size }),
});

test('a control that is given the same again looks the same, whatever its handlers are', () => {
  expect(looksAlike(given('speed'), given('speed'))).toBe(true);
  const panels = () => [createElement(Panel, { key: 'a' })];
  expect(looksAlike(panels(), panels())).toBe(true);
});

test('another text, option, icon or number of them is seen', () => {
  expect(looksAlike(given('speed'), given('how'))).toBe(false);
  expect(looksAlike(given('speed'), given('speed', 14))).toBe(false);
  expect(looksAlike(given('speed'), { ...given('speed'), children: createElement(Panel) })).toBe(false);
  expect(looksAlike(given('speed'), { ...given('speed'), options: [] })).toBe(false);
  expect(looksAlike(given('speed'), { ...given('speed'), disabled: true })).toBe(false);
  expect(looksAlike([createElement(Panel, { key: 'a' })], [createElement(Panel, { key: 'b' })])).toBe(false);
});

test('what is no text, list or icon is the same only if it is the same: it may have changed inside', () => {
  const [one, other] = [new Map([['n1', 'east']]), new Map([['n1', 'east']])];
  expect(looksAlike({ zones: one }, { zones: one })).toBe(true);
  expect(looksAlike({ zones: one }, { zones: other })).toBe(false);
});

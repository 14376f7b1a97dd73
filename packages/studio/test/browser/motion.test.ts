import { formatInstant } from '@replsim/kernel';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { History } from '../../src/core/history/history.ts';
import { momentsOf } from '../../src/tempo/moments.ts';
import { traceOfText } from '../core/lesson/traced.ts';
import { type Opener, openerOf } from './openPage.ts';

// What somebody sees who has asked for less motion.

let opener: Opener;

beforeAll(async () => {
  opener = await openerOf();
});

afterAll(() => opener?.close());

const TEXT = `name: One write
replicaSet: { members: [n1, n2, n3] }
begin: with a primary
steps:
  - advance: 1s
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: majority } }
  - advance: 500ms
`;

const WATCH = `{
  const instant = document.querySelector('.controls output.instant strong');
  globalThis.instants = [];
  new MutationObserver(() => {
    if (instants.at(-1) !== instant.textContent) instants.push(instant.textContent);
  }).observe(instant, { characterData: true, childList: true, subtree: true });
}`;

test('who wants no motion sees each moment, and nothing between', async () => {
  const history = new History();
  history.add(await traceOfText(TEXT));
  const moments = [...momentsOf([history]).filter((micros) => micros > 0), history.endMicros];
  const page = await opener.open({ text: TEXT, atMicros: 0 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.locator('.timeline').press('Home');
  await page.getByText(`${formatInstant(0)} of`).waitFor();
  await page.evaluate(WATCH);
  await page.keyboard.press('Space');
  await page.getByText(`${formatInstant(history.endMicros)} of`).waitFor({ timeout: 110_000 });
  const shown = (await page.evaluate('instants')) as string[];
  const expected = moments
    .map(formatInstant)
    .filter((text, i, all) => text !== all[i - 1] && text !== formatInstant(0));
  expect(shown).toEqual(expected);
  expect(expected.length).toBeGreaterThan(5);
});

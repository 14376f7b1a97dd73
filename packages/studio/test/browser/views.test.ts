import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { choose } from './choose.ts';
import { type Opener, openerOf } from './openPage.ts';
import { wrongLooks } from './wrongLooks.ts';

// The set, the oplogs, the time and the story, as somebody at a keyboard has them.

const read = (file: string) => readFileSync(new URL(`../../../../scenarios/${file}.yaml`, import.meta.url), 'utf8');
const ROLLBACK = read('rollback/files-keep-what-is-taken-away');
const FAILOVER = read('election/failover-on-kill');

let opener: Opener;

beforeAll(async () => {
  opener = await openerOf();
});

afterAll(() => opener?.close());

const now = (page: Page) => page.locator('.controls output').textContent();
const shown = (page: Page) => page.locator('.range').textContent();

/** Nobody has the focus. */
const away = (page: Page) => page.evaluate('document.activeElement?.blur()');

describe('time', () => {
  test('wheel, buttons and keys look nearer, and the whole run again', async () => {
    const page = await opener.open({ text: FAILOVER, atMicros: 11_000_000 });
    const whole = await shown(page);
    await page.getByRole('button', { name: 'zoom in' }).click();
    const half = await shown(page);
    expect(half).not.toBe(whole);
    await page.keyboard.press('+');
    const quarter = await shown(page);
    expect(quarter).not.toBe(half);
    await page.getByRole('button', { name: 'later', exact: true }).click();
    expect(await shown(page)).not.toBe(quarter);
    await page.keyboard.press('0');
    expect(await shown(page)).toBe(whole);
    await page.locator('.timeline').hover();
    await page.mouse.wheel(0, -200);
    await expect.poll(() => shown(page)).not.toBe(whole);
    await page.getByRole('button', { name: 'fit' }).click();
    expect(await shown(page)).toBe(whole);
  });

  test('what is looked at follows who goes elsewhere', async () => {
    const page = await opener.open({ text: FAILOVER, atMicros: 1_000_000 });
    for (let i = 0; i < 4; i++) await page.getByRole('button', { name: 'zoom in' }).click();
    const begin = await shown(page);
    await page.locator('.timeline').press('End');
    expect(await shown(page)).not.toBe(begin);
    expect((await shown(page))?.split(' – ')[1]).toBe((await now(page))?.split(' of ')[1]);
  });

  test('by event, by message and by step, by keys and buttons', async () => {
    const page = await opener.open({ text: FAILOVER, atMicros: 11_000_000 });
    const begun = await now(page);
    await page.keyboard.press('.');
    const message = await now(page);
    await page.locator('.timeline').press('Home');
    expect(await now(page)).toMatch(/^0\.000s of/);
    await page.keyboard.press('}');
    const step = await now(page);
    expect(step).not.toMatch(/^0\.000s/);
    expect(new Set([begun, message, step]).size).toBe(3);
    await page.getByRole('button', { name: 'next step' }).click();
    const next = await now(page);
    await page.getByRole('button', { name: 'previous step' }).click();
    expect(await now(page)).toBe(step);
    await page.keyboard.press('}');
    expect(await now(page)).toBe(next);
  });

  test('messages are those of the selected member', async () => {
    const page = await opener.open({ text: FAILOVER, atMicros: 15_000_000, member: 'n1' });
    const before = await now(page);
    await page.getByRole('button', { name: 'previous message' }).click();
    const last = await now(page);
    expect(last).not.toBe(before);
    await page.getByRole('button', { name: 'next message' }).click();
    // n1 is dead: it says and hears nothing before it starts again.
    expect(Number.parseFloat((await now(page)) ?? '')).toBeGreaterThan(15);
  });

  test('marks do not cover each other', async () => {
    const page = await opener.open({ text: FAILOVER, atMicros: 0 });
    const boxes = (await page.evaluate(
      `[...document.querySelectorAll('.timeline .mark')].map((mark) => {
        const lane = mark.parentNode.getAttribute('data-member');
        const { left, right } = mark.getBoundingClientRect();
        return [lane, left, right];
      })`,
    )) as [lane: string, left: number, right: number][];
    expect(boxes.length).toBeGreaterThan(5);
    for (const [i, [lane, left, right]] of boxes.entries())
      for (const [otherLane, otherLeft, otherRight] of boxes.slice(i + 1))
        if (lane === otherLane) expect(Math.min(right, otherRight)).toBeLessThanOrEqual(Math.max(left, otherLeft));
    expect(await page.locator('.mark .count').count()).toBeGreaterThan(0);
  });
});

test('Home, End and the pages do nothing to time where the timeline has not the focus', async () => {
  const page = await opener.open({ text: FAILOVER, atMicros: 11_000_000 });
  const begun = await now(page);
  await page.locator('h1').click();
  for (const key of ['Home', 'PageUp', 'End', 'PageDown']) await page.keyboard.press(key);
  expect(await now(page)).toBe(begun);
  await page.locator('.timeline').press('PageDown');
  expect(await now(page)).not.toBe(begun);
});

test('? shows the keys, and the focus comes back', async () => {
  const page = await opener.open({ text: FAILOVER, atMicros: 0 });
  await page.getByRole('button', { name: 'next event' }).focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.getByRole('row', { name: 'Home on the timeline: to the beginning of the run' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('next event');
});

describe('oplogs', () => {
  test('what a rollback took stays, struck; read by focus, asked by a press', async () => {
    const page = await opener.open({ text: ROLLBACK, atMicros: 30_000_000 });
    const divergent = page.getByRole('button', { name: /of term 1 on n1: in the journal$/ });
    expect(await divergent.count()).toBeGreaterThan(0);
    expect(await page.locator('.oplogs .rolled-back').count()).toBe(0);
    await away(page);
    await page.locator('.timeline').press('End');
    const struck = page.locator('.oplogs .rolled-back');
    await struck.first().waitFor();
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector('.oplogs .rolled-back')).textDecorationLine`),
    ).toBe('line-through');
    await struck.first().focus();
    await page
      .locator('.entry')
      .getByText(/^rolled back at \d/)
      .waitFor();
    await page
      .locator('.entry')
      .getByText(/^o: \{/)
      .waitFor();
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate('document.activeElement.className')).toContain('rolled-back');
    await page.keyboard.press('Enter');
    await page.locator('.why li').first().waitFor();
  });

  test('older entries are reached, and the newest again', async () => {
    const page = await opener.open({ text: ROLLBACK, atMicros: 50_000_000 }, { width: 390, height: 844 });
    await page.getByRole('tab', { name: 'Oplogs' }).click();
    const labels = () => page.locator('.oplogs tr').nth(1).locator('.cell').allTextContents();
    const newest = await labels();
    await page.getByRole('button', { name: 'older', exact: true }).click();
    const older = await labels();
    expect(older).not.toEqual(newest);
    await page.getByRole('button', { name: 'newer', exact: true }).click();
    expect(await labels()).not.toEqual(older);
    await page.getByRole('button', { name: 'newest', exact: true }).click();
    expect(await labels()).toEqual(newest);
  });
});

describe('the story', () => {
  test('is filtered by kind and by member, and a line is asked why', async () => {
    const page = await opener.open({ text: FAILOVER, atMicros: 21_200_000 });
    const lines = page.locator('.story li');
    const kinds = () =>
      page.evaluate(
        `[...new Set([...document.querySelectorAll('.story [data-kind]')].map(({ dataset }) => dataset.kind))]`,
      );
    expect(((await kinds()) as string[]).length).toBeGreaterThan(3);
    for (const kind of ['steps', 'faults', 'writes', 'replication', 'TTL', 'clients', 'checks'])
      await page.getByRole('checkbox', { name: kind, exact: true }).uncheck();
    expect(await kinds()).toEqual(['elections']);
    await choose(page, 'of whom', 'n3');
    for (const line of await lines.allTextContents()) expect(line).toMatch(/s ?n3 /);
    await page.getByRole('button', { name: /^why: n3 votes for n2 in term 2/ }).click();
    await page.locator('.why').getByText('votes for n2').first().waitFor();
  });

  test('stands where its line is, however one came there, and goes to the instant of a line', async () => {
    const page = await opener.open({ text: FAILOVER, atMicros: 21_200_000 });
    const place = () => page.evaluate(`document.querySelector('.lines').scrollTop`);
    const timeline = page.locator('.timeline');
    const go = async () => {
      await timeline.click({ position: { x: 400, y: 4 } });
      return now(page);
    };
    await away(page);
    const instant = await go();
    const first = await place();
    for (const key of ['End', 'Home']) {
      await timeline.press(key);
      await expect.poll(place).not.toBe(first);
      expect(await go()).toBe(instant);
      await expect.poll(place).toBe(first);
    }
    await page
      .getByRole('button', { name: /n1 is killed$/ })
      .first()
      .click();
    expect(await now(page)).toMatch(/^1\d\.\d+s of/);
  });
});

describe('the set', () => {
  const tagged = (members: string) => `name: Tags
replicaSet:
  members: [${members}]
steps:
  - eventually: { within: 30s, primary: any }
  - link: { between: [n1, n2], latencyMs: 80 }
  - partition: [[n1], [n2, n3, n4]]
  - advance: 20s
`;
  const THREE = tagged(
    '{ name: n1, tags: { dc: east } }, { name: n2, tags: { dc: east } }, n3, { name: n4, arbiterOnly: true }',
  );

  test('stands by tag, has walls, latencies, and an arbiter without corners', async () => {
    const page = await opener.open({ text: THREE, atMicros: 0 });
    await away(page);
    await page.locator('.timeline').press('End');
    // One, straight between two sides.
    expect(await page.locator('.set path.wall').count()).toBe(1);
    await page.locator('.set path.disc').waitFor();
    await choose(page, 'members', 'by dc');
    await page.locator('.frame-label').getByText('no dc').waitFor();
    await page.getByRole('button', { name: /^n1 .*dc: east$/ }).click();
    await page.getByLabel('What is known of n1').getByText('dc: east').waitFor();
    expect(await page.locator('.way title').allTextContents()).toContain('n1 – n2: 80 ms');
  });

  test('stands by the zones of its scenario', async () => {
    const text = `name: Zones\nzones: { east: [n1, n2], west: [n3] }\nsteps:\n  - advance: 5s\n`;
    const page = await opener.open({ text, atMicros: 0 });
    await choose(page, 'members', 'by zone');
    expect(await page.locator('.frame-label').allTextContents()).toEqual(['zone: east', 'zone: west']);
  });

  test('fifty members are all there, and nothing goes over the edge', async () => {
    const members = Array.from(
      { length: 50 },
      (_, i) => `{ name: n${i + 1}, votes: ${i < 7 ? 1 : 0}, priority: ${i < 7 ? 1 : 0} }`,
    );
    const text = `name: Fifty\nreplicaSet: { members: [${members.join(', ')}] }\nsteps:\n  - advance: 5s\n`;
    const page = await opener.open({ text, atMicros: 5_000_000, member: 'n9' }, { width: 390, height: 844 });
    expect(await page.locator('.set [data-member]').count()).toBe(50);
    // Those of the selected member, not all 1,225.
    expect(await page.locator('.way').count()).toBe(49);
    await page.getByLabel('What is known of n9').getByText('votes 0 · priority 0').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });
});

/** Keeps every announcement of the page, as each replaces the one before. @returns waits for one that matches */
async function listen(page: Page): Promise<(what: RegExp) => Promise<unknown>> {
  await page.evaluate(`{
    const heard = document.querySelector('.heard');
    window.told = [heard.textContent];
    new MutationObserver(() => window.told.push(heard.textContent)).observe(heard, { subtree: true, childList: true, characterData: true });
  }`);
  return ({ source }) => page.waitForFunction(`window.told.some((each) => /${source}/.test(each))`);
}

test('who listens is told where they are, and what has changed', async () => {
  const page = await opener.open({ text: FAILOVER, atMicros: 15_000_000 });
  const told = await listen(page);
  await told(/15\.000s, .*n1 DOWN/);
  await away(page);
  await page.locator('.timeline').press('End');
  await told(/n2 PRIMARY, accepts writes/);
});

test('nothing looks wrong with everything open', async () => {
  const page = await opener.open({ text: ROLLBACK, atMicros: 30_000_000, member: 'n1' });
  await page.locator('h1').click();
  await page.locator('.timeline').press('End');
  await page.getByRole('checkbox', { name: 'heartbeats' }).check();
  await page.getByRole('button', { name: 'zoom in' }).click();
  await page.locator('.oplogs .rolled-back').first().click();
  await page.locator('.why li').first().waitFor();
  expect(await wrongLooks(page)).toEqual([]);
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  expect(await wrongLooks(page)).toEqual([]);
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toFragment } from '../../src/core/edit/fragment.ts';
import { choose } from './choose.ts';
import { launchChromium } from './chromium.ts';
import { goTo, lentPage } from './lentPage.ts';
import { putPage } from './putPage.ts';
import { wrongLooks } from './wrongLooks.ts';

// The closer look: what members have and say at the instant that is shown.

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../../scenarios/${name}.yaml`, import.meta.url)), 'utf8');
const LAGGING = read('ttl/lagging-member-shows-documents-longer');
const FAILOVER = read('election/failover-on-kill');

let browser: Browser;
let folder: string;
let address: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'studio-'));
  putPage(folder);
  address = `${pathToFileURL(folder).href}/index.html`;
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** The page in a fresh profile, at an instant of a scenario, with one of the tabs open. */
async function opened(text: string, atMicros: number, tab: string, member?: string): Promise<Page> {
  const page = await lentPage(browser, { viewport: { width: 1280, height: 900 } });
  await goTo(page, `${address}#${toFragment({ text, atMicros, ...(member !== undefined && { member }) })}`);
  await page.locator('.verdict.held, .verdict.failed').waitFor();
  await page.getByRole('tab', { name: tab }).click();
  return page;
}

const answered = (page: Page, seconds: string) => page.getByText(`What the members answer at ${seconds}s.`).waitFor();
const now = (page: Page) => page.locator('.controls output').textContent();

describe('data', () => {
  test('a member that lags differs from the others, and not where it did not lag yet', async () => {
    const page = await opened(LAGGING, 100e6, 'data');
    await answered(page, '100.000');
    const row = page.getByRole('row').filter({ hasText: /^1 ≠/ });
    await expect.poll(() => row.getByRole('cell').allTextContents()).toHaveLength(3);
    const [n1, n2, n3] = await row.getByRole('cell').allTextContents();
    expect([n1, n2]).toEqual(['not there', 'not there']);
    expect(n3).toMatch(
      /^\{_id: 1, lastSeen: .*≠ n1 does not have itexpired 58\.\d+s ago, by ttl: n1 has deleted it; n3 lags/,
    );
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      '_id',
      'n1 0 in all',
      'n2 0 in all',
      'n3 20 in all',
    ]);
    // Back to before the first pass: everybody has the same.
    const box = (await page.locator('.timeline').boundingBox())!;
    await page
      .locator('.timeline')
      .click({ position: { x: box.width * (0.06 + 0.925 * (30 / 301)), y: box.height / 2 } });
    await page.getByRole('columnheader', { name: 'n1 20 in all' }).waitFor();
    expect(await page.getByText('≠').count()).toBe(0);
    expect(await page.getByText(/^expired/).count()).toBe(0);
  });

  test('what has expired says why it is still there, and a click tells its life', async () => {
    const page = await opened(LAGGING, 50e6, 'data');
    const sleeps = 'the TTL monitor of n1 sleeps until 60.001s, and has made no pass yet';
    await page.getByText(`expired 8.878s ago, by ttl: n2 waits for the delete of n1; ${sleeps}`).first().waitFor();
    await page.getByTitle('why? 1 on n2').click();
    await page.getByRole('heading', { name: 'Why is _id 1 of app.sessions on n2' }).waitFor();
    await page.getByRole('tab', { name: 'document', selected: true }).waitFor();
    await page.locator('.document-facts').getByText(sleeps).first().waitFor();
    await page.locator('.why').getByText('inserted').first().waitFor();
  });

  test('of a member that is down there is its disk, and another collection can be chosen', async () => {
    const page = await opened(FAILOVER, 15e6, 'data');
    await page.getByRole('columnheader', { name: 'n1 1 in all down: what lies on its disk' }).waitFor();
    await choose(page, 'collection', 'config.transactions');
    await page.getByRole('table', { name: 'config.transactions, member by member' }).waitFor();
    // The choice outlives a look at something else.
    await page.getByRole('tab', { name: 'expiry' }).click();
    await page.getByText('No TTL monitor has had an index').waitFor();
    await page.getByRole('tab', { name: 'data' }).click();
    await page.getByRole('table', { name: 'config.transactions, member by member' }).waitFor();
  });
});

describe('member', () => {
  test('rs.status() of a secondary, in a table and whole', async () => {
    const page = await opened(FAILOVER, 15e6, 'rs.status()', 'n2');
    const table = page.getByRole('table', { name: 'rs.status() of n2' });
    await table.getByRole('row', { name: 'n1:27017 (not reachable/healthy) down' }).waitFor();
    await table.getByRole('row', { name: 'n2:27017 (itself) SECONDARY up' }).waitFor();
    await page.getByText('the whole answer').click();
    expect(JSON.parse((await page.locator('pre').first().textContent()) ?? '')).toMatchObject({
      set: 'rs0',
      myState: 2,
    });
  });

  test('a member that is down says nothing, and why', async () => {
    const page = await opened(FAILOVER, 15e6, 'rs.status()', 'n1');
    await page.getByText('It has no rs.status(): n1 is down: killed at 11.122s.').waitFor();
  });

  test('a line of the log goes to its instant; filters leave those that are wanted', async () => {
    const page = await opened(FAILOVER, 15e6, 'log', 'n2');
    const lines = page.locator('.log li');
    const all = await lines.count();
    await choose(page, 'component', 'ELECTION');
    expect(await lines.count()).toBeLessThan(all);
    for (const text of await lines.allTextContents()) expect(text).toContain('"c":"ELECTION"');
    const line = lines.first();
    const instant = await line.locator('time').textContent();
    await line.getByRole('button').click();
    expect(await now(page)).toContain(`${instant} of`);
    expect(await lines.last().locator('time').textContent()).toBe(instant);
  });
});

describe('expiry', () => {
  test('what is due, why it waits, and who deletes next', async () => {
    const page = await opened(LAGGING, 50e6, 'expiry');
    await page.getByText('The next pass that may delete is due on n1 at 60.001s.').waitFor();
    const index = page.getByRole('row', { name: 'app.sessions ttl 30 20 on n1 why? 8.878s: 8.878s sleep 0 gone' });
    await index.getByRole('button', { name: 'why?' }).click();
    await page.getByRole('heading', { name: 'Why is the data of app.sessions on n1 as it is?' }).waitFor();
    await page.locator('.why').getByText('the TTL monitor of n1 sleeps until 60.001s').waitFor();
    const n2 = page.getByRole('row', { name: 'n2 60.001s 0 0 n2 accepts no writes' });
    await n2.getByRole('button', { name: 'why?' }).click();
    await page.getByRole('heading', { name: 'What is the TTL monitor of n2 doing at 50.000s?' }).waitFor();
    await page.locator('.why').getByText('n2 accepts no writes').waitFor();
  });
});

test('how a member voted, and what became of an operation', async () => {
  const page = await opened(read('clients/a-workload-through-a-flapping-link'), 16e6, 'story', 'n2');
  await page.getByRole('button', { name: 'how did it vote, and why?' }).click();
  await page.getByRole('heading', { name: 'How did n2 vote last' }).waitFor();
  const operation = page.getByLabel('operation');
  const newest = (await operation.getAttribute('placeholder')) ?? '';
  expect(newest).toMatch(/^.+\/\d+$/);
  await page.getByRole('button', { name: 'what became of it?' }).click();
  await page.getByRole('heading', { name: `What became of ${newest}` }).waitFor();
  await operation.fill(newest.replace(/\d+$/, '1'));
  await operation.press('Enter');
  await page.getByRole('heading', { name: /What became of .+\/1,/ }).waitFor();
});

test.for(['data', 'rs.status()', 'expiry'])('of the tab %s nothing looks wrong', async (tab) => {
  const page = await opened(LAGGING, 100e6, tab, 'n3');
  await answered(page, '100.000');
  for (const title of await page.locator('.fold-title').all()) await title.click();
  expect(await wrongLooks(page, { slight: true })).toEqual([]);
});

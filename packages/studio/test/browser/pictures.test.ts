import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Shared } from '../../src/core/edit/fragment.ts';
import { type Opener, openerOf } from './openPage.ts';

// The pictures of docs/: each shows a state that the page still comes to. `PICTURES=1 npm run browser -- pictures` takes them anew.

const FOLDER = fileURLToPath(new URL('../../../../docs/images/', import.meta.url));
const WINDOW = { width: 1280, height: 960 };

const scenario = (file: string) => readFileSync(new URL(`../../../../scenarios/${file}.yaml`, import.meta.url), 'utf8');
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();

interface Picture {
  readonly name: string;
  readonly link?: Shared;
  /** Brings the page to the state, and waits for what is to be seen. */
  readonly reach: (page: Page) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  {
    name: 'start',
    reach: (page) => page.locator('.deed:enabled').waitFor(),
  },
  {
    name: 'lesson',
    link: { text: scenario('lessons/02-how-an-election-goes'), atMicros: 0, reading: 'lesson' },
    reach: async (page) => {
      const next = page.getByRole('button', { name: 'next ▸' });
      const asked = page.locator('.lesson').getByRole('button', { name: 'show me' });
      await next.waitFor();
      while (!(await asked.isVisible())) await next.click();
    },
  },
  {
    name: 'election',
    link: { text: scenario('election/failover-on-kill'), atMicros: 21_150_000, member: 'n2' },
    reach: async (page) => {
      await page.getByRole('button', { name: 'why not primary?' }).click();
      await page.locator('.why li').first().waitFor();
    },
  },
  {
    name: 'rollback',
    link: { text: scenario('lessons/05-what-a-rollback-takes-away'), atMicros: 35_526_000 },
    reach: (page) => page.locator('.oplogs .cell.rolled-back').first().waitFor(),
  },
  {
    name: 'compare',
    link: {
      text: scenario('election/failover-on-kill'),
      atMicros: 15_000_000,
      second: {
        text: scenario('election/failover-on-kill').replace(
          '[n1, n2, n3] }',
          '[n1, n2, n3], settings: { electionTimeoutMillis: 2000 } }',
        ),
      },
    },
    reach: (page) => page.getByRole('table', { name: /figures/i }).waitFor(),
  },
  {
    name: 'expired',
    link: { text: scenario('ttl/cut-off-secondary-keeps-expired-documents'), atMicros: 70_000_000 },
    reach: async (page) => {
      await tab(page, 'data');
      await page.getByRole('tabpanel', { name: 'data' }).scrollIntoViewIfNeeded();
      await page.locator('.mark.late').first().waitFor();
    },
  },
];

let opener: Opener;
beforeAll(async () => {
  opener = await openerOf();
});
afterAll(() => opener?.close());

test.for(PICTURES)('$name', async ({ name, link, reach }) => {
  const page = await opener.open(link, WINDOW);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await reach(page);
  const file = `${FOLDER}studio-${name}.png`;
  if (process.env.PICTURES) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, await page.screenshot());
  }
  expect(existsSync(file), `${file} is to be taken: PICTURES=1 npm run browser -- pictures`).toBe(true);
});

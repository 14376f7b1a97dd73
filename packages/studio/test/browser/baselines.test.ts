import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shared, toFragment } from '../../src/core/edit/fragment.ts';
import { launchChromium } from './chromium.ts';
import { differingShare } from './comparePictures.ts';
import { goTo, lentPage } from './lentPage.ts';
import { putPage } from './putPage.ts';

// What the page looks like, at half its size so that the pictures are small. `npm run browser -- baselines -u` takes them anew.

const BASELINES = fileURLToPath(new URL('./baselines/', import.meta.url));
/** As much may differ: another version of the browser draws some edges elsewhere. */
const TOLERATED = 0.04;

const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { name: 'light-narrow', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'dark-narrow', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

interface State {
  readonly name: string;
  readonly search?: string;
  readonly link?: Shared;
  /** Brings the page there, and waits for what is to be seen. */
  readonly reach: (page: Page) => Promise<unknown>;
}

const scenario = (file: string) => readFileSync(new URL(`../../../../scenarios/${file}.yaml`, import.meta.url), 'utf8');
const isPlayed = (page: Page) => page.locator('.verdict.held, .verdict.failed').first().waitFor();
const election: Shared = { text: scenario('election/failover-on-kill'), atMicros: 21_188_000, member: 'n2' };

const STATES: readonly State[] = [
  { name: 'start', reach: (page) => page.locator('.deed:enabled').waitFor() },
  {
    name: 'scenarios',
    reach: async (page) => {
      await page.locator('.deed:enabled').waitFor();
      await page.getByRole('button', { name: 'show them, by folder' }).click();
      await page.getByRole('button', { name: 'rollback', exact: true }).click();
      await page.locator('.shelf').first().scrollIntoViewIfNeeded();
    },
  },
  { name: 'election', link: election, reach: isPlayed },
  {
    name: 'embedded',
    search: '?embed',
    link: election,
    // To the end of the run: before, there is less of it to see.
    reach: (page) => page.getByText('22.224s').first().waitFor(),
  },
  {
    name: 'rollback',
    link: { text: scenario('lessons/05-what-a-rollback-takes-away'), atMicros: 36_000_000 },
    reach: isPlayed,
  },
  {
    name: 'lesson',
    link: { text: scenario('lessons/02-how-an-election-goes'), atMicros: 0, reading: 'lesson' },
    reach: (page) => page.locator('.lesson').getByRole('button', { name: 'next ▸', disabled: false }).waitFor(),
  },
];

let browser: Browser;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'studio-'));
  putPage(folder);
  browser = await launchChromium([], true);
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const cases = STATES.flatMap((state) =>
  LOOKS.map((look) => ({ ...state, look, file: `${state.name}-${look.name}.png` })),
);

test.for(cases)('$file', async ({ search = '', link, reach, look, file }) => {
  const { colorScheme, viewport } = look;
  const page = await lentPage(browser, { viewport, colorScheme, deviceScaleFactor: 0.5, reducedMotion: 'reduce' });
  await goTo(page, `${pathToFileURL(folder).href}/index.html${search}${link ? `#${toFragment(link)}` : ''}`);
  await reach(page);
  await page.locator('.setpic .disc, .shelf').first().waitFor();
  await page.evaluate('document.fonts.ready');
  const now = await page.screenshot({ animations: 'disabled' });
  const baseline = join(BASELINES, file);
  if (isUpdating()) {
    mkdirSync(BASELINES, { recursive: true });
    writeFileSync(baseline, now);
  }
  expect(existsSync(baseline), `${baseline} is to be taken: npm run browser -- baselines -u`).toBe(true);
  expect(await differingShare(page, readFileSync(baseline), now), `${file} looks otherwise`).toBeLessThan(TOLERATED);
});

/** Whether somebody runs the tests with `-u`, as for transcripts. */
function isUpdating(): boolean {
  const { snapshotState } = expect.getState() as unknown as {
    readonly snapshotState: { readonly _updateSnapshot: string };
  };
  return snapshotState._updateSnapshot === 'all';
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { type Shared, toFragment } from '../../src/core/edit/fragment.ts';
import { launchChromium } from './chromium.ts';
import { goTo, lentPage } from './lentPage.ts';
import { putPage } from './putPage.ts';

/** The page as `npm run build` makes it, in a browser without a window. */
export interface Opener {
  /** The page as in a fresh profile, for the test that runs, once the run of its link is over; without a link, where it begins. */
  open(link: Shared | undefined, viewport?: { readonly width: number; readonly height: number }): Promise<Page>;
  close(): Promise<void>;
}

/** @param args what the browser is started with besides */
export async function openerOf(args: readonly string[] = []): Promise<Opener> {
  const folder = mkdtempSync(join(tmpdir(), 'studio-'));
  putPage(folder);
  const browser = await launchChromium(args);
  return {
    open: async (link, viewport = { width: 1280, height: 900 }) => {
      const page = await lentPage(browser, { viewport });
      await goTo(page, `${pathToFileURL(folder).href}/index.html${link ? `#${toFragment(link)}` : ''}`);
      if (!link) return page;
      // Long runs take their time where others work beside them; what is led through has no verdict before its end.
      await page.locator('.verdict.held, .verdict.failed, .lesson').first().waitFor({ timeout: 110_000 });
      return page;
    },
    close: async () => {
      await browser.close();
      rmSync(folder, { recursive: true });
    },
  };
}

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** What tests that held have left, by what it was made with. */
const left = new WeakMap<Browser, Map<string, Page[]>>();

/**
 * A page for the test that runs, as it is in a fresh profile: nothing is kept from before, and nothing is open. If a test has left one, it is that:
 * its scripts are compiled and its process runs, so that it opens in half the time.
 */
export async function lentPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const pages = left.get(browser) ?? new Map<string, Page[]>();
  left.set(browser, pages);
  const key = JSON.stringify(options);
  const page = pages.get(key)?.pop() ?? (await (await browser.newContext(options)).newPage());
  onTestFinished(async ({ task }) => {
    // Nobody knows in what state a test leaves a page that fails half way.
    if (task.result?.state === 'pass' && (await isAsNew(page, options)))
      pages.set(key, [...(pages.get(key) ?? []), page]);
    else await page.context().close();
  });
  return page;
}

/** Takes away all that a test may have done to a page. @returns false if that cannot be */
async function isAsNew(page: Page, { viewport, colorScheme, reducedMotion }: BrowserContextOptions): Promise<boolean> {
  try {
    for (const event of ['console', 'dialog', 'pageerror', 'request', 'response']) page.removeAllListeners(event);
    await page.unrouteAll();
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await page.goto('about:blank');
    await page.mouse.move(0, 0);
    await page.emulateMedia({ colorScheme: colorScheme ?? 'light', reducedMotion: reducedMotion ?? 'no-preference' });
    if (viewport) await page.setViewportSize(viewport);
    return true;
  } catch {
    return false;
  }
}

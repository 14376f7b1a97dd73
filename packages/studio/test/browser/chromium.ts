import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian and others put it; `CHROMIUM` says another place. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** The same browser without what shows windows: it takes a quarter less of the processor, and draws a few things elsewhere. */
const QUICK_PLACE = '/usr/bin/chromium-headless-shell';

/** What is waited for comes, on a machine with other work late: Playwright's own half minute has failed tests that were right. */
const PATIENCE_MS = 100_000;

/**
 * A browser without a window.
 * @param more what it is started with besides
 * @param isExact whether it has to draw as with a window
 * @throws Error if this machine has none, and says how to get one
 */
export async function launchChromium(more: readonly string[] = [], isExact = false): Promise<Browser> {
  const named = process.env.CHROMIUM;
  const places = isExact ? [...PLACES, QUICK_PLACE] : [QUICK_PLACE, ...PLACES];
  const executablePath = (named === undefined ? places : [named]).find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error(
      named === undefined
        ? `no Chromium at ${places.join(', ')}: install it (Debian: apt-get install chromium), or name another one: CHROMIUM=PATH npm run browser`
        : `CHROMIUM names ${named}, which does not exist`,
    );
  // Its sandbox needs a user who is not root, and containers are root; it loads nothing but our own pages here.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', ...more] });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return browser;
}

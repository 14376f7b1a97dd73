import { createHash } from 'node:crypto';
import { Window } from 'happy-dom';
import { afterEach, expect, test } from 'vitest';
import { htmlReporter } from '../src/reporters/html.ts';
import type { Outcome } from '../src/reporters/reporter.ts';
import { testIo } from './io.ts';
import { failed, held, odd, played } from './outcomes.ts';

const step = {
  title: 'step 4, line 8: expect: {primary: n1}',
  detail: 'asked: n1 is primary',
  line: 8,
  asked: 'n1 is primary',
  got: 'no member says <so>',
  reasons: ['n1 would have stood at 31.760s, and did not', 'n2: cut off since 10.445s'],
};
const inStep: Outcome = { ...failed, path: 'scenarios/ttl/late.yaml', name: 'Late', failure: step };
const all = [held, failed, inStep, odd];

const windows: Window[] = [];
afterEach(async () => {
  for (const window of windows.splice(0)) await window.happyDOM.close();
});

function report(outcomes: readonly Outcome[] = all): string {
  const io = testIo();
  htmlReporter(io).ended(played(outcomes));
  return io.stdout;
}

/** The page in a browser. */
function opened(html = report()) {
  const window = new Window({
    settings: { enableJavaScriptEvaluation: true, suppressInsecureJavaScriptEnvironmentWarning: true },
  });
  windows.push(window);
  window.document.write(html);
  const { document } = window;
  const input = (id: string) =>
    document.getElementById(id) as unknown as { value: string; checked: boolean } & EventTarget;
  const isHidden = (element: { closest(selector: string): unknown }) => element.closest('[hidden]') !== null;
  const visible = (selector: string) =>
    [...document.querySelectorAll(selector)].filter((each) => !isHidden(each)).map((each) => each.textContent);
  return {
    document,
    visible,
    shown: () => document.getElementById('shown')!.textContent,
    search(text: string) {
      input('text').value = text;
      input('text').dispatchEvent(new window.Event('input') as unknown as Event);
    },
    failuresOnly(checked: boolean) {
      input('failed').checked = checked;
      input('failed').dispatchEvent(new window.Event('change') as unknown as Event);
    },
  };
}

test('says what held and what failed, with what stood in the way and the transcript', () => {
  const { document, visible } = opened();
  expect(document.title).toBe('replsim: 1 passed, 3 failed');
  expect(visible('h1')).toEqual(['replsim: 1 passed, 3 failed']);
  expect(visible('caption')).toEqual(['.: 1 passed, 1 failed', 'ttl: 0 passed, 1 failed', 'odd: 0 passed, 1 failed']);
  const late = document.getElementById('run-3')!;
  expect([...late.querySelectorAll('dd')].map((each) => each.textContent)).toEqual([step.asked, step.got]);
  expect([...late.querySelectorAll('li')].map((each) => each.textContent)).toEqual(step.reasons);
  expect(late.textContent).toContain('scenarios/ttl/late.yaml:8, seed 7, 61.000s');
  expect(late.querySelector('code')!.textContent).toBe(inStep.repeat);
  expect(document.querySelector('#run-4 details pre')!.textContent).toBe(odd.transcript.join('\n'));
  expect(document.querySelector('#run-2 > pre')!.textContent).toBe(failed.failure!.detail);
  const links = [...document.querySelectorAll('td a')].map((each) => each.getAttribute('href'));
  expect(links.sort()).toEqual(['#run-2', '#run-3', '#run-4']);
});

test('without a failure there is no section for any', () => {
  expect(opened(report([held])).visible('h2')).toEqual(['Scenarios']);
});

test('what a scenario says is text, not HTML', () => {
  const { document } = opened();
  expect(document.querySelectorAll('script')).toHaveLength(1);
  expect(document.querySelectorAll('b')).toHaveLength(0);
  expect(document.querySelector('#run-4 h3')!.textContent).toContain('</script><script>alert(1)</script>');
});

test('searches, through names, files, reasons and transcripts, with no more than the file', () => {
  const page = opened();
  expect(page.shown()).toBe('4 shown');
  page.search('LATE.yaml');
  expect(page.shown()).toBe('1 shown');
  expect(page.visible('h3')).toEqual(['Late']);
  expect(page.visible('caption')).toEqual(['ttl: 0 passed, 1 failed']);
  page.search('cut off');
  expect(page.visible('h3')).toEqual(['Late']);
  page.search('secondary n2');
  expect(page.visible('article')).toHaveLength(1);
  page.search('zebra');
  expect(page.shown()).toBe('0 shown');
  expect(page.visible('h2')).toEqual(['Scenarios']);
  page.search('');
  page.failuresOnly(true);
  expect(page.shown()).toBe('3 shown');
  expect(page.visible('tbody th')).not.toContain(held.name);
  page.failuresOnly(false);
  expect(page.shown()).toBe('4 shown');
});

test('a browser loads nothing for it, and runs no script but its own', () => {
  const html = report();
  const of = (element: string) => new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(html)![1]!;
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)!;
  expect(policy!.split('; ')).toEqual([
    "default-src 'none'",
    `style-src ${hash(of('style'))}`,
    `script-src ${hash(of('script'))}`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(html).not.toMatch(/\s(src|srcset|style|on\w+)=|@import|url\(|https?:/);
});

test('there are colours for light and for dark', () => {
  const [, light, dark] = /:root \{([^}]*)\}[\s\S]*prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}/.exec(report())!;
  const colours = (text: string) =>
    new Map([...text.matchAll(/(--\w+): (#\w+)/g)].map(([, name, value]) => [name!, value!]));
  for (const scheme of [colours(light!), colours(dark!)])
    for (const name of ['--text', '--dim', '--held', '--failed'])
      for (const ground of ['--ground', '--code'])
        expect(contrast(scheme.get(name)!, scheme.get(ground)!), `${name} on ${ground}`).toBeGreaterThan(4.5);
});

/** How far two colours are apart, 1 to 21. Source: WCAG 2.2, contrast ratio. */
function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const digits =
    hex.slice(1).length === 3 ? [...hex.slice(1)].map((digit) => digit + digit) : hex.slice(1).match(/../g)!;
  const [r = 0, g = 0, b = 0] = digits.map((pair) => {
    const share = Number.parseInt(pair, 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

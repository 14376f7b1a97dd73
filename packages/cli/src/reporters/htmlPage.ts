import { createHash } from 'node:crypto';
import { escapeXml } from './xml.ts';

/**
 * A page that is whole in its one file: it loads nothing, and the browser carries out no script but its own, whatever stands in
 * the body. @param title text @param body HTML @param behaviour its script; what searches, unless it says otherwise
 */
export function htmlPage(title: string, body: string, behaviour = SEARCHES): string {
  const policy = `default-src 'none'; style-src '${hashOf(LOOKS)}'; script-src '${hashOf(behaviour)}'; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeXml(title)}</title>
<style>${LOOKS}</style>
</head>
<body>
${body}
${behaviour === '' ? '' : `<script>${behaviour}</script>\n`}</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

// Colours are told apart at 4.5 to 1 and more on either ground, and none of them says what a word does not say too.
const LOOKS = `
:root { --ground: #fff; --text: #1b1f24; --dim: #57606a; --line: #d0d7de; --held: #116329; --failed: #b3261e; --code: #f6f8fa }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0d1117; --text: #e6edf3; --dim: #9198a1; --line: #3d444d; --held: #3fb950; --failed: #ff7b72; --code: #161b22 }
}
body { background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem }
a { color: inherit }
:focus-visible { outline: 3px solid var(--dim); outline-offset: 2px }
pre, code { font: 0.875rem/1.45 ui-monospace, monospace }
pre { background: var(--code); border: 1px solid var(--line); overflow-x: auto; padding: 0.75rem }
table { border-collapse: collapse; width: 100% }
caption { font-weight: bold; padding: 0.5rem 0; text-align: left }
th, td { border-bottom: 1px solid var(--line); padding: 0.25rem 0.75rem 0.25rem 0; text-align: left; vertical-align: top }
td.number, th.number { font-variant-numeric: tabular-nums; text-align: right }
article { border-left: 4px solid var(--failed); margin: 1rem 0; padding-left: 1rem }
dt, .dim { color: var(--dim) }
dd { margin: 0 0 0.5rem; white-space: pre-wrap }
.held { color: var(--held) }
.failed { color: var(--failed); font-weight: bold }
.search { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0 }
[hidden] { display: none }
figure { margin: 1rem 0 }
svg { color: var(--dim); height: auto; max-width: 48rem; width: 100% }
svg text { white-space: pre }
`;

// Without it everything is there to see, and nothing to search with.
const SEARCHES = `
const search = document.querySelector('.search');
const [text, failed, shown] = ['text', 'failed', 'shown'].map((id) => document.getElementById(id));
const scenarios = [...document.querySelectorAll('[data-run]')];
const groups = [...document.querySelectorAll('[data-group]')];
const filter = () => {
  const words = text.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const runs = new Set();
  for (const each of scenarios) {
    const said = each.textContent.toLowerCase();
    each.hidden = (failed.checked && each.dataset.held === 'true') || !words.every((word) => said.includes(word));
    if (!each.hidden) runs.add(each.dataset.run);
  }
  for (const group of groups) group.hidden = !group.querySelector('[data-run]:not([hidden])');
  shown.textContent = runs.size + ' shown';
};
text.addEventListener('input', filter);
failed.addEventListener('change', filter);
search.hidden = false;
filter();
`;

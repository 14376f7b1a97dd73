import { htmlPage } from '../reporters/htmlPage.ts';
import { wallText } from '../reporters/reporter.ts';
import { escapeXml } from '../reporters/xml.ts';
import { type Found, neverText, obstacleLines, type Result, rowsOf, runsLine, unreached } from './exploredText.ts';

/** A page in one file: what was found, with the scenarios that show it, and what came about. */
export function exploredPage(result: Result): string {
  const { explored, found, tookMs } = result;
  const line = runsLine(result);
  const obstacles = obstacleLines(explored).filter((each) => each !== '');
  const body = [
    '<header>',
    `<h1>replsim: ${escapeXml(line)}</h1>`,
    `<p>${wallText(tookMs)}</p>`,
    '</header>',
    SEARCH,
    '<main>',
    ...(found.length === 0 ? [] : ['<section data-group>', '<h2>Findings</h2>', ...found.map(article), '</section>']),
    '<h2>What came about in these runs</h2>',
    coverage(explored),
    ...unreached(result).map((each) => `<p class="failed">${escapeXml(neverText(each, explored.runs))}</p>`),
    ...obstacles.map((each) => `<p>${escapeXml(each)}</p>`),
    '</main>',
  ];
  return htmlPage(`replsim: ${found.length} found in ${explored.runs} runs`, body.join('\n'));
}

const SEARCH = `<search class="search" hidden>
<label>Search <input id="text" type="search"></label>
<label><input id="failed" type="checkbox"> findings only</label>
<output id="shown" for="text failed"></output>
</search>`;

function article({ finding, shrunk, text, file }: Found): string {
  const { failure, seed, run, times } = finding;
  const more = times > 1 ? `, and in ${times - 1} more` : '';
  const size = shrunk ? `; shrunk from ${shrunk.from} steps and faults to ${shrunk.to}` : '';
  const where = `run ${run}${more}, seed ${seed}${size}${file === undefined ? '' : `, in ${file}`}`;
  return [
    `<article id="run-${run}" data-run="${run}" data-held="false">`,
    `<h3 class="failed">${escapeXml(failure.title)}</h3>`,
    `<p class="dim">${escapeXml(where)}</p>`,
    ...(failure.detail === '' ? [] : [`<pre tabindex="0">${escapeXml(failure.detail)}</pre>`]),
    `<details open><summary>The scenario that fails in run ${run}</summary>`,
    `<pre tabindex="0">${escapeXml(text.trimEnd())}</pre>`,
    '</details>',
    '</article>',
  ].join('\n');
}

function coverage(explored: Result['explored']): string {
  const rows = rowsOf(explored).map(
    ([name, count]) => `<tr><th scope="row">${escapeXml(name)}</th><td class="number">${count}</td></tr>`,
  );
  return [
    '<table>',
    '<thead><tr><th scope="col">what</th><th scope="col" class="number">how often</th></tr></thead>',
    `<tbody>${rows.join('\n')}</tbody>`,
    '</table>',
  ].join('\n');
}

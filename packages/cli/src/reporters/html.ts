import { durationText } from '@replsim/scenario';
import type { Io } from '../io.ts';
import { foldersOf } from './folders.ts';
import { htmlPage } from './htmlPage.ts';
import { countsLine, type Outcome, oneLine, type Played, type Reporter, virtualText, wallText } from './reporter.ts';
import { escapeXml } from './xml.ts';

/** A page to look at and to search in, in one file: counts, failures with their reasons and transcripts, all scenarios by folder. */
export function htmlReporter(io: Io): Reporter {
  return {
    ended(played) {
      io.out(htmlPage(`replsim: ${countsLine(played.outcomes)}`, body(played)));
    },
  };
}

/** Runs have numbers, by which a row of the table finds its failure. */
interface Numbered extends Outcome {
  readonly number: number;
}

function body(played: Played): string {
  const outcomes = played.outcomes.map((outcome, i) => ({ ...outcome, number: i + 1 }));
  const failures = outcomes.filter(({ ok }) => !ok);
  const folders = foldersOf(outcomes.map(({ path }) => path));
  const tables = [...new Set(folders.values())].map((folder) =>
    folderTable(
      folder,
      outcomes.filter(({ path }) => folders.get(path) === folder),
    ),
  );
  return [
    '<header>',
    `<h1>replsim: ${countsLine(played.outcomes)}</h1>`,
    `<p>${figures(played)}</p>`,
    '</header>',
    SEARCH,
    '<main>',
    ...(failures.length === 0
      ? []
      : ['<section data-group>', '<h2>Failures</h2>', ...failures.map(article), '</section>']),
    '<h2>Scenarios</h2>',
    ...tables,
    '</main>',
  ].join('\n');
}

const SEARCH = `<search class="search" hidden>
<label>Search <input id="text" type="search"></label>
<label><input id="failed" type="checkbox"> failures only</label>
<output id="shown" for="text failed"></output>
</search>`;

function figures({ outcomes, tookMs }: Played): string {
  const events = outcomes.reduce((sum, each) => sum + each.events, 0);
  const invariants = Math.max(0, ...outcomes.map((each) => each.invariants));
  const virtualSecs = Math.round(outcomes.reduce((sum, { virtualMs }) => sum + virtualMs, 0) / 1000);
  const virtual = durationText(virtualSecs * 1_000_000);
  return `${invariants} invariants watched ${events.toLocaleString('en')} events; ${virtual} of virtual time in ${wallText(tookMs)}`;
}

function article({
  number,
  name,
  path,
  seed,
  virtualMs,
  failure,
  repeat,
  transcript,
  shown: lines = transcript,
}: Numbered): string {
  const where = `${path}${failure === undefined ? '' : `:${failure.line}`}, seed ${seed}, ${virtualText(virtualMs)}`;
  return [
    `<article id="run-${number}" data-run="${number}" data-held="false">`,
    `<h3>${shown(name)}</h3>`,
    `<p class="dim">${escapeXml(where)}</p>`,
    ...(failure === undefined ? [] : [reason(failure)]),
    `<p>Repeat with <code>${escapeXml(repeat)}</code></p>`,
    `<details><summary>Transcript of ${shown(name)}</summary>`,
    `<pre tabindex="0">${escapeXml(lines.join('\n'))}</pre>`,
    '</details>',
    '</article>',
  ].join('\n');
}

/** What was asked, what came back and what stood in the way, where a step failed; else the words that there are. */
function reason({ title, detail, asked, got, reasons = [] }: NonNullable<Outcome['failure']>): string {
  const lines = [`<p class="failed">${escapeXml(title)}</p>`];
  if (asked === undefined || got === undefined) {
    if (detail !== '') lines.push(`<pre tabindex="0">${escapeXml(detail)}</pre>`);
  } else lines.push(`<dl><dt>asked</dt><dd>${escapeXml(asked)}</dd><dt>got</dt><dd>${escapeXml(got)}</dd></dl>`);
  if (reasons.length > 0)
    lines.push(
      '<p>What prevented it:</p>',
      `<ul>${reasons.map((each) => `<li>${escapeXml(each)}</li>`).join('')}</ul>`,
    );
  return lines.join('\n');
}

function folderTable(folder: string, outcomes: readonly Numbered[]): string {
  const head = ['<th scope="col">scenario</th>', '<th scope="col">file</th>', '<th scope="col">outcome</th>'];
  const numbers = ['seed', 'virtual', 'real'].map((name) => `<th scope="col" class="number">${name}</th>`);
  return [
    '<table data-group>',
    `<caption>${escapeXml(folder)}: ${countsLine(outcomes)}</caption>`,
    `<thead><tr>${[...head, ...numbers].join('')}</tr></thead>`,
    '<tbody>',
    ...outcomes.map(row),
    '</tbody>',
    '</table>',
  ].join('\n');
}

function row({ number, name, path, ok, error, seed, virtualMs, wallMs }: Numbered): string {
  const word = error === undefined ? 'failed' : 'error';
  const outcome = ok ? '<span class="held">held</span>' : `<a class="failed" href="#run-${number}">${word}</a>`;
  const numbers = [seed, virtualText(virtualMs), wallText(wallMs)].map((text) => `<td class="number">${text}</td>`);
  return [
    `<tr data-run="${number}" data-held="${ok}"><th scope="row">${shown(name)}</th>`,
    `<td>${escapeXml(path)}</td><td>${outcome}</td>${numbers.join('')}</tr>`,
  ].join('');
}

const shown = (name: string): string => escapeXml(oneLine(name));

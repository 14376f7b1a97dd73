import { escapeXml } from '../reporters/xml.ts';
import { type Result, rowsOf, runsLine } from './exploredText.ts';

/** Markdown for a job's summary: counts, what came about, findings to unfold. */
export function summaryOf(result: Result): string {
  const { explored, found } = result;
  const rows = rowsOf(explored).map(([name, count]) => `| ${name} | ${count} |`);
  const details = found.map(({ finding, text }) => {
    // Markdown reads HTML up to a blank line, but what begins with this element up to its end.
    const title = escapeXml(finding.failure.title.replaceAll(/\s+/g, ' '));
    return `<details><summary>${title}</summary>\n\n<pre>${escapeXml(text.trimEnd())}</pre>\n\n</details>\n`;
  });
  const head = `### replsim: ${escapeXml(runsLine(result))}`;
  return `${[head, '', '| what came about | |', '|---|---|', ...rows, '', ...details].join('\n')}\n`;
}

import { parseArgs } from 'node:util';
import { BadInput, findTests } from './files.ts';
import { failureText, summaryOf, tableOf } from './report.ts';
import { type Row, runSuite } from './runSuite.ts';

// npm run specifications -- FOLDER [--only NAME] [--json]: the unified tests of the driver specifications, with the real driver against
// served sets, a fresh one for each specification. The exit code is 1 if fewer passed than are expected to, 2 for bad input.

const USAGE = 'npm run specifications -- FOLDER [--only NAME] [--json]';

async function main(): Promise<number> {
  const { folder, only, json } = wanted();
  const rows: Row[] = [];
  const ended = (row: Row) => {
    rows.push(row);
    if (row.outcome === 'failed' && !json) console.log(failureText(row));
    if (process.stderr.isTTY) process.stderr.write(`\r${rows.length} tests, in ${row.suite}\u001b[K\r`);
  };
  for (const files of findTests(folder).values()) await runSuite(files, (name) => name.includes(only), ended);
  if (rows.length === 0) throw new BadInput(`no test below ${folder} has "${only}" in FILE: DESCRIPTION`);
  const summary = summaryOf(rows);
  console.log(json ? JSON.stringify({ summary, tests: rows }, null, 1) : tableOf(rows));
  return summary.isAsExpected ? 0 : 1;
}

function wanted(): { readonly folder: string; readonly only: string; readonly json: boolean } {
  const { positionals, values } = parsed();
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) throw new BadInput(`one FOLDER is wanted: ${USAGE}`);
  return { folder, ...values };
}

function parsed() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { only: { type: 'string', default: '' }, json: { type: 'boolean', default: false } },
    });
  } catch (error) {
    throw new BadInput(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof BadInput)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

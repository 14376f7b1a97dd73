import { parseArgs } from 'node:util';
import { InvalidOptions } from 'replsim';
import { BadInput, findTests } from './files.ts';
import { failureText, summaryOf, tableOf } from './report.ts';
import { type Row, runSuite } from './runSuite.ts';

/** Where what the command says goes. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Where somebody looks on. */
  readonly progress?: (text: string) => void;
}

const USAGE = 'npm run specifications -- FOLDER [--only NAME] [--version V] [--auth] [--json]';

/**
 * Runs the unified tests below a folder.
 * @returns the exit code: 0 if as many passed as are expected to, 1 if fewer did, 2 for input that is wrong
 */
export async function specifications(args: readonly string[], io: Io): Promise<0 | 1 | 2> {
  try {
    return await run(wanted(args), io);
  } catch (error) {
    if (!(error instanceof BadInput || error instanceof InvalidOptions)) throw error;
    io.err(`${error.message}\n`);
    return 2;
  }
}

interface Arguments {
  readonly folder: string;
  readonly only: string;
  readonly version?: string;
  readonly auth: boolean;
  readonly json: boolean;
}

async function run({ folder, only, version, auth, json }: Arguments, { out, progress }: Io): Promise<0 | 1> {
  const rows: Row[] = [];
  const ended = (row: Row) => {
    rows.push(row);
    if (row.outcome === 'failed' && !json) out(`${failureText(row)}\n`);
    progress?.(`${rows.length} tests, in ${row.suite}`);
  };
  const isWanted = (name: string) => name.includes(only);
  for (const files of findTests(folder).values())
    await runSuite(files, { isWanted, auth, ...(version && { version }) }, ended);
  if (rows.length === 0) throw new BadInput(`no test below ${folder} has "${only}" in its FILE: DESCRIPTION`);
  const summary = summaryOf(rows);
  out(`${json ? JSON.stringify({ summary, tests: rows }, null, 1) : tableOf(rows)}\n`);
  return summary.isAsExpected ? 0 : 1;
}

function wanted(args: readonly string[]): Arguments {
  const { positionals, values } = parsed(args);
  const [folder] = positionals;
  if (folder === undefined || positionals.length > 1) throw new BadInput(`one FOLDER is wanted: ${USAGE}`);
  return { folder, ...values };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        only: { type: 'string', default: '' },
        version: { type: 'string' },
        auth: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new BadInput(`${error instanceof Error ? error.message : error}\n${USAGE}`);
  }
}

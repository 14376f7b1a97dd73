import { MongoClient } from 'mongodb';
import { ReplicaSet, ReplSet } from 'replsim';
import type { Folder } from './folder.ts';
import { calls, clients } from './inCalls.ts';
import { files, lines } from './inLines.ts';
import { runs, warnings } from './inRuns.ts';
import { checks, commands, sets, values, writing } from './inScenarios.ts';
import type { CallMistake, LineMistake, Mistake, ScenarioMistake } from './mistake.ts';

/** What somebody sees who has made it. */
export interface Answer {
  readonly mistake: Mistake;
  /** As it is shown in docs/why.md: what was done, and what was printed. */
  readonly shown: string;
  /** What was printed alone. */
  readonly printed: string;
  /** Undefined where nothing ends but a promise. */
  readonly code: number | undefined;
}

/** Mistakes of one kind, and the exit code that they have to have. */
export interface Chapter {
  readonly title: string;
  readonly code: number | undefined;
  readonly answers: readonly (() => Promise<Answer>)[];
}

/** All of them, in the order of the page. */
export function chapters(folder: Folder): Chapter[] {
  const inFile = (command: string) => (each: ScenarioMistake) => () => ofScenario(folder, command, each);
  const inLine = (each: LineMistake) => () => ofLine(folder, each);
  const inCall = (each: CallMistake) => () => ofCall(folder, each);
  const chapter = <Row>(
    title: string,
    code: number | undefined,
    rows: readonly Row[],
    by: (row: Row) => () => Promise<Answer>,
  ) => ({
    title,
    code,
    answers: rows.map(by),
  });
  return [
    chapter('How a scenario is written', 2, writing, inFile('check')),
    chapter('Values', 2, values, inFile('check')),
    chapter('The set, its members and faults', 2, sets, inFile('check')),
    chapter('What clients send', 2, commands, inFile('check')),
    chapter('Checks that always pass, or never can', 2, checks, inFile('check')),
    chapter('What is probably a mistake', 0, warnings, inFile('check')),
    chapter('What only the run knows', 1, runs, inFile('run')),
    chapter('The command line', 2, lines, inLine),
    chapter('A file of another kind', 2, files, inLine),
    chapter('The API', undefined, calls, inCall),
    chapter('Clients of a served set', undefined, clients, inCall),
  ];
}

const FILE = 'claim.yaml';

async function ofScenario(folder: Folder, command: string, mistake: ScenarioMistake): Promise<Answer> {
  const { head = '', steps = '', file } = mistake;
  const text = file ?? `name: A claim\n${head}steps:\n${steps.replaceAll(/^/gm, '  ')}\n`;
  folder.write(FILE, text);
  const { code, out, err } = await folder.replsim(`${command} ${FILE}`);
  const printed = command === 'run' ? failure(out) : err;
  return { mistake, code, printed, shown: command === 'run' ? `${text}\n${printed}` : printed };
}

/** Why it failed and what led there is for another table. */
function failure(out: string): string {
  const [, title = '', rest = ''] = /^(failed: .*\n)([\s\S]*)$/m.exec(out) ?? [];
  return `${title}${rest.replace(/^ {2}(why|before that):\n( {4}.*\n)*/gm, '').replace(/^repeat with: .*$/m, '')}`.trimEnd();
}

async function ofLine(folder: Folder, mistake: LineMistake): Promise<Answer> {
  const { code, err } = await folder.replsim(mistake.line);
  return { mistake, code, printed: err, shown: `$ replsim ${mistake.line}\n${err}` };
}

async function ofCall(folder: Folder, mistake: CallMistake): Promise<Answer> {
  const { set, stopped } = folder;
  const client = new MongoClient(set.uri);
  try {
    const scope = { ReplicaSet, ReplSet, set, stopped, db: client.db('app'), admin: client.db('admin') };
    const call = new Function(...Object.keys(scope), `return ${mistake.code}`);
    const printed = await refusal(() => call(...Object.values(scope)));
    return { mistake, code: undefined, printed, shown: `> await ${mistake.code}\n${printed}` };
  } finally {
    await client.close();
  }
}

async function refusal(call: () => unknown): Promise<string> {
  try {
    await call();
    return '';
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message.replaceAll(process.cwd(), '/home/me/app')}`;
  }
}

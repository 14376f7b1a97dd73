import { parseScenario, type Scenario, variantOf } from '@replsim/scenario';
import { explain } from '../explain.ts';
import { type ScenarioFile, shown } from '../files.ts';
import type { Io } from '../io.ts';
import { isMistaken, readAll } from '../loaded.ts';
import type { Answer, Task } from './crew.ts';
import { countRun } from './longWork.ts';
import { playOne, type Turn } from './playOne.ts';

/** A child's work: reads and plays what its parent hands it, one after the other, until the parent ends it, or is gone. */
export function playForParent(): void {
  if (process.send === undefined)
    throw new Error('this program plays for another process, which starts it: replsim run');
  const known = new Map<string, Scenario>();
  process.on('message', async (task: Task) => process.send?.(await answer(task, known)));
}

/** @param known what was read before, by file: what it is read into does not cross from one process to another */
async function answer(task: Task, known: Map<string, Scenario>): Promise<Answer<unknown>> {
  let said = '';
  const io = {
    err(more: string) {
      said += more;
    },
  };
  try {
    const value = await done(task, known, io);
    return { said, value };
  } catch (error) {
    const code = explain(error, io);
    return { said, code };
  }
}

async function done(task: Task, known: Map<string, Scenario>, io: Pick<Io, 'err'>): Promise<unknown> {
  switch (task.kind) {
    case 'read':
      return read(task.files, known);
    case 'play':
      return play(task, known, io);
    case 'try':
      countRun();
      return (await import('@replsim/explore')).tryOut(task.input);
    case 'measure':
      countRun();
      return (await import('@replsim/explore')).measureRun(task.input);
  }
}

async function read(files: readonly ScenarioFile[], known: Map<string, Scenario>) {
  return (await readAll(files)).map((each) => {
    if (isMistaken(each)) return each;
    const { path, scenario, warnings } = each;
    known.set(path, scenario);
    return { scenario: { name: scenario.name, seed: scenario.seed }, warnings };
  });
}

function play(
  { turn, asked, text = '' }: Extract<Task, { kind: 'play' }>,
  known: Map<string, Scenario>,
  io: Pick<Io, 'err'>,
) {
  const scenario = known.get(turn.path) ?? readOf(text, turn);
  known.set(turn.path, scenario);
  return playOne(scenario, turn, asked, io);
}

function readOf(text: string, { path, variant }: Turn): Scenario {
  const written = parseScenario(text, shown(path));
  return variant === undefined ? written : variantOf(written, variant);
}

import { parseScenario } from '@replsim/scenario';
import { explain } from '../explain.ts';
import { shown } from '../files.ts';
import type { ProcessAnswer, ProcessTurn } from './inProcesses.ts';
import { playOne } from './playOne.ts';

/** A child's work: plays what its parent hands it, one after the other, until the parent ends it, or is gone. */
export function playForParent(): void {
  if (process.send === undefined)
    throw new Error('this program plays for another process, which starts it: replsim run');
  process.on('message', async (turn: ProcessTurn) => process.send?.(await answer(turn)));
}

async function answer({ text, asked, ...turn }: ProcessTurn): Promise<ProcessAnswer> {
  let said = '';
  const io = {
    err(more: string) {
      said += more;
    },
  };
  try {
    const outcome = await playOne(parseScenario(text, shown(turn.path)), turn, asked, io);
    return { said, outcome };
  } catch (error) {
    const code = explain(error, io);
    return { said, code };
  }
}

import { parentPort, workerData } from 'node:worker_threads';
import { required } from '@replsim/protocol';
import { parseScenario } from '@replsim/scenario';
import { explain } from '../explain.ts';
import { shown } from '../files.ts';
import type { ThreadAnswer, ThreadTurn } from './inThreads.ts';
import { type Asked, playOne } from './playOne.ts';

/** A thread's work: plays what its parent hands it, one after the other, until the parent ends it. */
export function playForParent(): void {
  const port = required(parentPort ?? undefined, 'thread that this one works for');
  port.on('message', async (turn: ThreadTurn) => port.postMessage(await answer(turn, workerData as Asked)));
}

async function answer({ text, ...turn }: ThreadTurn, asked: Asked): Promise<ThreadAnswer> {
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
